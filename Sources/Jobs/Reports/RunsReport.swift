// A report on runs that are over, as one text.

/// Makes one text of whole runs. Pure: it writes nothing.
public protocol RunsReport: Sendable {
  /// The text, with a line end at its end.
  ///
  /// - Parameter runs: In the order in which they began; at least one.
  func text(on runs: [RecordedRun]) -> String
}
