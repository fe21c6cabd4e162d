// Lanes over a common time axis, as SVG: bars, and plots of numbers.
//
// Their content is also in tables, for readers who cannot see the drawings.

import RunEvents

extension PageMarkup {
  /// A row of a figure, with a name at the side.
  struct Lane {
    /// The name with details, as markup.
    let name: String
    /// An `svg` element as wide as the axis, as markup.
    let drawing: String
  }

  /// The pattern that fills failed bars.
  static let hatch = """
    <svg class="patterns" width="0" height="0" aria-hidden="true"><defs>\
    <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" \
    patternTransform="rotate(45)">\
    <rect class="base" width="6" height="6"/><rect class="stripe" width="2" height="6"/></pattern>\
    </defs></svg>
    """

  /// Lanes over a common time axis, with one cursor that the script of the page moves.
  ///
  /// - Parameter title: The title of the figure, as markup.
  static func figure(_ title: String, _ axis: TimeAxis, _ lanes: [Lane]) -> [String] {
    let rows = [Lane(name: "Time", drawing: ticks(of: axis))] + lanes
    return ["<figure class=\"lanes\" \(axis.data)>", "<figcaption>\(title)</figcaption>"]
      + rows.map { "<div class=\"lane\"><div class=\"name\">\($0.name)</div>\($0.drawing)</div>" }
      + ["</figure>"]
  }

  static func ticks(of axis: TimeAxis) -> String {
    let ticks = axis.ticks.map { tick in
      let x = axis.percent(tick.at)
      let anchor = axis.share(tick.at) > 0.9 ? " class=\"last\"" : ""
      return "<g><line x1=\"\(x)\" x2=\"\(x)\" y1=\"12\" y2=\"16\"/>"
        + "<text x=\"\(x)\" y=\"10\"\(anchor)>\(tick.label)</text></g>"
    }
    return "<svg class=\"axis\" height=\"16\" aria-hidden=\"true\">\(ticks.joined())</svg>"
  }

  // MARK: Bars

  /// Rows of bars, one below the other; wide bars have their title inside, if they are named.
  ///
  /// - Parameter noun: The noun for one bar.
  static func bars(
    _ rows: [[LaneBar]], on axis: TimeAxis, noun: String, areNamed: Bool = true
  ) -> String {
    let drawn = rows.enumerated().flatMap { row, bars in
      LaneBar.merged(bars, on: axis).map { bar in
        let drawing = drawing(of: bar, on: axis, y: 20 * row + 2, isNamed: areNamed, noun)
        return bar.anchor.map { "<a href=\"#\($0)\" tabindex=\"-1\">\(drawing)</a>" } ?? drawing
      }
    }
    return "<svg class=\"bars\" height=\"\(20 * max(1, rows.count) + 2)\" aria-hidden=\"true\">"
      + "\(drawn.joined())</svg>"
  }

  /// The share of the width from which a bar has its title inside.
  private static let namedWidth = 0.08
  /// The smallest visible share of the width.
  private static let leastWidth = 0.0015

  private static func drawing(
    of bar: LaneBar, on axis: TimeAxis, y: Int, isNamed: Bool, _ noun: String
  ) -> String {
    let share = axis.share(bar.to) - axis.share(bar.from)
    let (x, width) = (axis.percent(bar.from), TimeAxis.percent(max(share, leastWidth)))
    let several = bar.count == 1 ? "" : "\(counted(bar.count, noun)), the first: "
    let title = "\(several)\(text(bar.title)), \(TextReport.milliseconds(bar.to - bar.from)) s"
    let place = "x=\"\(x)\" width=\"\(width)\""
    let rect =
      "<rect class=\"\(bar.kind.rawValue)\" \(place) y=\"\(y)\" height=\"18\">"
      + "<title>\(title)</title></rect>"
    if share >= namedWidth, isNamed, bar.count == 1 {
      return rect + "<svg \(place)><text x=\"5\" y=\"\(y + 13)\">\(text(bar.title))</text></svg>"
    }
    guard let sign = bar.kind.sign, share < namedWidth else { return rect }
    // At the end of the axis the sign would be cut off.
    let isLast = axis.share(bar.from) > 0.97
    let mark = isLast ? "class=\"mark last\" x=\"100%\"" : "class=\"mark\" x=\"\(x)\""
    return rect + "<text \(mark) y=\"\(y + 13)\">\(sign)</text>"
  }

  // MARK: Plots

  /// The size of a plot in its own units; the page stretches it.
  private static let (width, height, margin) = (4_000, 1_000, 60)

  /// The plot of an envelope over a time axis; the line breaks where values are missing.
  ///
  /// The line fills the height of its range, because the script of the page reads values from it.
  ///
  /// - Parameters:
  ///   - marks: Marks, in the order of their times.
  ///   - label: The label, as markup.
  static func plot(
    _ envelope: Envelope, marks: [RunMark], on axis: TimeAxis, label: String
  ) -> String {
    guard let range = envelope.range else { return "" }
    func place(_ time: Duration) -> Int { Int((axis.share(time) * Double(width)).rounded()) }
    // Halved first: the difference of two large numbers may overflow.
    let span = range.upperBound / 2 - range.lowerBound / 2
    let points = envelope.points.map { point -> (at: Duration, written: String) in
      let share = span > 0 ? (point.value / 2 - range.lowerBound / 2) / span : 0.5
      let y = height - margin - Int((share * Double(height - 2 * margin)).rounded())
      return (point.at, "\(place(point.at)) \(y)")
    }
    var (line, last, gaps) = ("", Duration.zero, marks.filter { $0.kind == .gap }[...])
    for point in points {
      while let gap = gaps.first, gap.from < last { gaps = gaps.dropFirst() }
      let isBroken = gaps.first.map { $0.to <= point.at } ?? false
      line += (line.isEmpty || isBroken ? "M" : "L") + point.written
      last = point.at
    }
    let dots = points.count > 60 ? "" : points.map { "M\($0.written)h0" }.joined()
    let marked = marks.map { mark in
      let (x, title) = (place(mark.from), "<title>\(text(mark.text))</title>")
      return mark.kind == .gap
        ? "<rect class=\"gap\" x=\"\(x)\" y=\"0\" width=\"\(max(8, place(mark.to) - x))\""
          + " height=\"\(height)\">\(title)</rect>"
        : "<path class=\"\(mark.kind.rawValue)\" d=\"M\(x) 0V\(height)\">\(title)</path>"
    }
    return "<svg class=\"plot\" viewBox=\"0 0 \(width) \(height)\" preserveAspectRatio=\"none\""
      + " role=\"img\" aria-label=\"\(label)\" data-low=\"\(range.lowerBound)\""
      + " data-high=\"\(range.upperBound)\">\(marked.joined())<path class=\"line\" d=\"\(line)\"/>"
      + "<path class=\"dots\" d=\"\(dots)\"/></svg>"
  }
}
