// A summary of finished runs: totals, the slowest steps, and the failures.

import Bluetooth
import RunEvents

/// A report with a line of totals, the slowest steps, and the failures with cause and hint.
public struct SummaryReport: RunsReport {
  /// The number of slowest steps that are named.
  public static let slowestCount = 5

  /// The maximum number of devices named that did not run.
  public static let notRunCount = 20

  public init() {}

  public func text(on runs: [RecordedRun], of whole: CommandRecord?) -> String {
    let parts =
      [Self.totals(runs, whole)] + Self.earlier(whole) + Self.slowest(runs)
      + Self.failures(runs, whole) + Self.others(whole)
    return parts.joined(separator: "\n") + "\n"
  }

  /// The outcomes before the batch was resumed: `before: 7 ok, 1 failed`.
  private static func earlier(_ whole: CommandRecord?) -> [String] {
    guard let before = whole?.before, before.done > 0 else { return [] }
    return ["before: \(list([(before.ok, "ok"), (before.failed, "failed")]))"]
  }

  private static func list(_ counts: [(Int, String)]) -> String {
    counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  /// The devices that did not run: `not run: Thermo-3, Thermo-4`.
  package static func others(_ whole: CommandRecord?) -> [String] {
    guard let notRun = whole?.notRun, !notRun.isEmpty else { return [] }
    let more = notRun.count - notRunCount
    let names = notRun.prefix(notRunCount).joined(separator: ", ")
    return ["not run: \(names)\(more > 0 ? " and \(more) more" : "")".printable]
  }

  /// The totals: `3 devices: 2 ok, 1 failed, 4 warnings`.
  static func totals(_ runs: [RecordedRun], _ whole: CommandRecord?) -> String {
    let notRun = whole?.notRun ?? []
    let failed = runs.count { $0.ending?.status == .failed }
    let apart = EndsApart(runs.compactMap(\.ending))
    let cancelled = runs.count { $0.ending?.status == .cancelled }
    let unfinished = runs.count { $0.ending == nil }
    let parts = [
      (runs.count - failed - cancelled - unfinished, "ok"), (failed, "failed\(apart.text)"),
      (cancelled, "cancelled"), (unfinished, "unfinished"), (notRun.count, "not run"),
    ]
    let all = runs.count + notRun.count
    let noun = runs.first?.kind.rawValue ?? "device"
    guard all > 0 else { return "no \(noun) was run" }
    return "\(counted(all, noun)): \(list(parts))\(TextReport.warnings(runs.warnings))"
  }

  private static func slowest(_ runs: [RecordedRun]) -> [String] {
    let steps = runs.flatMap { run in run.slowest(slowestCount).map { (run.label, $0) } }
    let ordered = steps.enumerated().sorted {
      ($1.element.1.took, $0.offset) < ($0.element.1.took, $1.offset)
    }
    let named = ordered.prefix(slowestCount).map(\.element).filter { $0.1.took > .zero }
    guard !named.isEmpty else { return [] }
    return ["slowest steps:"]
      + named.map { label, step in
        let took = TextReport.milliseconds(step.took)
        return "  \(took) s  \(label)  \(step.title)".printable
      }
  }

  private static func failures(_ runs: [RecordedRun], _ whole: CommandRecord?) -> [String] {
    let failed = runs.filter { $0.ending?.failure != nil }
    let own = whole?.failure.map { failure in
      ["  \(whole?.title ?? "")"] + TextReport.reasons(failure).map { "  \($0)" }
    }
    guard !failed.isEmpty || own != nil else { return [] }
    return ["failures:"] + (own ?? [])
      + failed.flatMap { run -> [String] in
        guard let ending = run.ending, let failure = ending.failure else { return [] }
        let place = ending.step.map { " at \($0.place)" } ?? ""
        let tries = run.attempt > 1 ? " after \(run.attempt) tries" : ""
        let head = "  \(run.label): \(ending.status.rawValue)\(place)\(tries)"
        let notes = run.steps.last { $0.position == ending.step?.position }?.remarks ?? []
        let earlier = run.otherReasons.map { "     before \($0)" }
        return [head.printable] + TextReport.reasons(failure).map { "  \($0)" }
          + notes.map { "     note   \($0)".printable } + earlier
      }
  }
}
