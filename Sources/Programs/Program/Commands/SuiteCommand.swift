// The run of a suite of nRF Connect: its report on standard output, and its exit status.

import BlueZ
import Bluetooth
import Jobs
import NordicSuites
import Signals
import SimulatedDevices

/// Runs a suite as a session.
struct SuiteCommand {
  let suite: Suite
  let chain: PlanOptions
  let rule: LinkRule
  let warnsOfUnsupported: Bool

  func run(
    _ options: SessionOptions, among simulated: ScenarioDefinition
  ) throws(Ending) -> ExitStatus {
    guard !rule.isKept else {
      throw Ending(.usage, "--keep is for chains: a test disconnects what it connected")
    }
    let devices = try devices(simulated)
    let reports = try ReportFiles(
      options.reports, printed: options.format.whole,
      of: RecordedWhole(.suite, name: suite.title, isSimulated: options.world.isSimulated),
      suite: suite
    )
    return try reports.during { () throws(Ending) in
      let definition = suite.lines.joined(separator: "\n")
      let session = try Session(options, "suite", definition, among: simulated) {
        SuiteRunner.identity(of: suite, seed: $0)
      }
      return session.end(reports.end(run(in: session, options.format, devices, reports)))
    }
  }

  /// Returns the suite for a dry run, with the known devices of its targets.
  func lines(_ simulated: ScenarioDefinition) throws(Ending) -> [String] {
    // Unlike a run, a dry run needs no device.
    guard chain.named.device != nil || simulated.only != nil else { return suite.lines }
    return suite.lines(devices: try devices(simulated))
  }

  private func run(
    in session: Session, _ format: ChainOutputOptions.Output, _ devices: [String: DeviceTarget],
    _ reports: ReportFiles
  ) -> ExitStatus {
    let world = session.world
    let printed = lineReport(format).map {
      EventOutput(StandardOutput(in: world), as: $0, isForPeople: false)
    }
    let connecting = ConnectOptions(rule)
    let screen = FollowedRun(in: world, printsData: format == .json)
    var settings = SuiteSettings(warnsOfUnsupported: warnsOfUnsupported)
    if let timeout = chain.timeout {
      settings.timeout = timeout
      settings.endless = timeout
    }
    var runner = SuiteRunner(
      suite: suite,
      scheduler: world.scheduler,
      seed: session.identity.seed,
      settings: settings,
      devices: devices,
      makeService: { world.service(for: $0, options: connecting, follow: screen.receive) },
      // The receivers of an event, in this order, after the journal has it.
      report: session.receiving([
        { screen.receive($0, at: world.loop.now) }, reports.receive, printed?.receive,
        { for warning in $0.warnings { StandardError.notice("warning: \(warning)") } },
      ])
    )
    runner.ask = TerminalQuestions(on: world.loop)?.ask
    let ending = Result { [runner] in try world.loop.run { await runner.run() } }
    screen.end()
    if let status = printed?.failed(in: world) ?? world.interruption.status { return status }
    switch ending {
    case .success(let ending): return ending.exitStatus
    case .failure(let error):
      let failure = RunFailure(error)
      StandardError.failure("\(failure)")
      return ExitStatus(after: failure)
    }
  }

  /// Returns the report that prints immediately; nil if a report is printed at the end.
  private func lineReport(_ format: ChainOutputOptions.Output) -> ReportOfSuite? {
    let isQuiet = StandardStreams.ofProcess.presentation.isQuiet
    return switch format.lines {
    case .text: ReportOfSuite(TextReport(), of: suite, isQuiet: isQuiet)
    case .json: ReportOfSuite(JSONLinesReport(), of: suite)
    case nil: nil
    }
  }

  /// Returns the devices of targets that have no address in the suite.
  private func devices(_ simulated: ScenarioDefinition) throws(Ending) -> [String: DeviceTarget] {
    let open = suite.targets.filter { $0.address == nil }
    if let named = chain.named.target(insteadOf: nil) {
      let meant = suite.targets.count == 1 ? suite.targets : open
      guard let target = meant.first, meant.count == 1 else {
        throw Ending(
          .usage, "-d names one device, and the suite has \(meant.count) targets that it could be"
        )
      }
      return [target.id: named]
    }
    guard suite.kind == .macro, let target = open.first else { return [:] }
    guard let only = simulated.only else {
      throw Ending(.usage, "no device is named: a macro runs on the one that -d names")
    }
    return [target.id: only]
  }
}

extension RunEvent {
  /// The notes on an operation that ended with a warning, each with its place in the file.
  fileprivate var warnings: [String] {
    guard case .stepFinished(let result) = change, result.status == .warning else { return [] }
    let (step, place) = (result.step, result.step.source.map { "\($0): " } ?? "")
    return result.notes.map { "\(place)\(step.label ?? step.operation): \($0)".printable }
  }
}
