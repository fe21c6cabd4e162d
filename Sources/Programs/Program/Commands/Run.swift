// `blerun run`: runs a chain on one device.

import ArgumentParser
import Documents
import Jobs
import NordicSuites
import Signals
import SimulatedDevices

struct Run: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a chain of operations on a device.",
    discussion: """
      Connects, does the steps, and disconnects, however the chain ends. Ctrl-C ends the chain and \
      disconnects; a second Ctrl-C exits at once. -d overrides the device that the file names.

        blerun run chain.yaml -d "Thermo*"
        blerun run -d Lamp -e 'read battery-level; sleep 1s'
        blerun run chain.yaml \\
          --simulate Simulators/devices/thermometer.yaml
        blerun run smoke.yaml checks --fail-fast -d "Thermo*"
        blerun run suite.xml -E ADDRESS C0:FF:EE:00:00:01
      """ + RareOptions.hint("run")
  )

  @OptionGroup var chain: PlanOptions

  @Flag(help: "Print the plan and touch nothing.")
  var dryRun = false

  @Flag(help: "With several files, stop after the first that fails.")
  var failFast = false

  @Option(
    help: .value(
      "text", "Run only the files whose path or chain name contains this text, in any case."
    )
  )
  var filter: String?

  @Flag(
    help:
      "Warn, instead of failing, of operations of an nRF Connect suite that this host cannot perform."
  )
  var warnUnsupported = false

  @OptionGroup var running: RunOptions
  @OptionGroup var recording: TraceOption
  @OptionGroup var suites: SuiteOptions
  @OptionGroup var journal: JournalOptions

  var options: WorldOptions { running.world }

  func validate() throws {
    try recording.check(isSimulated: options.isSimulated)
    if filter?.isEmpty == true {
      throw ValidationError("--filter is empty, and would match all files.")
    }
  }

  func run() throws {
    let paths = try chain.paths()
    if paths.count > 1 || filter != nil { return try runFiles(paths) }
    if let file = paths.first, file != "-", Suite.recognizes(fileAt: file) {
      return try runSuite(file)
    }
    try suites.checkUnused()
    var plan = try chain.plan(paths.first)
    plan.link = running.applied(to: plan.link)
    let simulated = try options.simulatedDevices()
    if dryRun { return try StandardOutput.show(plan.lines) }
    try running.check(reading: paths, journal, trace: recording.trace)
    throw CommandExit(try sessionOptions().run(plan, among: simulated))
  }

  private func sessionOptions() throws(CommandExit) -> SessionOptions {
    SessionOptions(
      world: options, format: running.printing.output, bindKeys: try chain.naming.bindKeys(),
      journal: journal, reports: running.reports, trace: recording
    )
  }

  /// Runs several files. All files are read before the first chain begins.
  private func runFiles(_ paths: [String]) throws {
    try suites.checkUnused()
    let single = [("--trace", recording.trace != nil), ("--bus-log", options.busLog != nil)]
    for (option, isGiven) in single where isGiven {
      throw CommandExit(.usage, "\(option) is for a single chain file")
    }
    var files: [ChainFile] = []
    var problems: [Problem] = []
    for path in paths {
      if path != "-", Suite.recognizes(fileAt: path) {
        problems.append(Problem("an nRF Connect suite runs alone", at: Place(file: path)))
        continue
      }
      do {
        var plan = try chain.plan(path)
        plan.link = running.applied(to: plan.link)
        files.append(ChainFile(path: path, plan: plan))
      } catch {
        problems += error.problems
      }
    }
    guard problems.isEmpty else { throw CommandExit(.data, problems) }
    if let filter {
      files = files.filter { $0.matches(filter) }
      if files.isEmpty { throw CommandExit(.usage, "no chain file matches --filter \(filter)") }
    }
    let simulated = try options.simulatedDevices()
    if dryRun {
      return try StandardOutput.show(files.flatMap { [$0.path] + $0.plan.lines + [""] }.dropLast())
    }
    try running.check(reading: paths, journal, trace: recording.trace)
    files = try files.map { file throws(CommandExit) in
      var plan = file.plan
      do throws(CommandExit) {
        plan.device = try plan.target(among: simulated)
      } catch {
        throw CommandExit(error.status, "\(file.path): \(error.messages.joined(separator: "; "))")
      }
      return ChainFile(path: file.path, plan: plan)
    }
    throw CommandExit(try sessionOptions().run(files, among: simulated, failsFast: failFast))
  }

  private func runSuite(_ file: String) throws {
    if let name = chain.variables.set.first?.name {
      throw CommandExit(.usage, "--set \(name) is for chains; a suite has -E \(name) VALUE")
    }
    if running.exclusive { throw CommandExit(.usage, "--exclusive is for chains, not for a suite") }
    let suite = try suites.suite(at: file, chain.naming.names())
    let simulated = try options.simulatedDevices()
    let command = SuiteCommand(
      suite: suite, chain: chain, rule: running.applied(to: LinkRule()),
      warnsOfUnsupported: warnUnsupported
    )
    if dryRun { return try StandardOutput.show(command.lines(simulated)) }
    try running.check(reading: [file], journal, trace: recording.trace)
    var session = try sessionOptions()
    session.work = "the suite"
    throw CommandExit(try command.run(session, among: simulated))
  }
}
