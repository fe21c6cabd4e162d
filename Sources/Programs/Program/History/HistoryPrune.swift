// `blerun history prune` and `check`: maintenance of the journal.

import ArgumentParser
import Jobs
import Journal
import Signals

struct HistoryPrune: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Delete old runs from the journal.",
    discussion: """
      Deletes whole runs, the oldest first, and returns their space to the disk. A run under way \
      is kept. With --values-older-than only values are deleted: their runs, results and minutes \
      are kept.
      """
  )

  @OptionGroup var options: HistoryOptions

  @Option(age: "Runs that ended longer ago: 90d, 12h.")
  var olderThan: Duration?

  @Option(
    help: .value("size", "The oldest runs, until the rest takes at most this: 500M."),
    transform: sizeArgument
  )
  var maxSize: Int?

  @Option(age: "Values of runs that are kept: 30d.")
  var valuesOlderThan: Duration?

  func validate() throws {
    if olderThan == nil, maxSize == nil, valuesOlderThan == nil {
      throw ValidationError(
        "Missing limit (expected --older-than, --max-size, --values-older-than, or several)."
      )
    }
  }

  func run() throws {
    let file = try options.journal.open(forWriting: true)
    let loop = EventLoop()
    let now = loop.wallClockAtStart
    let retention = Retention(
      from: olderThan.map { Timestamp.text(now - $0) }, mostOctets: maxSize,
      valuesFrom: valuesOlderThan.map { Timestamp.text(now - $0) }
    )
    let pruned = try file.prune(retention, isUnderWay: RunOwner.isThere)
    file.close()
    switch options.printing.output {
    case .text:
      let values = pruned.values > 0 ? " and \(counted(pruned.values, "value"))" : ""
      let runs = counted(pruned.runs.count, "run")
      try StandardOutput.show(["\(runs)\(values) deleted, \(pruned.octets) bytes"])
    case .json:
      let line = EventLine(
        "pruned", ["runs": pruned.runs, "values": pruned.values, "octets": pruned.octets]
      )
      try StandardOutput.show([line.text])
    }
  }
}

struct HistoryCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the journal for damage.",
    discussion: """
      Checks every page, the references between tables, and each record against its checksum. \
      Records that are missing without a trace are not found.
      """
  )

  @OptionGroup var options: HistoryOptions

  func run() throws {
    let file = try options.journal.open()
    let check = try file.check()
    let problems = check.problems
    let incomplete = problems.isEmpty ? try file.incompleteRuns() : []
    let output = StandardOutput()
    switch options.printing.output {
    case .text:
      for line in problems.isEmpty ? ["\(file.path): ok"] : problems { output.line(line) }
      if !check.unchecked.isEmpty {
        let runs = counted(check.unchecked.count, "run")
        output.line("without checksums: \(runs) that an earlier version recorded")
      }
      for (run, lost) in incomplete {
        output.line("run \(run) is incomplete: \(lost) of its records could not be written")
      }
    case .json:
      let line = EventLine(
        "check",
        [
          "whole": problems.isEmpty, "complaints": problems,
          "incomplete": incomplete.map(\.run), "unchecked": check.unchecked,
        ]
      )
      output.line(line.text)
    }
    try output.end()
    if !problems.isEmpty {
      throw JournalFailure(.damaged, path: file.path, reason: "see above")
    }
  }
}
