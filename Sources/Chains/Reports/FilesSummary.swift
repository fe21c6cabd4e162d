// The summary of several chain files, as test runners print it.

import Bluetooth
import Documents
public import RunEvents

/// The number of files that passed, and the failure of each that did not.
public struct FilesSummary: Equatable, Sendable {
  private let runs: [RecordedRun]
  private let notRun: [String]

  /// Creates a summary of runs.
  ///
  /// ```swift
  /// let reports = [try await plan.run(on: sensor)]
  /// print(FilesSummary(reports, notRun: ["attic.yaml"]).lines.joined(separator: "\n"))
  /// ```
  ///
  /// - Parameters:
  ///   - runs: The runs, in order.
  ///   - notRun: The files that did not begin.
  public init(_ runs: [RecordedRun], notRun: [String]) {
    self.runs = runs
    self.notRun = notRun
  }

  private var failed: [RecordedRun] { runs.filter { !$0.succeeded } }

  /// The totals, `3 passed, 1 failed, 2 warnings`, then a line for each file that failed or did not
  /// run.
  public var lines: [String] {
    let counts = [
      (runs.count - failed.count, "passed"), (failed.count, "failed"), (notRun.count, "not run"),
    ]
    let total = counts.filter { $0.0 > 0 || $0.1 == "passed" }.map { "\($0.0) \($0.1)" }
    return [total.joined(separator: ", ") + TextReport.warnings(runs.warnings)]
      + failed.map { Self.line($0).printable }
      + notRun.map { "  not run  \($0)".printable }
  }

  /// The line of a failed file: `  failed   belt.yaml:4:5  step 1: reading battery-level: expected
  /// percent >= 90, got 87 %`.
  private static func line(_ run: RecordedRun) -> String {
    let ending = run.ending
    let failure = ending?.failure
    let place = failure?.source.map { "\($0)" } ?? run.label
    let name = run.start.chain.map { "  \($0)" } ?? ""
    let step = ending?.step.map { "  \($0.place)" } ?? ""
    return "  failed   \(place)\(name)\(step)" + (failure.map { ": \($0.message)" } ?? "")
  }

  /// The last JSON object of the output.
  public func json(_ status: ExitStatus) -> String {
    let members: KeyValuePairs<String, any JSONWritable> = [
      "status": failed.isEmpty && notRun.isEmpty ? "ok" : "failed", "exitStatus": status.rawValue,
      "passed": runs.count - failed.count, "failed": failed.count, "notRun": notRun.count,
    ]
    let warnings = runs.warnings > 0 ? [JSONValue.Member("warnings", runs.warnings.json)] : []
    return EventLine("files-finished", members, and: warnings).text
  }
}
