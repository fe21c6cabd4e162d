// The options for resuming an incomplete batch.

import ArgumentParser
import Glibc
import Jobs

/// `--resume` and the options for the devices that it skips.
struct ResumeOptions: ParsableArguments {
  /// The run to resume.
  struct Run: ExpressibleByArgument, CustomStringConvertible {
    /// The number of the run; nil for the latest one.
    var number: Int64?

    static let latest = Run()

    var description: String { number.map { "\($0)" } ?? "latest" }

    private init() {}

    init?(argument: String) {
      guard let number = Int64(argument), number > 0 else { return nil }
      self.number = number
    }
  }

  @Option(
    defaultAsFlag: .latest,
    help: .value(
      "run",
      """
      Resume the latest run of the batch, or the run of a number (see blerun history), where \
      it was killed, interrupted or failed: devices that succeeded are left out.
      """
    )
  )
  var resume: Run?

  @Flag(help: "With --resume: leave out the devices that failed, too.")
  var skipFailed = false

  @Flag(
    help:
      "With --resume on a fleet: also run devices again for which it is unknown what was written."
  )
  var again = false

  func validate() throws {
    if again, resume == nil { throw ValidationError("--again goes with --resume.") }
    if skipFailed, resume == nil { throw ValidationError("--skip-failed goes with --resume.") }
  }

  /// Checks that the run to resume can be found by the file of its batch, if no number is given.
  ///
  /// - Throws: ``CommandExit`` for a pipe such as `batch <(…)`, whose path does not identify it.
  func check(_ file: String) throws(CommandExit) {
    guard let resume, resume.number == nil else { return }
    var status = stat()
    // A missing file is reported by its reader.
    guard stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw CommandExit(
      .usage,
      "\(file): no regular file, and --resume finds the latest run of a batch by its file: save the "
        + "batch as one, or name the run (--resume 12; blerun history lists them)"
    )
  }
}
