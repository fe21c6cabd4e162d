// A report on finished runs as one text.

import RunEvents

/// A report that converts finished runs to one text. It prints and writes nothing.
public protocol RunsReport: Sendable {
  /// Whether the report shows values; a collector then keeps them.
  var showsValues: Bool { get }

  /// Returns the text, with a final newline.
  ///
  /// - Parameters:
  ///   - runs: The runs, in the order in which they began; may be empty.
  ///   - whole: The results outside the runs; nil if there are none.
  func text(on runs: [RecordedRun], of whole: CommandRecord?) -> String
}

extension RunsReport {
  /// False: most reports show the outcomes of steps, but no single values.
  public var showsValues: Bool { false }

  /// Returns the text of runs without other results.
  ///
  /// ```swift
  /// let report = try await plan.run(on: sensor)
  /// print(TAPReport().text(on: [report]))
  /// ```
  public func text(on runs: [RecordedRun]) -> String { text(on: runs, of: nil) }
}
