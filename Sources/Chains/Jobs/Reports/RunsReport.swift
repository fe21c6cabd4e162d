// A report on finished runs, as one text.

/// Makes one text of finished runs. Pure: it writes nothing.
public protocol RunsReport: Sendable {
  /// Whether it shows the values of the runs, for which a collector keeps them.
  var showsValues: Bool { get }

  /// The text, with a line end at the end.
  ///
  /// - Parameters:
  ///   - runs: The runs, in the order in which they began; may be empty.
  ///   - whole: The results outside the runs; nil without any.
  func text(on runs: [RecordedRun], of whole: RecordedWhole?) -> String
}

extension RunsReport {
  /// Most reports show what the steps came to, and no single values.
  public var showsValues: Bool { false }

  /// The text of runs without other results.
  ///
  /// ```swift
  /// let report = try await plan.run(on: sensor)
  /// print(TAPReport().text(on: [report]))
  /// ```
  public func text(on runs: [RecordedRun]) -> String { text(on: runs, of: nil) }
}
