// The values of metrics, and their text for Prometheus.
//
// It does not know runs: RunMetrics decides what is counted.

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

  /// The text format of Prometheus, version 0.0.4, without metrics that have no values.
  ///
  /// - Parameter constant: Labels added before those of each series.
  func text(_ constant: KeyValuePairs<String, String> = [:]) -> String {
    let constant: [Label] = constant.map { (name: $0.key, value: $0.value) }
    var text = ""
    for metric in Metric.allCases {
      guard let series = series[metric] else { continue }
      let description = metric.description
      let name = description.fullName
      text += "# HELP \(name) \(description.help)\n# TYPE \(name) \(description.kind.word)\n"
      let sorted = series.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      for (values, series) in sorted {
        let labels =
          constant + zip(description.labels, values).map { (name: $0, value: $1) }
        switch description.kind {
        case .counter, .gauge: text += Self.line(name, labels, series.value)
        case .histogram(let bounds): text += Self.lines(name, labels, bounds, series)
        }
      }
    }
    return text
  }

  private static func lines(
    _ name: String, _ labels: [Label], _ bounds: [Double], _ series: Series
  ) -> String {
    let bounded = zip(bounds, series.bounded).map { bound, count in
      line("\(name)_bucket", labels + [(name: "le", value: number(bound))], Double(count))
    }
    return bounded.joined()
      + line("\(name)_bucket", labels + [(name: "le", value: "+Inf")], Double(series.count))
      + line("\(name)_sum", labels, series.value)
      + line("\(name)_count", labels, Double(series.count))
  }

  private static func line(_ name: String, _ labels: [Label], _ value: Double) -> String {
    let written = labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",")
    return name + (written.isEmpty ? "" : "{\(written)}") + " \(number(value))\n"
  }

  /// The number, without a fraction if it is whole.
  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map(String.init) ?? "\(value)"
  }

  /// Escapes the value of a label; names of devices and batches may contain any character.
  private static func escaped(_ value: String) -> String {
    // Unicode scalars, not characters: a quote with a combining mark would be one character and
    // stay unescaped.
    value.printable.unicodeScalars.reduce(into: "") { text, scalar in
      if scalar == "\\" || scalar == "\"" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
  }
}
