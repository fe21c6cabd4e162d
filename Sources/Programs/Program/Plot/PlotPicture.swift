// Draws a live plot as lines of text.
//
// A pure function of the state, the time, the size and the charset.

import Bluetooth
import Jobs

/// The maximum size of a plot, in cells of the terminal.
struct PlotSize: Equatable, Sendable {
  let columns: Int
  let rows: Int
}

/// A plot with a panel for each series, stacked above a common time axis.
struct PlotPicture {
  /// The width of the labels on the left, including the axis, in columns.
  private static let labelColumns = 10
  /// The height of the smallest useful panel, including its title.
  private static let leastPanelRows = 3
  /// The width of a label on the time axis, including a space, in columns.
  private static let tickColumns = 11

  private let state: PlotState
  private let now: Int
  private let size: PlotSize
  private let charset: PlotCharset

  /// - Parameter now: The time since the start of the watch, in microseconds.
  init(of state: PlotState, at now: Int, size: PlotSize, _ charset: PlotCharset) {
    self.state = state
    self.now = now
    self.size = size
    self.charset = charset
  }

  /// The lines from the top, which fit the size.
  var lines: [String] {
    let bottom = [bottomLine]
    let width = size.columns - Self.labelColumns
    guard width >= Self.tickColumns, size.rows >= Self.leastPanelRows + 4 else {
      return fitted(state.series.map { title($0) } + bottom)
    }
    let events = eventLines(size.rows < 16 ? 1 : 3)
    let room = size.rows - events.count - 3
    let shown = Array(state.series.prefix(max(1, room / Self.leastPanelRows)))
    var lines: [String] = []
    for (index, series) in shown.enumerated() {
      // The first panels get the remaining rows.
      let rows = room / shown.count + (index < room % shown.count ? 1 : 0)
      lines += panel(series, rows: rows, columns: width)
    }
    if shown.isEmpty { lines = Array(repeating: "", count: room) }
    return fitted(lines + [markerRow(width), timeRow(width)] + events + bottom)
  }

  private func fitted(_ lines: [String]) -> [String] {
    // With too little room, the last lines matter most: the status and the events.
    lines.suffix(max(1, size.rows)).map { ColumnText($0).cut(to: size.columns) }
  }

  // MARK: Time

  /// The time range between the left and the right edge, in microseconds.
  private var time: Range<Int> {
    guard let span = state.span.map(PlotState.microseconds) else {
      return 0..<max(now + 1, 1_000_000)
    }
    return now + 1 - span..<now + 1
  }

  private func column(of at: Int, _ columns: Int) -> Int? {
    guard time.contains(at) else { return nil }
    return (at - time.lowerBound) * columns / time.count
  }

