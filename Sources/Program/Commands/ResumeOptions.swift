// Resuming a batch that did not complete.

import ArgumentParser
import Glibc
import Jobs
import Journal

/// `--resume`, and what it leaves out.
struct ResumeOptions: ParsableArguments {
  /// Which run is resumed.
  enum Run: ExpressibleByArgument {
    case latest
    case number(Int64)

    init?(argument: String) {
      guard let number = Int64(argument), number > 0 else { return nil }
      self = .number(number)
    }

    var number: Int64? { if case .number(let number) = self { number } else { nil } }
  }

  @Option(
    defaultAsFlag: .latest,
    help: ArgumentHelp(
      """
      Resume the latest run of the batch, or the run of a number (see blerun history), where \
      it was killed, interrupted or failed: devices that succeeded are left out.
      """,
      valueName: "run"
    )
  )
  var resume: Run?

  @Flag(help: "With --resume: leave out the devices that failed, too.")
  var skipFailed = false

  func validate() throws {
    if skipFailed, resume == nil { throw ValidationError("--skip-failed goes with --resume.") }
  }

  /// Sees that a batch can be found again by its file, where no run is named.
  ///
  /// - Throws: ``Ending`` for a pipe, which has no path of its own: `batch <(…)`.
  func check(_ file: String) throws(Ending) {
    guard case .latest = resume else { return }
    var status = stat()
    // A missing file is reported by its reader.
    guard stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw Ending(
      .usage,
      "\(file): no regular file, and --resume finds the latest run of a batch by its file: save the "
        + "batch as one, or name the run (--resume 12; blerun history lists them)"
    )
  }

  /// The decision, from the options and the journal.
  ///
  /// - Parameters:
  ///   - path: The whole path of the batch's file.
  ///   - looksOnly: Whether nothing is to be touched.
  /// - Throws: ``Ending`` when the journal cannot be read.
  func decide(
    _ file: JournalFile,
    _ wish: BatchResumption.Wish,
    at path: String,
    looksOnly: Bool
  ) throws(Ending) -> BatchResumption.Decision {
    try reading { () throws(JournalFailure) in
      let run =
        if let number = wish.run { try file.run(number) } else {
          try file.lastRun(ofBatch: path)
        }
      guard let run, run.isSimulated, run.batch != nil else { return try decide(file, wish, run) }
      let taken = BatchResumption.Decision.refused(
        Ending(.passing, "run \(run.run) is under way, in another process")
      )
      guard !looksOnly else {
        return RunLock.isTaken(run.run, of: file.path) ? taken : try decide(file, wish, run)
      }
      switch RunLock.attempt(run.run, of: file.path) {
      case .taken: return taken
      case .failed(let reason):
        let place = RunLock.path(journal: file.path, run: run.run)
        return .refused(Ending(.output, "\(place): it cannot be locked: \(reason)"))
      case .held(let lock):
        // Who had it a moment ago may have ended it.
        let decision = try decide(file, wish, try file.run(run.run))
        guard case .goOn(var resumption) = decision else {
          lock.remove()
          return decision
        }
        resumption.lock = lock
        return .goOn(resumption)
      }
    }
  }

  private func decide(
    _ file: JournalFile,
    _ wish: BatchResumption.Wish,
    _ run: RunSummary?
  ) throws(JournalFailure) -> BatchResumption.Decision {
    let finished = try run.map { run throws(JournalFailure) in
      try file.finishedDevices(of: run.run)
    }
    return BatchResumption.decide(wish, run, finished ?? []) {
      ProcessIdentity($0)?.isThere ?? false
    }
  }
}
