// A report: events of runs in, lines out.

/// Turns events into lines, each without its line end. Pure: it writes nothing.
public protocol RunReport: Sendable {
  /// The lines for one event; empty for events that the report ignores.
  ///
  /// ```swift
  /// let text = TextReport()
  /// _ = try await plan.run(on: sensor) { event in text.lines(for: event).forEach { print($0) } }
  /// ```
  func lines(for event: RunEvent) -> [String]

  /// The lines for an event of a batch; empty in reports about runs.
  func lines(for event: BatchEvent) -> [String]
}

extension RunReport {
  public func lines(for event: BatchEvent) -> [String] { [] }
}
