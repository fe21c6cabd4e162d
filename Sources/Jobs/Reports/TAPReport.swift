// The Test Anything Protocol, which `prove` and many harnesses read.

import Bluetooth

/// One test point for each device or test, its steps as a subtest.
///
/// A step that failed carries its reasons as a YAML block; a `when` whose condition did not hold is
/// skipped.
///
/// - Source: TAP version 14.
public struct TAPReport: RunsReport {
  public init() {}

  public func text(on runs: [RecordedRun]) -> String {
    var lines = ["TAP version 14", "1..\(runs.count)"]
    for (index, run) in runs.enumerated() {
      lines.append("# Subtest: \(Self.plain(run.label))")
      lines += Self.points(of: run).map { "    \($0)" }
      let isWell = run.ending?.status == .ok
      lines.append("\(isWell ? "ok" : "not ok") \(index + 1) - \(Self.plain(run.label))")
      if !isWell, let failure = run.ending?.failure { lines += Self.block(failure) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func points(of run: RecordedRun) -> [String] {
    var lines: [String] = []
    for (index, step) in run.steps.enumerated() {
      let skip = step.skipped.map { " # SKIP \(TextReport.visible($0))" } ?? ""
      lines.append("\(step.isWell ? "ok" : "not ok") \(index + 1) - \(plain(step.title))\(skip)")
      if !step.isWell, let failure = step.failure { lines += block(failure) }
      lines += step.remarks.map { "# \(TextReport.visible($0))" }
    }
    if run.leftOut > 0 { lines.append("# \(run.leftOut) more steps went well") }
    return lines + ["1..\(run.steps.count)"]
  }

  private static func block(_ failure: RunFailure) -> [String] {
    var members = [("code", failure.code.rawValue), ("class", failure.class.rawValue)]
    members += [("what", failure.what), ("why", failure.why)]
    if let bluez = failure.bluez { members.append(("bluez", "\(bluez)")) }
    if !failure.hint.isEmpty { members.append(("try", failure.hint)) }
    // A text of JSON is one of YAML.
    let lines = members.map { "  \($0): \(JSONValue.string($1).text)" }
    return ["  ---"] + lines + ["  ..."]
  }

  /// A description on one line, in which nothing is taken for a directive.
  private static func plain(_ text: String) -> String {
    TextReport.visible(text).reduce(into: "") { plain, character in
      if character == "#" || character == "\\" { plain.append("\\") }
      plain.append(character)
    }
  }
}
