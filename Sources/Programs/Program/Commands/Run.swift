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
      disconnects; a second Ctrl-C leaves at once. -d overrides the device that the file names.

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

  @Flag(help: "Of several files, run none after the first that fails.")
  var failFast = false

  @Option(
    help: .value(
      "text", "Run only the files whose path or chain name contains this text, in any case."
    )
  )
  var filter: String?

  @Flag(help: "Warn of what this host cannot do of an nRF Connect suite, instead of failing.")
  var warnUnsupported = false

  @OptionGroup var printing: ChainOutputOptions
  @OptionGroup var reports: ReportOptions
  @OptionGroup var link: LinkOptions
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var options: WorldOptions
  @OptionGroup var recording: TraceOption
  @OptionGroup var suites: SuiteOptions
  @OptionGroup var journal: JournalOptions

  func validate() throws {
    try recording.check(isSimulated: options.isSimulated)
  }

  func run() throws {
    let paths = try chain.paths()
    if paths.count > 1 || filter != nil { return try runFiles(paths) }
    if let file = paths.first, file != "-", Suite.isMeant(at: file) { return try runSuite(file) }
    var plan = try chain.plan(paths.first)
    plan.link = waiting.applied(to: link.applied(to: plan.link))
    let simulated = try options.simulatedDevices()
    if dryRun { return try StandardOutput.show(plan.lines) }
    try reports.check(reading: paths, options, journal, recording.trace)
    throw Ending(try sessionOptions().run(plan, among: simulated))
  }

  private func sessionOptions() throws(Ending) -> SessionOptions {
    SessionOptions(
      world: options, format: printing.output, bindKeys: try chain.naming.bindKeys(),
      journal: journal, reports: reports, trace: recording
    )
  }

  /// Runs several files. All files are read before the first chain begins.
  private func runFiles(_ paths: [String]) throws {
    let single = [("--trace", recording.trace != nil), ("--bus-log", options.busLog != nil)]
    for (option, isGiven) in single where isGiven {
      throw Ending(.usage, "\(option) is for a single chain file")
    }
    var files: [ChainFile] = []
    var problems: [Problem] = []
    for path in paths {
      if path != "-", Suite.isMeant(at: path) {
        problems.append(Problem("an nRF Connect suite runs alone", at: Place(file: path)))
        continue
      }
      do {
        var plan = try chain.plan(path)
        plan.link = waiting.applied(to: link.applied(to: plan.link))
        files.append(ChainFile(path: path, plan: plan))
      } catch {
        problems += error.problems
      }
    }
    guard problems.isEmpty else { throw Ending(.data, problems) }
    if let filter {
      files = files.filter { $0.matches(filter) }
      if files.isEmpty { throw Ending(.usage, "no chain file matches --filter \(filter)") }
    }
    let simulated = try options.simulatedDevices()
    if dryRun {
      return try StandardOutput.show(files.flatMap { [$0.path] + $0.plan.lines + [""] }.dropLast())
    }
    try reports.check(reading: paths, options, journal, recording.trace)
    files = try files.map { file throws(Ending) in
      var plan = file.plan
      do throws(Ending) {
        plan.device = try plan.target(among: simulated)
      } catch {
        throw Ending(error.status, "\(file.path): \(error.messages.joined(separator: "; "))")
      }
      return ChainFile(path: file.path, plan: plan)
    }
    throw Ending(try sessionOptions().run(files, among: simulated, failsFast: failFast))
  }

  private func runSuite(_ file: String) throws {
    let suite = try suites.suite(at: file, chain.naming.names())
    let simulated = try options.simulatedDevices()
    let command = SuiteCommand(
      suite: suite, chain: chain, rule: waiting.applied(to: link.applied(to: LinkRule())),
      warnsOfUnsupported: warnUnsupported
    )
    if dryRun { return try StandardOutput.show(command.lines(simulated)) }
    try reports.check(reading: [file], options, journal, recording.trace)
    var session = try sessionOptions()
    session.work = "the suite"
    throw Ending(try command.run(session, among: simulated))
  }
}
