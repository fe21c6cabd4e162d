// The content of a live plot: series, markers, and the note being typed.
//
// A pure state machine: it is given events and keys with their times; PlotPicture draws it.

import Bluetooth
import Jobs
import Signals

/// The state of a live plot. Times are in microseconds since the start of the watch.
struct PlotState: Sendable {
  /// An event marked on the time axis.
  struct Marker: Equatable, Sendable {
    let kind: WatchMark.Kind
    let at: Int
    let text: String
  }

  enum Key: Equatable, Sendable {
    case character(Character)
    case enter, delete, escape
  }

  /// The maximum number of plotted series; further ones are only counted.
  static let mostSeries = 8
  /// The number of markers that are kept.
  static let mostMarkers = 200
  /// The maximum length of a note, in characters.
  static let longestNote = 60

  /// The wall-clock time of the start of the watch, since 1970-01-01T00:00:00Z.
  let wallClockAtStart: Int
  /// The time range to show; nil for all of it.
  let span: Duration?
  /// The only field to plot; nil for all.
  private let field: String?
  private let namesDevice: Bool
  /// The custom names of characteristics, by their names in events.
  private let titles: [String: String]
  private var index: [String: Int] = [:]
  private(set) var series: [NumberSeries] = []
  /// The names of series that are not plotted.
  private(set) var unplotted: Set<String> = []
  private(set) var markers: [Marker] = []
  /// The note being typed, and the time at which typing began.
  private(set) var typed: (at: Duration, text: String)?
  /// Whether the terminal reads keys.
  var hasKeys = false
  /// The current wait of the run, in words.
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

  mutating func apply(_ event: RunEvent) {
    let device = namesDevice ? event.device : ""
    switch event.change {
    case .data(let step, .value(let value)):
      for number in value.numbers where field == nil || number.field == field {
        let title = title(of: step)
        let field = number.field == title ? "" : number.field
        let words = [device, title, field].filter { !$0.isEmpty }
        add(number, named: words.joined(separator: " "), at: event.offset)
      }
    case .data(let step, .gap(let gap)):
      let name = [device, title(of: step)].filter { !$0.isEmpty }.joined(separator: " ")
      for position in series.indices
      where series[position].name == name || series[position].name.hasPrefix(name + " ") {
        series[position].envelope.breaks()
      }
      if let gap = WatchMark(gap, of: name) { mark(gap.kind, gap.text, at: event.offset) }
    case .data(_, .advertisement), .run, .step, .remark: break
    }
  }

  private func title(of step: ReportedStep) -> String {
    step.valueName.map { titles[$0] ?? $0 } ?? ""
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

  mutating func apply(_ change: WatchedLink.Change, of device: String, at time: Duration) {
    let change = WatchMark(change)
    mark(change.kind, "\(device): \(change.text)", at: time)
  }

  private mutating func mark(_ kind: WatchMark.Kind, _ text: String, at time: Duration) {
    if markers.count == Self.mostMarkers { markers.removeFirst() }
    markers.append(Marker(kind: kind, at: Self.microseconds(time), text: text))
  }

  // MARK: Keys

  /// The effect of a key.
  enum Action: Equatable, Sendable {
    case nothing
    /// The user ends the watch.
    case end
    /// The user completed a note, and began it at this time.
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
