// Events as JSON, one object per line. The format is documented in docs/json.md.

/// One JSON object for each event.
public struct JSONLinesReport: RunReport {
  /// The version of the format: it changes when a key changes its meaning or is removed.
  public static let version = 1

  /// A report without settings.
  ///
  /// ```swift
  /// let json = JSONLinesReport()
  /// _ = try await plan.run(on: sensor) { event in json.lines(for: event).forEach { print($0) } }
  /// ```
  public init() {}

  public func lines(for event: RunEvent) -> [String] { [EventLine(event).text] }
}
