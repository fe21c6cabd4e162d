// Several chain files, one after the other.

import Jobs
import Signals
import SimulatedDevices

/// A chain and the file that it is from.
struct ChainFile {
  let path: String
  let plan: Plan

  /// Whether a text is part of its path or of its name.
  func matches(_ text: String) -> Bool {
    [path, plan.name ?? ""].contains { $0.lowercased().contains(text.lowercased()) }
  }
}

/// Runs chain files, each in a world of its own, and sums up.
struct RunningFiles {
  let files: [ChainFile]
  let options: RequestedWorld
  let format: ChainOutputOptions.Output
  let journal: JournalOptions
  let reports: RequestedReports
  /// Whether nothing is run after the first failure.
  let failsFast: Bool

  /// Runs them all.
  ///
  /// - Returns: The status of the first failure; that of a signal, if one ended them.
  func run(_ simulated: ScenarioDefinition) throws(Ending) -> ExitStatus {
    let whole = RecordedWhole(.files).simulated(options.isSimulated)
    let reports = try ReportFiles(reports, printed: format.whole, of: whole)
    let collector = Guarded(RunCollector(condenses: true))
    return try reports.during { () throws(Ending) in
      var left = files[...]
      var failed: ExitStatus?
      var isFirst = true
      while let file = left.popFirst() {
        let place = ChainCommand.Place(file: file.path, isFirst: isFirst) { event in
          collector.withLock { $0.take(event) }
        }
        if format == .text { try StandardOutput.show([file.path]) }
        let status = try ChainCommand.run(
          file.plan,
          simulated,
          options,
          format,
          journalOptions: journal,
          into: reports,
          at: place
        )
        isFirst = false
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
      switch format {
      case .text:
        let isQuiet = StandardStreams.ofProcess.presentation.isQuiet
        if !isQuiet || status != .ok { try StandardOutput.show(summary.lines) }
      case .json: try StandardOutput.show([summary.json(status)])
      case .junit, .tap: break
      }
      return status
    }
  }
}
