// What a live plot shows: series, markers, and the note that is being typed.
//
// A pure state machine: events and keys go in, with times; PlotPicture draws it.

import Bluetooth
import Jobs
import Signals

/// The state of a live plot. Times are in microseconds since the start of the watch.
struct PlotState: Sendable {
  /// Something worth a mark on the axis of time.
  struct Marker: Equatable, Sendable {
    let kind: WatchMark.Kind
    let at: Int
    let text: String
  }

  enum Key: Equatable, Sendable {
    case character(Character)
    case enter, delete, escape
  }

  /// How many series are plotted; the others are counted.
  static let mostSeries = 8
  /// How many markers are kept.
  static let mostMarkers = 200
  /// How long a note may be, in characters.
  static let longestNote = 60

  /// The wall-clock time at the start, since 1970-01-01T00:00:00Z.
  let wallClockAtStart: Int
  /// How much of the time is shown; nil for all.
  let span: Duration?
  /// The only field that is plotted; nil for all.
  private let field: String?
  private let namesDevice: Bool
  /// What characteristics are called, by their names in events.
  private let titles: [String: String]
  private var index: [String: Int] = [:]
  private(set) var series: [NumberSeries] = []
  /// The names of the series that have no place.
  private(set) var unplotted: Set<String> = []
  private(set) var markers: [Marker] = []
  /// The note that is being typed, and when it was begun.
  private(set) var typed: (at: Duration, text: String)?
  /// Whether keys can be pressed.
  var hasKeys = false
  /// What is waited for.
  var status = ""

  init(
    wallClockAtStart: Duration, span: Duration? = nil, field: String? = nil,
    namesDevice: Bool = false, titles: [String: String] = [:]
  ) {
    self.titles = titles
    self.wallClockAtStart = Self.microseconds(wallClockAtStart)
    self.span = span
    self.field = field
    self.namesDevice = namesDevice
  }

  static func microseconds(_ duration: Duration) -> Int { Int(duration.wholeMicroseconds) }

  // MARK: Values

  mutating func take(_ event: RunEvent) {
    let device = namesDevice ? event.device : ""
    switch event.change {
    case .value(let step, let value):
      for number in value.numbers where field == nil || number.field == field {
        let words = [device, title(of: step), number.field].filter { !$0.isEmpty }
        add(number, named: words.joined(separator: " "), at: event.offset)
      }
    case .gap(let step, let gap):
      let name = [device, title(of: step)].filter { !$0.isEmpty }.joined(separator: " ")
      for position in series.indices
      where series[position].name == name || series[position].name.hasPrefix(name + " ") {
        series[position].envelope.breaks()
      }
      if let gap = WatchMark(gap, of: name) { mark(gap.kind, gap.text, at: event.offset) }
    case .runStarted, .stepStarted, .advertisement, .pairingDisplay, .note, .stepFinished,
      .runFinished:
      break
    }
  }

  private func title(of step: ReportedStep) -> String {
    step.attribute.map { titles[$0] ?? $0 } ?? ""
  }

  private mutating func add(_ number: MeasuredNumber, named name: String, at time: Duration) {
    if index[name] == nil, series.count < Self.mostSeries {
      index[name] = series.count
      series.append(NumberSeries(name, unit: number.unit, span: span))
    }
    if let position = index[name] {
      series[position].add(number, at: time)
    } else if unplotted.count < Self.mostMarkers {
      unplotted.insert(name)
    }
  }

  // MARK: Markers

  mutating func take(_ change: WatchedLink.Change, of device: String, at time: Duration) {
    let change = WatchMark(change)
    mark(change.kind, "\(device): \(change.text)", at: time)
  }

  private mutating func mark(_ kind: WatchMark.Kind, _ text: String, at time: Duration) {
    if markers.count == Self.mostMarkers { markers.removeFirst() }
    markers.append(Marker(kind: kind, at: Self.microseconds(time), text: text))
  }

  // MARK: Keys

  /// What a key leads to.
  enum Action: Equatable, Sendable {
    case nothing
    /// The watch is to end.
    case end
    /// A note is complete; it was begun at this time.
    case note(String, at: Duration)
  }

  mutating func press(_ key: Key, at time: Duration) -> Action {
    guard let (begun, text) = typed else {
      switch key {
      case .character("n"): typed = (time, "")
      case .character("q"): return .end
      case .character, .enter, .delete, .escape: break
      }
      return .nothing
    }
    switch key {
    case .character(let character):
      if text.count < Self.longestNote { typed = (begun, text + String(character)) }
    case .delete: typed = (begun, String(text.dropLast()))
    case .escape: typed = nil
    case .enter:
      typed = nil
      guard !text.isEmpty else { break }
      mark(.note, text, at: begun)
      return .note(text, at: begun)
    }
    return .nothing
  }
}
