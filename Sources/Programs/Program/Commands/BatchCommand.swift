// `blerun batch`: a chain on many devices.

package import ArgumentParser
import Bluetooth
import Documents
package import Jobs
import Journal
import Signals
import SimulatedDevices

package struct BatchCommand: WorldCommand {
  package static let configuration = CommandConfiguration(
    commandName: "batch",
    abstract: "Run a chain on many devices.",
    discussion: """
      The file names the chain and the devices: listed, in a table, or those that a scan finds; \
      how many chains run at once, what happens after a failure, and when the batch is repeated. \
      Ends with 0 only if every device succeeded, with 75 if every failure is transient, else \
      with 1. Ctrl-C ends the chains under way and disconnects; no further device begins.

        blerun batch batch.yaml --dry-run
        blerun batch batch.yaml --concurrency 4 --deadline 10m
        blerun batch batch.yaml --resume
        blerun batch batch.yaml --runs 3 \\
          --simulate Simulators/devices/thermometer.yaml
      """ + FleetBatchOptions.hint + RareOptions.hint("batch")
  )

  @Argument(help: "The batch file (YAML or JSON).", completion: .file())
  var file: String

  @Option(help: "How many chains run at once; it overrides the file's.")
  var concurrency: Int?

  @Option(time: "How long one run of the batch may take: 10m. It overrides the file's.")
  var deadline: Duration?

  @Option(time: "Default timeout per step: 10s, 500ms.")
  var timeout: Duration?

  @Option(help: "The maximum number of runs, with 'every'.")
  var runs: Int?

  @Flag(
    help:
      "Print the devices with their steps, with --resume only the remaining devices; touch nothing."
  )
  var dryRun = false

  @Flag(help: "Print a line for each step, too.")
  var eachStep = false

  @Option(
    help: .value(
      "sha256",
      "Let chains run the program with this SHA-256, as sha256sum prints it; repeat it for more."
    ),
    transform: digestArgument
  )
  var allowCommand: [String] = []

  @OptionGroup var resuming: ResumeOptions
  @OptionGroup var variables: VariableOptions
  @OptionGroup var naming: NamesOptions
  @OptionGroup var running: RunOptions
  @OptionGroup(visibility: CompanionProgram.fleet.visibility)
  package var onFleet: FleetBatchOptions
  @OptionGroup var metering: MetricsOptions
  @OptionGroup var journal: JournalOptions

  package var options: WorldOptions { running.world }

  package init() {}

  package func validate() throws {
    if onFleet.server.fleet != nil {
      let given = [
        ("--simulate", options.isSimulated), ("--runs", runs != nil),
        ("--resume with --detach", resuming.resume != nil && onFleet.detach),
        ("--choice", running.waiting.choosing.choice != nil),
      ]
      for (option, isGiven) in given where isGiven {
        throw ValidationError("\(option) is not for a batch on a fleet.")
      }
    }
    let most = PlanLimits().concurrency
    if let concurrency, !(1...most).contains(concurrency) {
      throw ValidationError("--concurrency \(concurrency): expected 1 to \(most).")
    }
    if let runs, runs < 1 { throw ValidationError("--runs \(runs): expected 1 or more.") }
    if resuming.resume != nil, runs != nil {
      throw ValidationError("--resume resumes one run of the batch: it takes no --runs.")
    }
    if resuming.resume != nil, journal.noJournal {
      throw ValidationError("--resume goes by the journal: it takes no --no-journal.")
    }
  }

  package func run() throws {
    guard onFleet.server.fleet == nil || dryRun else {
      // Reads the files, to report all their problems.
      _ = try batch()
      try CompanionProgram.fleet.replaceProcess(Array(ProcessArguments.all.dropFirst()))
    }
    try resuming.check(file)
    let batch = try batch()
    let simulated = try options.simulatedDevices()
    if dryRun { return try printPlan(batch) }
    let isOnce = batch.every == nil || resuming.resume != nil
    if !isOnce, runs == nil, options.isSimulated, !options.realTime {
      throw CommandExit(
        .usage, "a batch with 'every' never ends in simulated time: limit it with --runs"
      )
    }
    if batch.hasPlacement {
      StandardError.notice("'pin' and 'prefer' are for a fleet: without --fleet they are ignored")
    }
    try UserPrograms.check(batch.plans)
    if !options.isSimulated, let plan = batch.plans.first {
      Session.warn(of: plan.writtenSecrets)
    }
    throw CommandExit(try run(batch, simulated))
  }

  /// Connects to a fleet, and returns the function that creates the runner of the batch, or of its
  /// remaining devices.
  package typealias OpenFleet = (World, Batch, BatchResumption?) throws(CommandExit) ->
    MakeBatchRunning

  /// Runs the batch on a fleet.
  ///
  /// - Parameter open: Connects to the fleet, and returns the function that creates the runner.
  package func run(
    byFleet open: @escaping OpenFleet
  ) throws {
    let batch = try batch()
    guard batch.every == nil else {
      throw CommandExit(.usage, "a fleet runs a batch once: have a timer run the command instead")
    }
    throw CommandExit(try run(batch, ScenarioDefinition(), openFleet: open))
  }

  private func run(
    _ batch: Batch, _ simulated: ScenarioDefinition,
    openFleet: OpenFleet? = nil
  ) throws -> ExitStatus {
    try running.check(reading: [file], journal, metrics: metering.metrics)
    let kept = onFleet.detach ? nil : try openJournal()
    let decision = try decision(on: batch, kept)
    let reports = try ReportFiles(
      running.reports, printed: running.printing.output.whole,
      of: CommandRecord(.batch, name: batch.name, isSimulated: options.isSimulated)
    )
    var resumption: BatchResumption?
    switch decision {
    case nil: break
    case .goOn(let found):
      resumption = found
      if reports.wantsWhole {
        let earlier = try kept?.file.recordedRuns(
          found.run, completing: batch.completion(of: found.past)
        )
        reports.resume(earlier ?? [])
      }
    case .nothing(let reason):
      StandardError.notice(reason)
      if !options.isSimulated {
        let world = try World.real("ending")
        defer { world.end() }
        try world.releaseOrphans()
      }
      return reports.end(.ok, remark: reason)
    }
    return try reports.during { () throws(CommandExit) in
      let world =
        openFleet == nil
        ? try options.world(simulated, "ending", naming.bindKeys()) : World.withoutRadio("ending")
      defer { world.end() }
      let make = try openFleet?(world, batch, resumption)
      try world.releaseOrphans()
      if let resumption { StandardError.notice(resumption.notice) }
      let metrics = try metricsFile(of: batch, in: world)
      let path = Batch.wholePath(of: file)
      let writing = kept.map {
        BatchJournal(RunJournal($0, in: world), of: batch, at: path, resuming: resumption)
      }
      let running = RunningBatch(
        batch: batch, command: self, past: resumption?.past, world: world, journal: writing,
        reports: reports, metrics: metrics
      )
      var status = reports.end(running.run(by: make))
      status = writing?.runs.close(status) ?? status
      return metrics?.end(status) ?? status
    }
  }

  private func metricsFile(of batch: Batch, in world: World) throws(CommandExit) -> MetricsFile? {
    let name = batch.name ?? file.split(separator: "/").last.map(String.init) ?? file
    return try MetricsFile(metering, of: ("batch", name), on: world.loop)
  }

  /// Opens the journal. That of a resumed batch already exists.
  private func openJournal() throws -> OpenJournal? {
    let isSimulated = options.isSimulated
    guard resuming.resume != nil else { return try journal.open(isSimulated: isSimulated) }
    guard let path = try journal.path(isSimulated: isSimulated) else {
      throw CommandExit(.usage, "--resume goes by a journal: name it with --journal")
    }
    let file =
      dryRun
      ? try JournalFile(reading: path) : try JournalFile(existing: path, sync: journal.journalSync)
    return OpenJournal(file: file, options: journal)
  }

  private func decision(
    on batch: Batch, _ journal: OpenJournal?
  ) throws -> BatchResumption.Decision? {
    guard let resume = resuming.resume, let journal else { return nil }
    let wish = BatchResumption.Wish(
      run: resume.number, skipsFailed: resuming.skipFailed,
      runsUnknown: resuming.again || onFleet.server.fleet == nil, file: file, batch: batch,
      isSimulated: options.isSimulated
    )
    return try BatchResumption.find(wish, in: journal.file, looksOnly: dryRun)
  }

  private func batch() throws(CommandExit) -> Batch {
    let (bindings, names) = (variables.bindings, try naming.names())
    do {
      var batch = try Batch.load(path: file, with: bindings, names: names) {
        [running, timeout, allowCommand] plan in
        plan.link = running.applied(to: plan.link)
        if let timeout { plan.timeout = timeout }
        plan.allowedCommands = .digests(Set(allowCommand))
      }
      if let concurrency { batch.concurrency = concurrency }
      if let deadline { batch.deadline = deadline }
      return batch
    } catch {
      throw CommandExit(.data, error.problems(of: file, readAs: .batch))
    }
  }

  /// Prints what would run; of a resumed batch only the remaining devices.
  private func printPlan(_ batch: Batch) throws {
    var batch = batch
    if resuming.resume != nil {
      switch try decision(on: batch, openJournal()) {
      case nil: break
      case .goOn(let found):
        StandardError.notice(found.notice)
        batch = try batch.left(after: found.past)
      case .nothing(let reason): return StandardError.notice(reason)
      }
    }
    try StandardOutput.show(batch.lines)
  }
}

extension Batch {
  /// The chains of its devices. For the devices that a scan will find, there is only one.
  package var plans: [Plan] {
    switch devices {
    case .listed(let devices): devices.map(\.plan)
    case .scanned(let scan): [scan.example.plan]
    }
  }
}
