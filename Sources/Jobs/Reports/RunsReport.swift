// A report on finished runs, as one text.

/// Makes one text of finished runs. Pure: it writes nothing.
public protocol RunsReport: Sendable {
  /// The text, with a line end at the end.
  ///
  /// - Parameters:
  ///   - runs: The runs, in the order in which they began; may be empty.
  ///   - whole: The results outside the runs; nil without any.
  func text(on runs: [RecordedRun], of whole: RecordedWhole?) -> String
}

extension RunsReport {
  /// The text of runs without other results.
  public func text(on runs: [RecordedRun]) -> String { text(on: runs, of: nil) }
}
