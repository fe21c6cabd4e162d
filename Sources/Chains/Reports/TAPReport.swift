// Runs in the Test Anything Protocol, which `prove` and many harnesses read.

import Bluetooth
import Documents
import RunEvents

/// A report with one test point for each device or test, and its steps as a subtest.
///
/// A device that did not run is skipped. A failure outside the devices is a separate test point. A
/// failed step has its reasons as a YAML block; a `when` whose condition did not hold is skipped.
///
/// - Source: TAP version 14.
public struct TAPReport: RunsReport {
  public init() {}

  public func text(on runs: [RecordedRun], of whole: CommandRecord?) -> String {
    let others = Self.points(of: whole, from: runs.count + 1)
    let count = runs.count + others.count
    let reason = whole?.remark.map { " # SKIP \($0.printable)" } ?? ""
    var lines = ["TAP version 14", "1..\(count)\(count == 0 ? reason : "")"]
    for (index, run) in runs.enumerated() {
      lines.append("# Subtest: \(Self.plain(run.label))")
      lines += Self.points(of: run).map { "    \($0)" }
      let isOK = run.ending?.status == .ok
      lines.append("\(isOK ? "ok" : "not ok") \(index + 1) - \(Self.plain(run.label))")
      if !isOK, let failure = run.ending?.failure { lines += Self.block(failure) }
    }
    return (lines + others.joined()).joined(separator: "\n") + "\n"
  }

  /// The test points of devices that did not run, which are skipped, and of a failure outside the
  /// runs.
  private static func points(of whole: CommandRecord?, from first: Int) -> [[String]] {
    guard let whole else { return [] }
    let skipped = whole.notRun.enumerated().map { index, label in
      let reason = whole.whyNotRun.printable
      return ["ok \(first + index) - \(plain(label)) # SKIP \(reason)"]
    }
    guard let failure = whole.failure else { return skipped }
    let number = first + skipped.count
    return skipped + [["not ok \(number) - \(whole.title)"] + block(failure)]
  }

  private static func points(of run: RecordedRun) -> [String] {
    var lines: [String] = []
    for (index, step) in run.cases.enumerated() {
      let skip = step.skipped.map { " # SKIP \($0.printable)" } ?? ""
      lines.append("\(step.succeeded ? "ok" : "not ok") \(index + 1) - \(plain(step.title))\(skip)")
      if !step.succeeded, let failure = step.failure { lines += block(failure) }
      lines += step.remarks.map { "# \($0.printable)" }
    }
    lines += run.otherReasons.map { "# before: \($0)" }
    if run.leftOut > 0 { lines.append("# \(run.leftOut) more steps succeeded") }
    return lines + ["1..\(run.cases.count)"]
  }

  private static func block(_ failure: RunFailure) -> [String] {
    var members = [("code", failure.code.rawValue), ("class", failure.class.rawValue)]
    members += [("what", failure.what), ("why", failure.why)]
    if let place = failure.source { members.append(("where", "\(place)")) }
    if let bluez = failure.bluez { members.append(("bluez", "\(bluez)")) }
    if !failure.hint.isEmpty { members.append(("try", failure.hint)) }
    let block = WrittenNode.mapping(members.map { .part(.init($0, .quoted($1)), remark: nil) })
    return ["  ---"] + block.lines.map { "  \($0)" } + ["  ..."]
  }

  /// The description on one line, with directives escaped.
  private static func plain(_ text: String) -> String {
    // Unicode scalars, not characters: `#` with a combining mark would be one character and stay
    // unescaped.
    text.printable.unicodeScalars.reduce(into: "") { plain, scalar in
      if scalar == "#" || scalar == "\\" { plain.append("\\") }
      plain.unicodeScalars.append(scalar)
    }
  }
}
