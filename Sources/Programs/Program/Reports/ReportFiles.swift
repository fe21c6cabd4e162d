// Writes reports to files during and after a run, and a complete report to standard output.

import Bluetooth
import Jobs
import Signals

/// The report files of a run, a batch or a suite, and the report printed at the end.
///
/// All files are opened at the start, so that an unwritable one fails before the first run.
/// Complete reports are written at the end, even after a failure. For a repeated batch they
/// describe the last failed round, or else the last one.
final class ReportFiles: Sendable {
  private struct State {
    var collector: RunCollector
    /// The report to print at the end.
    var text: String?
    /// Whether every written round succeeded; nil before the first.
    var hasSucceeded: Bool?
  }

  private let whole: CommandRecord
  private let lineFiles: [(report: any RunReport, file: LineFile)]
  private let wholeFiles: [(report: any RunsReport, file: WholeFile)]
  private let printed: (any RunsReport)?
  private let isOnlyOnFailure: Bool
  /// An empty collector, from which each round starts.
  private let collector: RunCollector
  private let state: Guarded<State>

  /// - Parameter printed: The complete report for standard output; nil if lines are printed
  ///   instead.
  init(
    _ options: ReportOptions?, printed: (any RunsReport)? = nil, of whole: CommandRecord
  ) throws(CommandExit) {
    let paths = options?.files ?? []
    isOnlyOnFailure = options?.reportOn == .failure
    self.printed = printed
    self.whole = whole
    var wholeFiles: [(report: any RunsReport, file: WholeFile)] = []
    for path in paths {
      guard case .whole(let report) = path.content else { continue }
      wholeFiles.append((report, try WholeFile(path.path)))
    }
    self.wholeFiles = wholeFiles
    var lineFiles: [(report: any RunReport, file: LineFile)] = []
    for path in paths {
      guard case .lines(let report, let header) = path.content else { continue }
      let file = try LineFile(path.path, isKeptLater: isOnlyOnFailure)
      if let header { file.line(header) }
      lineFiles.append((report, file))
    }
    self.lineFiles = lineFiles
    collector = RunCollector(
      of: whole,
      keepsValues: printed?.showsValues == true || wholeFiles.contains { $0.report.showsValues }
    )
    state = Guarded(State(collector: collector))
  }

  /// Whether any report needs complete runs.
  var wantsWhole: Bool { printed != nil || !wholeFiles.isEmpty }

  /// Adds the runs before the interruption to the report of a resumed batch.
  func resume(_ earlier: [RecordedRun]) {
    let keepsValues =
      printed?.showsValues == true || wholeFiles.contains { $0.report.showsValues }
    state.withLock {
      $0.collector = RunCollector(of: whole, keepsValues: keepsValues, resuming: earlier)
    }
  }

  // MARK: Events

  private func write(_ lines: (any RunReport) -> [String]) {
    for (report, file) in lineFiles {
      for line in lines(report) { file.line(line) }
    }
  }

  @Sendable func receive(_ event: RunEvent) {
    write { $0.lines(for: event) }
    if wantsWhole { state.withLock { $0.collector.apply(event) } }
  }

  /// Reports an event of the batch; at the end of a round, writes its complete reports.
  func receive(_ event: BatchEvent) {
    write { $0.lines(for: event) }
    guard wantsWhole else { return }
    state.withLock { $0.collector.apply(event) }
    if case .finished = event.change { write(removeCollected()) }
  }

  // MARK: Complete reports

  /// Removes and returns the collected runs.
  private func removeCollected() -> (runs: [RecordedRun], whole: CommandRecord) {
    let collector = state.withLock { state in
      defer { state.collector = self.collector }
      return state.collector
    }
    return (collector.runs, collector.whole ?? whole)
  }

