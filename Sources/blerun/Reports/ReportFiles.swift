// Reports into files, as a run goes on and when it is over.

import Jobs
import Signals

/// The files that a run or a batch is reported to.
///
/// All are made at the start, so that one that cannot be written is known before anything happens.
/// Those of whole runs are written at the end; of a batch that is run again and again they tell of
/// the last time.
final class ReportFiles: Sendable {
  private let files: [(content: ReportPath.Content, file: LineFile)]
  private let collector = Guarded(RunCollector())

  /// - Throws: ``Ending`` when a file cannot be made.
  init(_ paths: [ReportPath]) throws(Ending) {
    var files: [(content: ReportPath.Content, file: LineFile)] = []
    for report in paths {
      files.append((report.content, try LineFile(report.path)))
    }
    self.files = files
    for case (.lines(_, let header?), let file) in files { file.line(header) }
  }

  private var wantsWhole: Bool {
    files.contains { if case .whole = $0.content { true } else { false } }
  }

  /// Takes up what happened.
  @Sendable func hear(_ event: RunEvent) {
    for case (.lines(let report, _), let file) in files {
      for line in report.lines(for: event) { file.line(line) }
    }
    if wantsWhole { collector.withLock { $0.take(event) } }
  }

  /// Writes the reports of whole runs, and forgets these.
  func tellWhole() {
    let runs = collector.withLock { collector in
      defer { collector = RunCollector() }
      return collector.runs
    }
    guard !runs.isEmpty else { return }
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
    var isWritten = true
    for (_, file) in files {
      guard let failure = file.failure else { continue }
      StandardError.line("blerun: \(failure)")
      isWritten = false
    }
    return isWritten || status.isInterruption ? status : .output
  }
}

extension ExitStatus {
  /// Whether a signal ended the command, which goes before everything else.
  fileprivate var isInterruption: Bool { rawValue > 128 }
}
