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
  ) throws(CommandExit) -> ExitStatus {
    guard !rule.isKept else {
      throw CommandExit(.usage, "--keep is for chains: a test disconnects what it connected")
    }
    let devices = try devices(simulated)
    let reports = try ReportFiles(
      options.reports, printed: options.format.whole,
      of: CommandRecord(.suite, name: suite.title, isSimulated: options.world.isSimulated)
    )
    return try reports.during { () throws(CommandExit) in
      let definition = suite.lines.joined(separator: "\n")
      let session = try Session(options, "suite", definition, among: simulated) {
        SuiteRunner.identity(of: suite, seed: $0)
      }
      return session.end(reports.end(run(in: session, devices, reports)))
    }
  }

  /// Returns the suite for a dry run, with the known devices of its targets.
  func lines(_ simulated: ScenarioDefinition) throws(CommandExit) -> [String] {
    // Unlike a run, a dry run needs no device.
    guard chain.named.device != nil || simulated.only != nil else { return suite.lines }
    return suite.lines(devices: try devices(simulated))
  }

  private func run(
    in session: Session, _ devices: [String: DeviceTarget], _ reports: ReportFiles
  ) -> ExitStatus {
    session.run(
      reports,
      follow: { for warning in $0.warnings { StandardError.notice("warning: \(warning)") } }
    ) { screen, report in
      let world = session.world
      let connecting = ConnectOptions(rule)
      var settings = SuiteSettings(warnsOfUnsupported: warnsOfUnsupported)
      if let timeout = chain.timeout {
        settings.timeout = timeout
        settings.endless = timeout
      }
      var runner = SuiteRunner(
        suite: suite, scheduler: world.scheduler, seed: session.identity.seed, settings: settings,
        devices: devices,
        makeService: { world.service(for: $0, options: connecting, follow: screen.receive) },
        report: report
      )
      runner.ask = TerminalQuestions(on: world.loop)?.ask
      if screen.isShown { runner.follow = screen.receive }
      return try world.loop.run { [runner] in await runner.run() }
    } status: { ending in
      // A signal between two tests cancels neither.
      session.world.interruption.status ?? ending.exitStatus
    }
  }

  /// Returns the devices of targets that have no address in the suite.
  private func devices(_ simulated: ScenarioDefinition) throws(CommandExit) -> [String:
    DeviceTarget]
  {
    let open = suite.targets.filter { $0.address == nil }
    if let named = chain.named.target(insteadOf: nil) {
      let meant = suite.targets.count == 1 ? suite.targets : open
      guard let target = meant.first, meant.count == 1 else {
        throw CommandExit(
          .usage, "-d names one device, and the suite has \(meant.count) targets that it could be"
        )
      }
      return [target.id: named]
    }
    guard suite.kind == .macro, let target = open.first else { return [:] }
    guard let only = simulated.only else {
      throw CommandExit(.usage, "no device is named: a macro runs on the one that -d names")
    }
    return [target.id: only]
  }
}

extension RunEvent {
  /// The notes on an operation that ended with a warning, each with its place in the file.
  fileprivate var warnings: [String] {
    guard case .step(.finished(let result)) = change, result.status == .warning else { return [] }
    let (step, place) = (result.step, result.step.source.map { "\($0): " } ?? "")
    return result.notes.map { "\(place)\(step.label ?? step.operation): \($0)".printable }
  }
}
