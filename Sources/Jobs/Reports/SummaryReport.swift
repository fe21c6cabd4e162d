// Whole runs for people: how many went well, what was slow, what failed and why.

import Bluetooth

/// A line of totals, the slowest steps, and the failures with cause and hint.
public struct SummaryReport: RunsReport {
  /// How many of the slowest steps are named.
  public static let slowestCount = 5

  /// How many of the devices that did not run are named.
  public static let notRunCount = 20

  private let notRun: [String]
  private let before: BatchCounts?

  /// - Parameters:
  ///   - notRun: The devices that were to run and did not begin.
  ///   - before: How others ended before, where a batch went on.
  public init(notRun: [String] = [], before: BatchCounts? = nil) {
    self.notRun = notRun
    self.before = before
  }

  public func text(on runs: [RecordedRun]) -> String {
    let parts = [totals(runs)] + earlier + Self.slowest(runs) + Self.failures(runs) + others
    return parts.joined(separator: "\n") + "\n"
  }

  /// `before: 7 ok, 1 failed`.
  private var earlier: [String] {
    guard let before, before.done > 0 else { return [] }
    return ["before: \(Self.list([(before.ok, "ok"), (before.failed, "failed")]))"]
  }

  private static func list(_ counts: [(Int, String)]) -> String {
    counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  /// `not run: Thermo-3, Thermo-4`.
  private var others: [String] {
    guard !notRun.isEmpty else { return [] }
    let more = notRun.count - Self.notRunCount
    let names = notRun.prefix(Self.notRunCount).joined(separator: ", ")
    return [TextReport.visible("not run: \(names)\(more > 0 ? " and \(more) more" : "")")]
  }

  /// `3 devices: 2 ok, 1 failed`.
  func totals(_ runs: [RecordedRun]) -> String {
    let failed = runs.count { $0.ending?.status == .failed }
    let cancelled = runs.count { $0.ending?.status == .cancelled }
    let unfinished = runs.count { $0.ending == nil }
    let parts = [
      (runs.count - failed - cancelled - unfinished, "ok"), (failed, "failed"),
      (cancelled, "cancelled"), (unfinished, "unfinished"), (notRun.count, "not run"),
    ]
    let all = runs.count + notRun.count
    let noun = runs.first?.kind.rawValue ?? "device"
    return "\(all) \(noun)\(all == 1 ? "" : "s"): \(Self.list(parts))"
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
        return TextReport.visible("  \(took) s  \(label)  \(step.title)")
      }
  }

  private static func failures(_ runs: [RecordedRun]) -> [String] {
    let failed = runs.filter { $0.ending?.failure != nil }
    guard !failed.isEmpty else { return [] }
    return ["failures:"]
      + failed.flatMap { run -> [String] in
        guard let ending = run.ending, let failure = ending.failure else { return [] }
        let place = ending.place.map { " at \($0)" } ?? ""
        let tries = run.attempt > 1 ? " after \(run.attempt) tries" : ""
        let head = "  \(run.label): \(ending.status.rawValue)\(place)\(tries)"
        return [TextReport.visible(head)] + TextReport.reasons(failure).map { "  \($0)" }
      }
  }
}
