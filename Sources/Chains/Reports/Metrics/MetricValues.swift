// The values of metrics, and their text in the formats of Prometheus and OpenMetrics.
//
// It does not know runs: RunMetrics decides what is counted.

import RunEvents

/// Counters, gauges and histograms, by the values of their labels.
struct MetricValues: Equatable, Sendable {
  /// The numbers for one combination of label values.
  private struct Series: Equatable, Sendable {
    var value = 0.0
    /// For a histogram, the number of observations in each bucket, and in total.
    var bounded: [Int] = []
    var count = 0
  }

  private typealias Label = (name: String, value: String)

  private var series: [Metric: [[String]: Series]] = [:]

  /// Adds to a counter or a gauge.
  ///
  /// - Parameter labels: The values of the metric's labels, in their order.
  mutating func add(_ amount: Double = 1, to metric: Metric, _ labels: String...) {
    change(metric, labels) { $0.value += amount }
  }

  mutating func set(_ metric: Metric, to value: Double) {
    change(metric, []) { $0.value = value }
  }

  /// Adds an observation to a histogram.
  mutating func observe(_ duration: Duration, in metric: Metric, _ labels: String...) {
    guard case .histogram(let bounds) = metric.description.kind else { return }
    let seconds = duration / .seconds(1)
    change(metric, labels) { series in
      if series.bounded.isEmpty { series.bounded = bounds.map { _ in 0 } }
      for (index, bound) in bounds.enumerated() where seconds <= bound {
        series.bounded[index] += 1
      }
      series.count += 1
      series.value += seconds
    }
  }

  private mutating func change(
    _ metric: Metric, _ labels: [String], _ body: (inout Series) -> Void
  ) {
    body(&series[metric, default: [:]][labels, default: Series()])
  }

  /// The text in a format, without metrics that have no values.
  ///
  /// - Parameters:
  ///   - format: The format.
  ///   - constant: Labels added before those of each series.
  /// - Source: OpenMetrics 1.0, and the exposition formats of Prometheus.
  func text(
    as format: MetricsFormat = .prometheus, _ constant: KeyValuePairs<String, String> = [:]
  ) -> String {
    let constant: [Label] = constant.map { (name: $0.key, value: $0.value) }
    var text = ""
    for metric in Metric.allCases {
      guard let series = series[metric] else { continue }
      let description = metric.description
      text += Self.header(of: description, as: format)
      let sorted = series.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      for (values, series) in sorted {
        let labels =
          constant + zip(description.labels, values).map { (name: $0, value: $1) }
        switch description.kind {
        case .counter, .gauge: text += Self.line(description.fullName, labels, series.value)
        case .histogram(let bounds):
          text += Self.lines(description.fullName, labels, bounds, series, as: format)
        }
      }
    }
    switch format {
    case .prometheus: return text
    case .openMetrics: return text + "# EOF\n"
    }
  }

  /// The lines before the samples of a metric.
  private static func header(of metric: Metric.Description, as format: MetricsFormat) -> String {
    let family = metric.family(in: format)
    let type = "# TYPE \(family) \(metric.kind.word)\n"
    switch format {
    case .prometheus:
      // A quote is not escaped in the help of this format.
      return "# HELP \(family) \(escaped(metric.help, quotes: false))\n" + type
    case .openMetrics:
      let unit = metric.unit.map { "# UNIT \(family) \($0)\n" } ?? ""
      return type + unit + "# HELP \(family) \(escaped(metric.help, quotes: true))\n"
    }
  }

  private static func lines(
    _ name: String, _ labels: [Label], _ bounds: [Double], _ series: Series,
    as format: MetricsFormat
  ) -> String {
    let bounded = zip(bounds, series.bounded).map { bound, count in
      line(
        "\(name)_bucket", labels + [(name: "le", value: Self.bound(bound, format))], Double(count))
    }
    return bounded.joined()
      + line("\(name)_bucket", labels + [(name: "le", value: "+Inf")], Double(series.count))
      + line("\(name)_sum", labels, series.value)
      + line("\(name)_count", labels, Double(series.count))
  }

  private static func line(_ name: String, _ labels: [Label], _ value: Double) -> String {
    let written = labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
    let list = written.isEmpty ? "" : "{\(written.joined(separator: ","))}"
    return "\(name)\(list) \(number(value))\n"
  }

  /// The number, without a fraction if it is whole.
  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map(String.init) ?? "\(value)"
  }

  /// The bound of a bucket as the value of its label. OpenMetrics compares it as text: `1.0`, not `1`.
  private static func bound(_ value: Double, _ format: MetricsFormat) -> String {
    switch format {
    case .prometheus: number(value)
    case .openMetrics: "\(value)"
    }
  }

  /// Escapes the value of a label or a help text; names of devices and batches may contain any character.
  ///
  /// No line feed is left: `printable` replaces it by its code.
  private static func escaped(_ value: String, quotes: Bool) -> String {
    // Unicode scalars, not characters: a quote with a combining mark would be one character and
    // stay unescaped.
    value.printable.unicodeScalars.reduce(into: "") { text, scalar in
      if scalar == "\\" || quotes && scalar == "\"" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
  }
}
