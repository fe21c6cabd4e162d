// A plot: the numbers of a series over a time axis, as SVG.

import Bluetooth

extension PageMarkup {
  /// The numbers of an envelope over a time axis; the line has a break where values are missing.
  ///
  /// The height of the line is that of `range`: the script of the page reads values from it.
  ///
  /// - Parameters:
  ///   - label: What it shows; markup.
  ///   - raw: All numbers, for the script of the page; nil where there are too many.
  static func plot(
    _ envelope: Envelope,
    gaps: [RecordedValues.Series.Gap],
    on axis: TimeAxis,
    label: String,
    raw: [Envelope.Point]? = nil
  ) -> String {
    guard let range = envelope.range else { return "" }
    let points = envelope.points
    let missing = gaps.map { gap in
      let (from, to) = (axis.share(gap.from), axis.share(gap.to))
      return
        "<rect class=\"gap\" x=\"\(place(from))\" y=\"0\""
        + " width=\"\(max(8, place(to) - place(from)))\""
        + " height=\"\(height)\"><title>\(text(gap.text))</title></rect>"
    }
    let line = "<path class=\"line\" d=\"\(path(points, range, gaps, axis))\"/>"
    let dots = points.count > 60 ? "" : "<path class=\"dots\" d=\"\(dots(points, range, axis))\"/>"
    return "<svg class=\"plot\" viewBox=\"0 0 \(width) \(height)\" preserveAspectRatio=\"none\""
      + " role=\"img\" aria-label=\"\(label)\" data-low=\"\(range.lowerBound)\""
      + " data-high=\"\(range.upperBound)\">\(missing.joined())\(line)\(dots)</svg>"
      + (raw.map { numbers($0) } ?? "")
  }

  /// Numbers as data for the script of the page: the times in microseconds, each since the last one,
  /// and the values.
  private static func numbers(_ points: [Envelope.Point]) -> String {
    let values = points.map { point in
      // Numbers of devices are mostly whole, and need no decimals then.
      Int64(exactly: point.value).map { "\($0)" } ?? "\(point.value)"
    }
    return
      "<script type=\"application/json\">{\"at\":[\(steps(points.map(\.at.wholeMicroseconds)))],"
      + "\"values\":[\(values.joined(separator: ","))]}</script>"
  }

  /// The size of a plot in units of its own; the page stretches it.
  private static let (width, height, margin) = (4_000, 1_000, 60)

  private static func path(
    _ points: [Envelope.Point],
    _ range: ClosedRange<Double>,
    _ gaps: [RecordedValues.Series.Gap],
    _ axis: TimeAxis
  ) -> String {
    var (path, last, rest) = ("", Duration.zero, gaps[...])
    for point in points {
      while let gap = rest.first, gap.from < last { rest = rest.dropFirst() }
      let isBroken = rest.first.map { $0.to <= point.at } ?? false
      path += path.isEmpty || isBroken ? "M" : "L"
      path += coordinates(point, range, axis)
      last = point.at
    }
    return path
  }

  private static func dots(
    _ points: [Envelope.Point],
    _ range: ClosedRange<Double>,
    _ axis: TimeAxis
  ) -> String {
    points.map { "M\(coordinates($0, range, axis))h0" }.joined()
  }

  private static func coordinates(
    _ point: Envelope.Point,
    _ range: ClosedRange<Double>,
    _ axis: TimeAxis
  ) -> String {
    // Half of each: the difference of two numbers may be more than there is.
    let span = range.upperBound / 2 - range.lowerBound / 2
    let share = span > 0 ? (point.value / 2 - range.lowerBound / 2) / span : 0.5
    let y = height - margin - Int((share * Double(height - 2 * margin)).rounded())
    return "\(place(axis.share(point.at))) \(y)"
  }

  private static func place(_ share: Double) -> Int { Int((share * Double(width)).rounded()) }
}
