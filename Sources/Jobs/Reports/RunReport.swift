// A report: events of runs in, lines out.

/// Turns events into lines, each without its line end. Pure: it writes nothing.
public protocol RunReport: Sendable {
  /// The lines for one event; none for events that the report leaves out.
  func lines(for event: RunEvent) -> [String]

  /// The lines for what happened in a batch beside its runs; none in a report that is of runs alone.
  func lines(for event: BatchEvent) -> [String]
}

extension RunReport {
  public func lines(for event: BatchEvent) -> [String] { [] }
}
