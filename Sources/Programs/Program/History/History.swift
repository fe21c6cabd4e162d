// `blerun history`: the results of earlier runs, from the journal.

import ArgumentParser
import Jobs
import Journal
import Signals

struct History: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List, show and export the runs in the journal.",
    discussion: """
      Every real run records its results, each step before the next one begins; simulated \
      runs do with --journal FILE. See docs/journal.md.

        blerun history
        blerun history --since 7d
        blerun history summary --since 2026-01-31
        blerun history show
        blerun history show 12
        blerun history export 12 --format csv > run-12.csv
        blerun history values HRM-1 heart-rate-measurement \\
          --since 24h --bucket 1m
        blerun history prune --older-than 90d
      """,
    subcommands: [
      HistoryList.self, HistorySummary.self, HistoryShow.self, HistoryExport.self,
      HistoryValues.self, HistoryPrune.self, HistoryCheck.self,
    ],
    defaultSubcommand: HistoryList.self
  )
}

/// The option that selects the journal.
struct JournalArgument: ParsableArguments {
  @Option(file: "The journal ($XDG_STATE_HOME/blerun/journal.sqlite).")
  var journal: String?

  func open(forWriting isWriting: Bool = false) throws -> JournalFile {
    guard let path = journal ?? UserFolder.journal else {
      throw CommandExit(.usage, "no journal is known: name one with --journal")
    }
    return isWriting ? try JournalFile(existing: path) : try JournalFile(reading: path)
  }
}

/// The options for the journal and the output.
struct HistoryOptions: ParsableArguments {
  @OptionGroup var journal: JournalArgument
  @OptionGroup var printing: OutputOptions
}

/// The options that select runs.
struct RunSelection: ParsableArguments {
  /// The earliest start of the selected runs.
  enum Start: Equatable {
    /// A time before now.
    case age(Duration)
    /// The start of a day, in UTC.
    case day(Duration)
  }

  @Option(name: [.short, .long], help: "Only runs with this device, as they named it.")
  var device: String?

  @Option(
    help: .value(
      "start", "Only runs that began since then: 7d, 12h, or a date such as 2026-01-31."),
    transform: Self.start
  )
  var since: Start?

  /// Parses `7d` or `2026-01-31`.
  static func start(_ argument: String) throws -> Start {
    let day = "\(argument)T00:00:00.000000Z"
    if let time = Timestamp.time(day) {
      // An impossible day such as February 30 is parsed as a day of the next month, so it is
      // compared.
      guard Timestamp.text(time) == day else {
        throw ValidationError("there is no day \(argument)")
      }
      return .day(time)
    }
    guard let age = try? Duration.ageArgument(argument) else {
      throw ValidationError("expected an age such as 7d or 12h, or a date such as 2026-01-31")
    }
    return .age(age)
  }

  /// The selected runs of a journal, the latest first.
  func runs(in file: JournalFile, most: Int = .max) throws(JournalFailure) -> [RunSummary] {
    let start: Duration? =
      switch since {
      case .age(let age): EventLoop().wallClockAtStart - age
      case .day(let time): time
      case nil: nil
      }
    return try file.runs(of: device, since: start.map { Timestamp.text($0) }, most: most)
  }
}

struct HistoryList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the runs, the latest first."
  )

  @OptionGroup var options: HistoryOptions
  @OptionGroup var selection: RunSelection

  @Option(help: "How many at most.")
  var most = 20

  func run() throws {
    let file = try options.journal.open()
    let runs = try selection.runs(in: file, most: max(0, most))
    switch options.printing.output {
    case .json: try StandardOutput.show(runs.map(\.json))
    case .text:
      let head = ["run", "started", "device", "chain", "state", "steps", "values"]
      try StandardOutput.show(TextTable(head, runs.map(\.columns)).lines)
    }
  }
}

struct HistoryShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a run: its plan and the result of each step."
  )

  @OptionGroup var options: HistoryOptions

  @Option(
    name: .customLong("report"),
    file:
      "Write the run as a report, too: \(ReportPath.names(onlyWhole: true)); repeat it for more."
  )
  var reports: [ReportPath] = []

  @Argument(help: "The number of the run, as list has it; by default the latest run.")
  var number: Int64?

  func run() throws {
    let file = try options.journal.open()
    let output = StandardOutput()
    let found = if let number { try file.run(number) } else { try file.runs(most: 1).first }
    guard let run = found else {
      throw number.map { CommandExit.noRun($0) } ?? CommandExit(.failed, "the journal has no run")
    }
    switch options.printing.output {
    case .json:
      output.line(run.json)
      _ = try file.exportJSON(run.run) { output.line($0) }
    case .text:
      let table = run.batch?.table(run.chains) ?? []
      // Failures come before the plan, which in a batch has a part for each device.
      for line in run.headLines + (table.isEmpty ? run.planLines : [""] + table) {
        output.line(line)
      }
      for chain in run.lastChains where table.isEmpty || chain.status != "ok" {
        let steps = try file.steps(of: chain.chain, run: run.run)
        let earlier = run.earlierChains(of: chain.device).map(\.earlierLine)
        for line in chain.headLines(in: run) + earlier + steps.map(\.line) { output.line(line) }
      }
      for line in table.isEmpty ? [] : run.planLines { output.line(line) }
    }
    try writeReports(of: file, run)
    try output.end()
  }

  private func writeReports(of file: JournalFile, _ run: RunSummary) throws {
    guard !reports.isEmpty else { return }
    let runs = try file.recordedRuns(run.run) ?? []
    var whole = try file.recordedWhole(run.run, of: runs) ?? CommandRecord(.run)
    whole.isSimulated = run.isSimulated
    for path in reports {
      guard case .whole(let report) = path.content else {
        throw CommandExit(
          .usage,
          "--report \(path.path): a recorded run is reported in \(ReportPath.names(onlyWhole: true)); "
            + "blerun history export prints its lines"
        )
      }
      let written = try WholeFile(path.path)
      written.replace(with: PrintableText(lines: report.text(on: runs, of: whole)))
      if let failure = written.failure { throw CommandExit(.output, failure) }
    }
  }
}
