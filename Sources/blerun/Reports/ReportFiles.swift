// Reports into files, and whole ones to standard output, as a run goes on and when it is over.

import Jobs
import NordicSuites
import Signals

/// The files that a run, a batch or a suite is reported to, and the report that is printed in the end.
///
/// All are made at the start, so that one that cannot be written is known before anything happens.
/// Those of whole runs are written at the end; of a batch that is run again and again they tell of
/// the last time.
final class ReportFiles: Sendable {
  private let files: [(content: ReportPath.Content, file: LineFile)]
  private let printed: (any RunsReport)?
  /// What is printed in the end.
  private let text = Guarded<String?>(nil)
  private let collector = Guarded(RunCollector())
  /// What hears a suite, where it is one: its tests, and for each file of lines its report.
  private let tests: Guarded<SuiteCollector>?
  private let suiteLines: [(report: any SuiteReport, file: LineFile)]

  /// - Parameters:
  ///   - printed: What is printed to standard output in the end, where that is a whole report.
  ///   - suite: The suite that is run; nil for chains.
  /// - Throws: ``Ending`` when a file cannot be made.
  init(
    _ paths: [ReportPath],
    printed: (any RunsReport)? = nil,
    suite: SuiteDevices? = nil
  ) throws(Ending) {
    self.printed = printed
    var files: [(content: ReportPath.Content, file: LineFile)] = []
    for report in paths {
      files.append((report.content, try LineFile(report.path)))
    }
    self.files = files
    tests = suite.map { Guarded(SuiteCollector($0)) }
    suiteLines = files.compactMap { content, file in
      guard let suite, case .lines(_, let report, _) = content else { return nil }
      return (report(suite), file)
    }
    for case (.lines(_, _, let header?), let file) in files { file.line(header) }
  }

  private var wantsWhole: Bool {
    printed != nil || files.contains { if case .whole = $0.content { true } else { false } }
  }

  /// Takes up what happened.
  @Sendable func hear(_ event: RunEvent) {
    for case (.lines(let report, _, _), let file) in files {
      for line in report.lines(for: event) { file.line(line) }
    }
    if wantsWhole { collector.withLock { $0.take(event) } }
  }

  /// Takes up what happened in the suite.
  func hear(_ event: SuiteEvent) {
    for (report, file) in suiteLines {
      for line in report.lines(for: event) { file.line(line) }
    }
    if wantsWhole { tests?.withLock { $0.take(event) } }
  }

  /// Writes the reports of whole runs, and forgets these.
  func tellWhole() {
    let chains = collector.withLock { collector in
      defer { collector = RunCollector() }
      return collector.runs
    }
    let runs = tests?.withLock { $0.runs } ?? chains
    guard !runs.isEmpty else { return }
    if let printed { text.withLock { $0 = printed.text(on: runs) } }
    for case (.whole(let report), let file) in files {
      file.replace(with: report.text(on: runs))
    }
  }

  /// Writes what is written at the end.
  ///
  /// - Parameter status: What the command would end with.
  /// - Returns: What it ends with: that of output that failed where a file could not be written.
  func end(_ status: ExitStatus) -> ExitStatus {
    tellWhole()
    var isWritten = tellPrinted()
    for (_, file) in files {
      guard let failure = file.failure else { continue }
      StandardError.line("blerun: \(failure)")
      isWritten = false
    }
    return isWritten || status.isInterruption ? status : .output
  }

  /// Prints what is printed in the end; false when that cannot be.
  private func tellPrinted() -> Bool {
    guard let text = text.withLock({ $0 }) else { return true }
    let output = StandardOutput()
    output.line(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    guard let failure = output.failure else { return true }
    StandardError.line("blerun: \(failure)")
    return false
  }
}

extension ExitStatus {
  /// Whether a signal ended the command, which goes before everything else.
  fileprivate var isInterruption: Bool { rawValue > 128 }
}