  private func write(
    _ round: (runs: [RecordedRun], whole: CommandRecord), _ status: ExitStatus = .ok
  ) {
    let isOK = round.whole.succeeded && round.runs.allSatisfy { $0.ending?.status == .ok }
    let isKept = state.withLock { state in
      defer { state.hasSucceeded = state.hasSucceeded == false ? false : isOK }
      return state.hasSucceeded == false && isOK
    }
    guard !isKept else { return }
    if let printed {
      let text = printed.text(on: round.runs, of: round.whole)
      state.withLock { $0.text = text }
    }
    if isOnlyOnFailure, isOK, status == .ok { return }
    for (report, file) in wholeFiles {
      file.replace(with: PrintableText(lines: report.text(on: round.runs, of: round.whole)))
    }
  }

  // MARK: The end

  /// Writes the final reports.
  ///
  /// - Parameters:
  ///   - remark: The reason that there was nothing to do.
  ///   - notRun: The names of files that did not begin.
  /// - Returns: `status`, or ``ExitStatus/output`` if a file could not be written and no signal
  ///   ended the command.
  func end(_ status: ExitStatus, remark: String? = nil, notRun: [String] = []) -> ExitStatus {
    var left = removeCollected()
    if !notRun.isEmpty { left.whole.notRun = notRun }
    if let remark { left.whole.remark = remark }
    if left.runs.isEmpty, state.withLock({ $0.hasSucceeded == nil }) {
      if status != .ok, left.whole.failure == nil {
        left.whole.failure = RunFailure(status, of: whole)
      }
      write(left, status)
    } else if !left.runs.isEmpty {
      write(left, status)
    }
    let isOK = status == .ok && state.withLock { $0.hasSucceeded != false }
    let isWritten = close(keepsFiles: !isOnlyOnFailure || !isOK)
    return isWritten || status.isInterruption ? status : .output
  }

  /// Runs the setup before the first run; its failure appears in the reports.
  func during<Value>(_ body: () throws(CommandExit) -> Value) throws(CommandExit) -> Value {
    do {
      return try body()
    } catch {
      var left = removeCollected()
      left.whole.failure = left.whole.failure ?? RunFailure(error, of: whole)
      write(left)
      _ = close(keepsFiles: true)
      throw error
    }
  }

  /// Closes the files and prints the final report.
  ///
  /// - Parameter keepsFiles: Whether to keep the files; false removes them with `--report-on
  ///   failure` after a success.
  /// - Returns: Whether everything was written.
  private func close(keepsFiles: Bool) -> Bool {
    for (_, file) in lineFiles { file.finish(isKept: keepsFiles) }
    if !keepsFiles { for (_, file) in wholeFiles { file.removeIfNew() } }
    let failures =
      [writePrinted()] + wholeFiles.map(\.file.failure) + lineFiles.map(\.file.failure)
    for failure in failures.compactMap(\.self) { StandardError.failure("\(failure)") }
    return failures.allSatisfy { $0 == nil }
  }

  /// Prints the final report; returns the reason if that fails.
  private func writePrinted() -> String? {
    guard let text = state.withLock({ $0.text }) else { return nil }
    let output = StandardOutput(.ofEvents)
    output.lines(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    return output.finish().map { "\($0)" }
  }
}

extension ExitStatus {
  /// Whether a signal ended the command; its status then takes precedence over all others.
  var isInterruption: Bool { rawValue > 128 }
}

extension RunFailure {
  /// Creates the failure of a command that ended with a status before anything ran.
  fileprivate init(_ status: ExitStatus, of whole: CommandRecord) {
    let signal = status.isInterruption ? status.rawValue - 128 : nil
    self.init(
      code: signal == nil ? .cancelled : .interrupted, class: .definite,
      what: "running the \(whole.kind.rawValue)",
      why: signal.map { "signal \($0) ended it before anything was run" }
        ?? "it ended with status \(status.rawValue) before anything was run",
      signal: signal
    )
  }

  /// Creates the failure of a command that could not begin.
  fileprivate init(_ ending: CommandExit, of whole: CommandRecord) {
    let `class`: FailureClass =
      switch ending.status {
      case .passing: .passing
      case .unavailable: .unavailable
      // open: exit statuses, of which other commands have their own
      default: .definite
      }
    self.init(
      code: .unknown, class: `class`, what: "beginning the \(whole.kind.rawValue)",
      why: ending.messages.joined(separator: "; ")
    )
  }
}
