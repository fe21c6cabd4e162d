// Running several chain files one after another.

import Jobs
import Signals
import SimulatedDevices

/// A chain and its file.
struct ChainFile {
  let path: String
  let plan: Plan

  /// Whether the path or the name of the chain contains a text.
  func matches(_ text: String) -> Bool {
    [path, plan.name ?? ""].contains { $0.lowercased().contains(text.lowercased()) }
  }
}

extension SessionOptions {
  /// Runs chain files, each in its own world, and prints a summary.
  ///
  /// - Parameter failsFast: Whether the first failure ends the run.
  /// - Returns: The exit status of the first failure, or of a signal that ended the run.
  func run(
    _ files: [ChainFile], among simulated: ScenarioDefinition, failsFast: Bool
  ) throws(CommandExit) -> ExitStatus {
    let reports = try reportFiles(on: .files)
    let collector = Guarded(RunCollector(condenses: true))
    return try reports.during { () throws(CommandExit) in
      var left = files[...]
      var failed: ExitStatus?
      while let file = left.popFirst() {
        if format == .text { try StandardOutput.show([file.path]) }
        let plan = try ready(file.plan)
        let isAnnounced = left.count + 1 < files.count
        let session = try Session(self, for: plan, among: simulated, isAnnounced: isAnnounced)
        let status = session.end(
          session.run(plan, reports, of: file.path) { event in
            collector.withLock { $0.apply(event) }
          }
        )
        if status.isInterruption || status == .output {
          failed = status
          break
        }
        failed = failed ?? (status == .ok ? nil : status)
        if failed != nil, failsFast { break }
      }
      let notRun = left.map(\.path)
      let summary = FilesSummary(collector.withLock { $0.runs }, notRun: notRun)
      let status = reports.end(failed ?? .ok, notRun: notRun)
      switch format.lines {
      case .text:
        let isQuiet = StandardStreams.ofProcess.presentation.isQuiet
        if !isQuiet || status != .ok { try StandardOutput.show(summary.lines) }
      case .json: try StandardOutput.show([summary.json(status)])
      case nil: break
      }
      return status
    }
  }
}
