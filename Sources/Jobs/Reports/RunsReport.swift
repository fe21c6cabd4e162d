// A report on runs that are over, as one text.

/// Makes one text of whole runs. Pure: it writes nothing.
public protocol RunsReport: Sendable {
  /// The text, with a line end at its end.
  ///
  /// - Parameters:
  ///   - runs: In the order in which they began; there may be none.
  ///   - whole: What is known beside them; nil for nothing.
  func text(on runs: [RecordedRun], of whole: RecordedWhole?) -> String
}

extension RunsReport {
  /// The text of runs beside which nothing is known.
  public func text(on runs: [RecordedRun]) -> String { text(on: runs, of: nil) }
}
