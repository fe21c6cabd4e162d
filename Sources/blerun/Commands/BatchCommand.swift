// `blerun batch`: a chain on many devices.

import ArgumentParser
import BlueZ
import Bluetooth
import Documents
import Jobs
import Signals

/// Runs a chain on each device of a batch, and sums up.
struct BatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "batch",
    abstract: "Run a chain on many devices.",
    discussion: """
      The file names the chain and the devices: listed, in a table, or those that a scan finds; how \
      many chains run at once, what a failure means for the others, and when it all is run again. \
      Ends with 0 only if every device ended well, with 75 if every failure may pass, else with 1. \
      Ctrl-C ends the chains under way and disconnects; no further device begins.

        blerun batch batch.yaml --dry-run
        blerun batch batch.yaml --concurrency 4 --deadline 10m
        blerun batch batch.yaml --simulate Simulators/devices/thermometer.yaml --runs 3
      """
  )

  @Argument(help: "The batch file (YAML or JSON).")
  var file: String

  @OptionGroup var options: WorldOptions
  @OptionGroup var printing: ChainOutputOptions
  @OptionGroup var variables: VariableOptions
  @OptionGroup var reports: ReportOptions

  @Option(help: "How many chains run at once; it wins over the file's.")
  var concurrency: Int?

  @Option(help: "How long one run of the batch may take: 10m. It wins over the file's.")
  var deadline: DurationArgument?

  @Option(help: "How often the batch is run at most, where it has a schedule.")
  var runs: Int?

  @Flag(help: "Print the devices and what is run on each, and touch nothing.")
  var dryRun = false

  @Flag(help: "Print a line for each step, too.")
  var verbose = false

  func validate() throws {
    let most = BatchLimits().concurrency
    if let concurrency, !(1...most).contains(concurrency) {
      throw ValidationError("--concurrency \(concurrency): expected 1 to \(most).")
    }
    if let runs, runs < 1 { throw ValidationError("--runs \(runs): expected 1 or more.") }
  }

  func run() throws {
    let batch = try batch()
    let simulated = try options.simulatedDevices()
    if dryRun { return try printPlan(batch) }
    if batch.schedule != nil, runs == nil, !options.simulate.isEmpty, !options.realTime {
      throw Ending(.usage, "simulated time would never end: say how often with --runs")
    }
    if options.simulate.isEmpty, let first = batch.first {
      ChainCommand.warn(of: first.plan.writtenSecrets)
    }
    let reports = try ReportFiles(reports.files, printed: printing.output.whole)
    let world = try options.world(simulated)
    defer { world.end() }
    world.releaseOrphans()
    let running = RunningBatch(
      batch,
      in: world,
      adapter: options.adapterSelector,
      reports: reports,
      format: printing.output,
      tellsSteps: verbose
    )
    throw Ending(reports.end(running.run(most: runs)))
  }

  private func batch() throws(Ending) -> Batch {
    do {
      var batch = try Batch.load(path: file, with: variables.bindings)
      if let concurrency { batch.concurrency = concurrency }
      if let deadline { batch.deadline = deadline.duration }
      return batch
    } catch {
      throw Ending(wrongFiles: error.problems.map(\.description))
    }
  }

  private func printPlan(_ batch: Batch) throws {
    let output = StandardOutput()
    for line in batch.lines { output.line(line) }
    if let failure = output.failure { throw Ending(.output, "\(failure)") }
  }
}

extension Batch {
  /// A device of it, or one that might be found.
  var first: BatchDevice? {
    switch devices {
    case .listed(let devices): devices.first
    case .scanned(let scan): scan.example
    }
  }
}
