// The two text formats of metrics, and the choice between them for a request or a file.
//
// MetricValues writes the text.

import RunEvents

/// A text format for metrics.
///
/// ```swift
/// let format = MetricsFormat(accept: "application/openmetrics-text; version=1.0.0")
/// print(format.contentType)
/// print(RunMetrics().text(as: format))
/// ```
public enum MetricsFormat: CaseIterable, Sendable {
  /// The text format of Prometheus, version 0.0.4, which the node exporter's textfile collector reads.
  case prometheus
  /// OpenMetrics 1.0: families of counters without `_total`, units, and an end.
  case openMetrics

  /// The value of `Content-Type`.
  public var contentType: String {
    switch self {
    case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
    case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
    }
  }

  /// The format of a file: OpenMetrics if its name ends in `.openmetrics`, otherwise that of Prometheus.
  ///
  /// - Parameter fileName: The name or the path of the file.
  public init(fileName: String) {
    self = fileName.hasSuffix(".openmetrics") ? .openMetrics : .prometheus
  }

  /// The format that a request prefers: OpenMetrics only if the request names it, with no lower
  /// quality than plain text; otherwise that of Prometheus.
  ///
  /// - Parameter accept: The value of `Accept`; empty without one. Parts that are invalid are ignored.
  /// - Source: RFC 9110 §12.5.1.
  public init(accept: String) {
    let ranges = accept.split(separator: ",").compactMap { MediaRange($0) }
    let openMetrics = ranges.filter { range in
      range.type == "application/openmetrics-text"
        && range.version.map { $0 == "1.0.0" } ?? true
    }
    let plain = ["text/plain", "text/*", "*/*"].lazy.compactMap { type in
      ranges.filter { $0.type == type && $0.version.map { $0 == "0.0.4" } ?? true }.map(\.quality)
        .max()
    }
    let quality = openMetrics.map(\.quality).max() ?? 0
    self = quality > 0 && quality >= (plain.first ?? 0) ? .openMetrics : .prometheus
  }

  /// A media range of `Accept` with the parameters that matter here.
  private struct MediaRange {
    let type: String
    var version: String?
    var quality = 1.0

    /// - Returns: Nil if the quality is not a number from 0 to 1.
    init?(_ text: Substring) {
      let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
      type = parts[0].lowercased()
      for part in parts.dropFirst() {
        let sides = part.split(separator: "=", maxSplits: 1).map(Self.trimmed)
        guard sides.count == 2 else { continue }
        let value = sides[1].filter { $0 != "\"" }
        switch sides[0].lowercased() {
        case "version": version = value
        case "q":
          guard let number = Double(value), (0...1).contains(number) else { return nil }
          quality = number
        default: continue
        }
      }
    }

    private static func trimmed(_ text: Substring) -> String {
      let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
      guard let last = text.lastIndex(where: { !isBlank($0) }) else { return "" }
      return String(text[...last].drop(while: isBlank))
    }
  }
}
