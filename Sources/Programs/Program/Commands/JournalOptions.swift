// The options for the journal of a command.

public import ArgumentParser
import Jobs
public import Journal

/// The options for the journal of a run.
package struct JournalOptions: ParsableArguments {
  /// The consequence if the journal cannot be written.
  enum Need: String, ExpressibleByArgument, CaseIterable {
    /// The run ends, with status 74.
    case required
    /// The run continues, and a message reports it.
    case optional
  }

  @Option(
    file: "The journal (real runs: $XDG_STATE_HOME/blerun/journal.sqlite; simulated ones: none)."
  )
  var journal: String?

  @Flag(help: "Write no journal.")
  var noJournal = false

  @Option(
    help: ArgumentHelp(
      """
      When the journal cannot be written: required ends the run with status 74, optional reports it \
      and goes on. Required is usual where --journal names one.
      """,
      visibility: RareOptions.visibility
    )
  )
  var journalNeed: Need?

  @Option(
    help: ArgumentHelp(
      """
      What a result that was reported survives: normal the end of the program, full loss of \
      power too; relaxed as normal, with results up to half a second late.
      """,
      visibility: RareOptions.visibility
    )
  )
  var journalSync: JournalFile.Sync = .normal

  @Option(
    age: "After the run, delete runs that are older: 90d.", visibility: RareOptions.visibility
  )
  var journalAge: Duration?

  @Option(
    help: .value(
      "size",
      "After the run, delete the oldest runs until the journal is at most this large: 500M.",
      visibility: RareOptions.visibility
    ),
    transform: sizeArgument
  )
  var journalSize: Int?

  @Option(
    age: "After the run, delete values that are older, and keep their runs: 30d.",
    visibility: RareOptions.visibility
  )
  var journalValuesAge: Duration?

  var need: Need { journalNeed ?? (journal == nil ? .optional : .required) }

  /// Returns the file of the journal; nil if none is written.
  func path(isSimulated: Bool) throws(CommandExit) -> String? {
    if noJournal { return nil }
    if let journal { return journal }
    if isSimulated, journalNeed != .required { return nil }
    if !isSimulated, let path = UserFolder.journal { return path }
    let reason =
      isSimulated
      ? "simulated runs have none without --journal FILE"
      : "no place for the journal is known: neither XDG_STATE_HOME nor HOME is set"
    if need == .required { throw CommandExit(isSimulated ? .usage : .output, reason) }
    StandardError.notice(reason)
    return nil
  }

  package init() {}

  package func validate() throws {
    if journal == "" { throw ValidationError("--journal '': expected the name of a file.") }
    if noJournal, journal != nil || journalNeed == .required {
      throw ValidationError("--no-journal, or a journal: not both.")
    }
  }
}

extension JournalFile.Sync: ExpressibleByArgument {}
