// A suite of nRF Connect under way: its report on standard output, and its exit status.

import BlueZ
import Bluetooth
import HostController
import Jobs
import Journal
import NordicSuites
import Signals
import SimulatedDevices

/// Runs a suite in the world of the options.
struct SuiteCommand {
  let suite: Suite
  let chain: PlanOptions
  let options: WorldOptions
  let format: ChainOutputOptions.Output
  let link: LinkOptions
  let waiting: WaitOptions
  let journal: JournalOptions
  let reports: ReportOptions
  let warnsOfUnsupported: Bool

  /// Runs the suite to its end.
  ///
  /// - Throws: ``Ending`` when no device is named, or the world cannot be made.
  func run(_ simulated: ScenarioDefinition, _ recording: TraceOption) throws(Ending) -> ExitStatus {
    guard !link.keep else {
      throw Ending(.usage, "--keep is for chains: a test disconnects what it connected")
    }
    let devices = try devices(simulated)
    let reports = try ReportFiles(
      reports,
      printed: format.whole,
      of: RecordedWhole(.suite, name: suite.title).simulated(!options.simulate.isEmpty),
      suite: suite
    )
    return try reports.during { () throws(Ending) in
      try run(simulated, recording, devices, reports)
    }
  }

  /// The suite for a dry run, with the devices of its targets as far as they are named.
  ///
  /// - Throws: ``Ending`` when `-d` names no target's device.
  func lines(_ simulated: ScenarioDefinition) throws(Ending) -> [String] {
    // Unlike a run, it needs no device.
    guard chain.named.device != nil || simulated.devices.count == 1 else { return suite.lines }
    return suite.lines(devices: try devices(simulated))
  }

  private func run(
    _ simulated: ScenarioDefinition,
    _ recording: TraceOption,
    _ devices: [String: DeviceTarget],
    _ reports: ReportFiles
  ) throws(Ending) -> ExitStatus {
    let file = try journal.open(isSimulated: options.isSimulated)
    let trace = try recording.begin()
    let ending = "ending the suite and disconnecting"
    let world = try options.world(simulated, ending, chain.naming.bindKeys(), trace: trace)
    defer { world.end() }
    trace?.start(on: world.loop)
    let identity = SuiteRunner.identity(of: suite, seed: world.identitySeed)
    let kept = try file?.begin("suite", suite.lines.joined(separator: "\n"), identity, in: world)
    world.ledger?.isRun(kept?.run)
    do {
      try world.releaseOrphans()
    } catch {
      _ = kept?.end(error.status)
      throw error
    }
    let ended = run(in: world, devices, identity.seed, reports, kept)
    let status = reports.end(ended)
    let traced = trace?.end(status, on: world.loop) ?? status
    return kept?.end(traced) ?? traced
  }

  private func run(
    in world: World,
    _ devices: [String: DeviceTarget],
    _ seed: UInt64,
    _ reports: ReportFiles,
    _ journal: RunJournal?
  ) -> ExitStatus {
    let scheduler = world.scheduler
    let output = StandardOutput(in: world) { failure in scheduler.cancelAll(failure) }
    let printed = lineReport.map { EventOutput(output, as: $0, isForPeople: false) }
    let connecting = ConnectOptions(waiting.applied(to: link.applied(to: LinkRule())))
    let screen = FollowedRun(in: world, printsData: format == .json)
    // Who receives an event, in this order, when the journal has it.
    let receivers: [(@Sendable (RunEvent) -> Void)?] = [
      { screen.receive($0, at: world.loop.now) }, reports.receive, printed?.receive,
      { for warning in $0.warnings { StandardError.notice("warning: \(warning)") } },
    ]
    let report: @Sendable (RunEvent) -> Void = { event in
      for receive in receivers { receive?(event) }
    }
    var settings = SuiteSettings(warnsOfUnsupported: warnsOfUnsupported)
    if let timeout = chain.timeout {
      settings.timeout = timeout
      settings.endless = timeout
    }
    var runner = SuiteRunner(
      suite: suite,
      scheduler: scheduler,
      seed: seed,
      settings: settings,
      devices: devices,
      makeService: {
        world.service(for: $0, options: connecting, follow: screen.receive)
      },
      report: world.explaining(journal?.receiving(report) ?? report)
    )
    runner.ask = TerminalQuestions(on: world.loop, isVirtual: world.isVirtual)?.ask
    let ending = Result { [runner] in try world.loop.run { await runner.run() } }
    screen.end()
    let unprinted = printed?.finish()
    if let signal = world.interruption.signal { return .interrupted(by: signal.number) }
    if let unprinted {
      StandardError.failure("\(unprinted)")
      return .output
    }
    switch ending {
    case .success(let ending): return ending.exitStatus
    case .failure(let error):
      let failure = RunFailure(error)
      StandardError.failure("\(failure)")
      return ExitStatus(after: failure)
    }
  }

  /// What is printed as things happen; nil where all is printed at the end.
  private var lineReport: ReportOfSuite? {
    let isQuiet = StandardStreams.ofProcess.presentation.isQuiet
    return switch format {
    case .text: ReportOfSuite(TextReport(), of: suite, isQuiet: isQuiet)
    case .json: ReportOfSuite(JSONLinesReport(), of: suite)
    case .junit, .tap: nil
    }
  }

  /// The devices of targets that the suite gives no address.
  private func devices(
    _ simulated: ScenarioDefinition
  ) throws(Ending) -> [String: DeviceTarget] {
    let open = suite.targets.filter { $0.address == nil }
    if let named = chain.named.target(insteadOf: nil) {
      let meant = suite.targets.count == 1 ? suite.targets : open
      guard let target = meant.first, meant.count == 1 else {
        throw Ending(
          .usage,
          "-d names one device, and the suite has \(meant.count) targets that it could be"
        )
      }
      return [target.id: named]
    }
    guard suite.kind == .macro, let target = open.first else { return [:] }
    guard let only = simulated.devices.first, simulated.devices.count == 1 else {
      throw Ending(.usage, "no device is named: a macro runs on the one that -d names")
    }
    return [target.id: only.name.map { .name($0) } ?? .address(only.address)]
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
