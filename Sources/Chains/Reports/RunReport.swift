// A report that converts events of runs to lines.

public import RunEvents

/// A report that converts events to lines without line ends. It prints and writes nothing.
public protocol RunReport: Sendable {
  /// Returns the lines for one event; empty if the report ignores it.
  ///
  /// ```swift
  /// let text = TextReport()
  /// _ = try await plan.run(on: sensor) { event in text.lines(for: event).forEach { print($0) } }
  /// ```
  func lines(for event: RunEvent) -> [String]

  /// Returns the lines for an event of a batch; empty in reports about runs.
  func lines(for event: BatchEvent) -> [String]
}

extension RunReport {
  public func lines(for event: BatchEvent) -> [String] { [] }
}