  /// The possible distances of labels on the time axis, in seconds.
  private static let steps = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400,
    172_800, 604_800, 2_592_000,
  ]

  /// The row with the wall-clock times.
  private func timeRow(_ columns: Int) -> String {
    let fits = Self.steps.first { step in
      step * 1_000_000 * columns / time.count >= Self.tickColumns
    }
    let step = (fits ?? Self.steps.last ?? 1) * 1_000_000
    let start = state.wallClockAtStart + time.lowerBound
    var row = [Character](repeating: " ", count: columns)
    var tick = (start + step - 1) / step * step
    while tick < start + time.count {
      let column = (tick - start) * columns / time.count
      let label = "|" + clock(tick - state.wallClockAtStart)
      if column + label.count <= columns {
        row.replaceSubrange(column..<column + label.count, with: label)
      }
      tick += step
    }
    return label("UTC") + String(row)
  }

  /// The wall-clock time of day: `12:03:04`.
  private func clock(_ at: Int) -> String {
    let time = Timestamp.text(.microseconds(state.wallClockAtStart + at))
    return String(time.dropFirst(11).prefix(8))
  }

  // MARK: Panels

  private func panel(_ series: NumberSeries, rows: Int, columns: Int) -> [String] {
    var canvas = PlotCanvas(columns: columns, rows: rows - 1, charset)
    let buckets = series.envelope.columns(canvas.width, in: time)
    let (low, high) = range(of: buckets.compactMap { $0 })
    func y(_ value: Double) -> Int {
      Int(((value - low) / (high - low) * Double(canvas.height - 1)).rounded())
    }
    var before: (x: Int, y: Int)?
    for (x, bucket) in buckets.enumerated() {
      guard let bucket else { continue }
      if let before, !bucket.followsGap { canvas.line(before, (x, y(bucket.first))) }
      canvas.line((x, y(bucket.lowest.value)), (x, y(bucket.highest.value)))
      before = (x, y(bucket.last))
    }
    let drawn = canvas.lines
    let decimals = decimals(low, high, series)
    let plot = drawn.indices.map { row in
      let edge = row == 0 ? high : row == drawn.count - 1 ? low : nil
      return label(edge.map { number($0, decimals) } ?? "", axis: charset.axis) + drawn[row]
    }
    return [title(series)] + plot
  }

  /// The title of a panel: the name with its unit, and the minimum, maximum and last value as far
  /// as they fit.
  private func title(_ series: NumberSeries) -> String {
    func written(_ name: String, _ value: Double?) -> String {
      "  \(name) \(number(value ?? 0, series.decimals))"
    }
    let (name, values) = (series.name, series.envelope)
    // The name may already end in the unit.
    let unit = series.unit.flatMap { name.hasSuffix(" \($0)") ? nil : " (\($0))" }
    return ColumnText.line(
      name + (unit ?? ""),
      details: written("min", values.range?.lowerBound) + written("max", values.range?.upperBound),
      end: written("last", values.last), columns: size.columns
    )
  }

  private func range(of buckets: [Envelope.Bucket]) -> (low: Double, high: Double) {
    let (lowest, highest) = (buckets.map(\.lowest.value).min(), buckets.map(\.highest.value).max())
    guard let low = lowest, let high = highest else {
      return (0, 1)
    }
    guard low == high else { return (low, high) }
    let room = max(abs(low) / 10, 1)
    return (low - room, high + room)
  }

  /// The number of decimals that distinguishes the ends, but no fewer than the values have.
  private func decimals(_ low: Double, _ high: Double, _ series: NumberSeries) -> Int {
    var decimals = series.decimals
    while decimals < 6, number(low, decimals) == number(high, decimals) { decimals += 1 }
    return decimals
  }

  private func number(_ value: Double, _ decimals: Int) -> String {
    DecodedValue.real(value, decimals: decimals).description
  }

  /// The label, right-aligned; a long one is cut at its end.
  private func label(_ text: String, axis: Character = " ") -> String {
    let width = Self.labelColumns - 1
    let cut = text.prefix(width)
    return String(repeating: " ", count: width - cut.count) + cut + String(axis)
  }

  // MARK: Markers

  private func markerRow(_ columns: Int) -> String {
    var row = [Character](repeating: " ", count: columns)
    for marker in state.markers {
      guard let column = column(of: marker.at, columns) else { continue }
      row[column] = marker.kind.letter
    }
    return label("") + String(row)
  }

  private func eventLines(_ most: Int) -> [String] {
    state.markers.suffix(most).map { "\(clock($0.at)) \($0.kind.letter)  \($0.text)" }
  }

  /// The note being typed, or else the keys and the status.
  private var bottomLine: String {
    if let (at, text) = state.typed {
      return "note at \(clock(PlotState.microseconds(at))): \(text)_"
    }
    var parts = state.hasKeys ? ["n: note, q: end"] : []
    if !state.status.isEmpty { parts.append(state.status) }
    if !state.unplotted.isEmpty {
      parts.append("\(counted(state.unplotted.count, "more field")): choose with --field")
    }
    return parts.joined(separator: "  ")
  }
}
