// A live plot as lines of text.
//
// A pure function of the state, the time, the size and the charset.

import Bluetooth
import Jobs

/// How large a picture may be, in cells of a terminal.
struct PlotSize: Equatable, Sendable {
  let columns: Int
  let rows: Int
}

/// Draws a plot: a panel for each series, one above the other, over one axis of time.
struct PlotPicture {
  /// The columns of the labels on the left, with the axis.
  private static let labelColumns = 10
  /// A title, and less than this of a plot is of no use.
  private static let leastPanelRows = 3
  /// The columns of a label on the axis of time, with a space.
  private static let tickColumns = 11

  private let state: PlotState
  private let now: Int
  private let size: PlotSize
  private let charset: PlotCharset

  /// - Parameter now: In microseconds since the start of the watch.
  init(of state: PlotState, at now: Int, size: PlotSize, _ charset: PlotCharset) {
    self.state = state
    self.now = now
    self.size = size
    self.charset = charset
  }

  /// The lines from the top; none is longer than the columns, and there are no more than the rows.
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
      // The first panels have the rows that are left over.
      let rows = room / shown.count + (index < room % shown.count ? 1 : 0)
      lines += panel(series, rows: rows, columns: width)
    }
    if shown.isEmpty { lines = Array(repeating: "", count: room) }
    return fitted(lines + [markerRow(width), timeRow(width)] + events + bottom)
  }

  private func fitted(_ lines: [String]) -> [String] {
    // The last lines are the ones that matter where there is too little room.
    lines.suffix(max(1, size.rows)).map { ColumnText($0).cut(to: size.columns) }
  }

  // MARK: Time

  /// What the columns show, from the left to the right edge.
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

  /// The distances of labels, in seconds.
  private static let steps = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400,
    172_800, 604_800, 2_592_000,
  ]

  /// The wall-clock time below the columns.
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

  /// `12:03:04`.
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

  /// The name with its unit, and the numbers, which are kept as long as there is room for them.
  private func title(_ series: NumberSeries) -> String {
    func written(_ name: String, _ value: Double?) -> String {
      "  \(name) \(number(value ?? 0, series.decimals))"
    }
    let (name, values) = (series.name, series.envelope)
    // The name of the field may be the unit.
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

  /// As many decimals as distinguish the ends, and no fewer than the values have.
  private func decimals(_ low: Double, _ high: Double, _ series: NumberSeries) -> Int {
    var decimals = series.decimals
    while decimals < 6, number(low, decimals) == number(high, decimals) { decimals += 1 }
    return decimals
  }

  private func number(_ value: Double, _ decimals: Int) -> String {
    DecodedValue.real(value, decimals: decimals).description
  }

  /// Right-aligned in the columns on the left; what is too long loses its end.
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

  /// The note that is being typed; or what is under way, and the keys.
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
