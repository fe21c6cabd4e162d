// A report of suites: events in, lines out.

/// Turns events into lines, each without its line end. Pure: it writes nothing.
public protocol SuiteReport: Sendable {
  /// The lines for one event; none for events that the report leaves out.
  func lines(for event: SuiteEvent) -> [String]
}
