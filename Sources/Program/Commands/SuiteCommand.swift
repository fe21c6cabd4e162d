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
      of: RecordedWhole(.suite, name: suite.title).simulated(!options.simulate.isEmpty)
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
    let ended = run(in: world, devices, identity.seed) { event, show in
      let report: @Sendable () -> Void = { [reports] in
        reports.receive(event)
        show()
      }
      if case .test(_, _, let run) = event.change, let kept {
        kept.receive(run, report)
      } else {
        report()
      }
    }
    let status = reports.end(ended)
    let traced = trace?.end(status, on: world.loop) ?? status
    return kept?.end(traced) ?? traced
  }

  private func run(
    in world: World,
    _ devices: [String: DeviceTarget],
    _ seed: UInt64,
    _ record: @escaping @Sendable (SuiteEvent, _ show: @escaping @Sendable () -> Void) -> Void
  ) -> ExitStatus {
    let scheduler = world.scheduler
    let output = StandardOutput(in: world) { failure in scheduler.cancelAll(failure) }
    let report = lineReport
    let connecting = ConnectOptions(waiting.applied(to: link.applied(to: LinkRule())))
    let following = FollowedRun(in: world, printsData: format == .json)
    let receive = explaining(in: world) { event in
      if case .test(_, _, let run) = event.change {
        following.receive(run, at: world.loop.now)
      }
      record(event) {
        let isLeftOut = format == .text && event.isLeftOutOfQuiet
        for line in isLeftOut ? [] : report?.lines(for: event) ?? [] { output.line(line) }
        for warning in event.warnings { StandardError.notice("warning: \(warning)") }
      }
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
        world.service(for: $0, options: connecting, follow: following.receive)
      },
      report: receive
    )
    runner.ask = TerminalQuestions(on: world.loop, isVirtual: world.isVirtual)?.ask
    let ending = Result { [runner] in try world.loop.run { await runner.run() } }
    following.end()
    let unprinted = output.finish()
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

  /// What receives the events of the suite, for a report whose tests explain their failures.
  private func explaining(
    in world: World,
    _ report: @escaping @Sendable (SuiteEvent) -> Void
  ) -> @Sendable (SuiteEvent) -> Void {
    let last = Guarded<SuiteEvent?>(nil)
    let explain = world.explaining { run in
      guard let last = last.withLock({ $0 }) else { return }
      report(last.with(run))
    }
    return { event in
      guard case .test(_, _, let run) = event.change else { return report(event) }
      last.withLock { $0 = event }
      explain(run)
    }
  }

  /// What is printed as things happen; nil where all is printed at the end.
  private var lineReport: (any SuiteReport)? {
    switch format {
    case .text: TextReport()
    case .json: JSONLinesReport()
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

extension SuiteEvent {
  /// The same with another event of its test. Times follow that event.
  fileprivate func with(_ run: RunEvent) -> SuiteEvent {
    guard case .test(let test, let index, let former) = change else { return self }
    let later = run.wallClock - former.wallClock
    return SuiteEvent(
      run: self.run,
      offset: offset + later,
      wallClock: wallClock + later,
      change: .test(test, index: index, run)
    )
  }

  /// Whether `--quiet` is given and leaves it out: it has neither data nor a failure.
  fileprivate var isLeftOutOfQuiet: Bool {
    guard StandardStreams.ofProcess.presentation.isQuiet else { return false }
    switch change {
    case .started: return true
    case .test(_, _, let run): return !run.hasDataOrFailure
    case .finished(let ending): return ending.exitStatus == .ok
    }
  }

  /// The notes on an operation that ended with a warning, each with its place in the file.
  fileprivate var warnings: [String] {
    guard case .test(_, _, let run) = change, case .stepFinished(let result) = run.change,
      result.status == .warning
    else { return [] }
    let (step, place) = (result.step, result.step.source.map { "\($0): " } ?? "")
    return result.notes.map { "\(place)\(step.label ?? step.operation): \($0)".printable }
  }
}
