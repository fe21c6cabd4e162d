// A run of a command: made once from its option groups, ended once.

import BlueZ
import Bluetooth
import HostController
import Jobs
import Journal
import Signals
import SimulatedDevices

/// The option groups that a run is made from.
struct SessionOptions {
  let world: WorldOptions
  let format: ChainOutputOptions.Output
  var bindKeys = BindKeys.none
  var journal: JournalOptions?
  var reports: ReportOptions?
  var trace: TraceOption?
  /// What it is called where a signal ends it.
  var work = "the chain"
  /// What is printed in the place of the usual text; failures go to standard error then.
  var text: (any RunReport)?

  /// Runs a chain that names its device.
  ///
  /// - Throws: ``Ending`` when a secret of the plan cannot be read, or the world not be made.
  func run(_ plan: Plan, among simulated: ScenarioDefinition) throws(Ending) -> ExitStatus {
    let reports = try reportFiles(on: .run)
    return try reports.during { () throws(Ending) in
      let session = try Session(self, for: plan, among: simulated, reports)
      return session.end(reports.end(session.run()))
    }
  }

  /// Opens the reports.
  func reportFiles(on kind: RecordedWhole.Kind) throws(Ending) -> ReportFiles {
    let whole = RecordedWhole(kind).simulated(world.isSimulated)
    return try ReportFiles(reports, printed: format.whole, of: whole)
  }

  /// What is printed as things happen; nil where all is printed at the end.
  fileprivate var lineReport: (any RunReport)? {
    switch format {
    case .text: text ?? TextReport()
    case .json: JSONLinesReport()
    case .junit, .tap: nil
    }
  }
}

/// A chain under way in a world of its own.
struct Session {
  /// Longer than any chain: each of its waits has a deadline of its own.
  private static let longest = Duration.seconds(3600 * 24 * 365)

  private let options: SessionOptions
  private let plan: Plan
  private let target: DeviceTarget
  private let trace: HCITrace?
  private let world: World
  private let identity: RunIdentity
  private let journal: RunJournal?
  private let reports: ReportFiles

  /// Opens everything, before anything is touched.
  ///
  /// - Parameters:
  ///   - reports: Files that are open. Whoever opened them ends them.
  ///   - isAnnounced: Whether it was reported already that devices and time are simulated.
  init(
    _ options: SessionOptions,
    for plan: Plan,
    among simulated: ScenarioDefinition,
    _ reports: ReportFiles,
    isAnnounced: Bool = false
  ) throws(Ending) {
    guard let target = plan.device else { throw Ending(.usage, "no device is named") }
    let isSimulated = options.world.isSimulated
    try UserPrograms.check([plan])
    let plan = try Self.withSecrets(plan, isSimulated: isSimulated)
    let file = try RunJournal.open(options.journal, isSimulated: isSimulated)
    let trace = try options.trace?.begin()
    let world = try options.world.world(
      simulated,
      "ending \(options.work) and disconnecting",
      options.bindKeys,
      trace: trace,
      isAnnounced: isAnnounced
    )
    trace?.start(on: world.loop)
    let identity = RunIdentity(seed: world.identitySeed, plan: plan)
    var journal: RunJournal?
    do {
      if let file, let options = options.journal {
        let header = RunHeader(
          "run",
          plan.description,
          identity,
          isSimulated: world.isSimulated,
          on: world.loop
        )
        journal = try RunJournal.begin(file, options, header, in: world)
      }
      world.ledger?.isRun(journal?.run)
      try world.releaseOrphans()
    } catch {
      _ = journal?.end(error.status)
      world.end()
      throw error
    }
    (self.options, self.plan, self.target, self.reports) = (options, plan, target, reports)
    (self.trace, self.world, self.identity, self.journal) = (trace, world, identity, journal)
  }

  /// The plan with its secrets read; warns where they are in a file that others can read.
  private static func withSecrets(_ plan: Plan, isSimulated: Bool) throws(Ending) -> Plan {
    if !isSimulated { warn(of: plan.writtenSecrets) }
    do {
      return try plan.withSecrets()
    } catch {
      throw Ending(.data, "\(error)")
    }
  }

  /// Warns of passkeys that everybody can read.
  static func warn(of written: [String]) {
    guard !written.isEmpty else { return }
    StandardError.notice(
      "a passkey stands in the chain (\(written.joined(separator: ", "))), where others "
        + "may read it: passkey: { env: NAME } or { file: PATH } keeps it apart"
    )
  }

  /// Runs the chain to its end.
  ///
  /// - Parameters:
  ///   - file: Its file, where it is one of several.
  ///   - follow: Receives every event last.
  func run(of file: String? = nil, follow: (@Sendable (RunEvent) -> Void)? = nil) -> ExitStatus {
    let (world, scheduler) = (world, world.scheduler)
    let output = StandardOutput(in: world) { failure in scheduler.cancelAll(failure) }
    let printed = options.lineReport.map {
      EventOutput(output, as: $0, isForPeople: options.format == .text)
    }
    let screen = FollowedRun(in: world, printsData: options.format == .json)
    // Who receives an event, in this order, when the journal has it.
    let receivers: [(@Sendable (RunEvent) -> Void)?] = [
      { screen.receive($0, at: world.loop.now) }, printed?.receive, reports.receive, follow,
    ]
    let report: @Sendable (RunEvent) -> Void = { event in
      for receive in receivers { receive?(event) }
    }
    var runner = ChainRunner(
      plan: plan,
      service: world.service(
        for: target,
        adapter: options.world.adapterSelector,
        options: ConnectOptions(plan.link),
        follow: screen.receive
      ),
      identity: identity,
      device: target.text,
      report: world.explaining(trace: trace, journal?.receiving(report) ?? report)
    )
    let terminal = TerminalQuestions(on: world.loop, isVirtual: world.isVirtual)
    runner.ask = terminal?.ask
    runner.runCommand = UserPrograms(on: world.loop).run
    runner.file = file
    if screen.isShown { runner.follow = screen.receive }
    let outcome = runner.ending().map { Optional($0) }
      .firstOrDefault(nil, within: Self.longest)
    screen.end()
    if let failure = printed?.finish() {
      StandardError.failure("\(failure)")
      return world.interruption.signal.map { .interrupted(by: $0.number) } ?? .output
    }
    // A signal that came after the last event changes nothing that is reported.
    if let ending = outcome.value {
      // A lost logic was printed when it happened.
      if let failure = ending.failure, options.format == .text, options.text != nil,
        failure.code != .logicFailed
      {
        StandardError.failure("\(failure)")
      }
      return ending.exitStatus
    }
    if let signal = world.interruption.signal { return .interrupted(by: signal.number) }
    let failure = outcome.error.map { RunFailure($0) }
    if let failure { StandardError.failure("\(failure)") }
    return failure.map { ExitStatus(after: $0) } ?? .failed
  }

  /// Ends the trace, the journal and the world.
  ///
  /// - Returns: The status of the run with them.
  func end(_ status: ExitStatus) -> ExitStatus {
    defer { world.end() }
    let traced = trace?.end(status, on: world.loop) ?? status
    return journal?.end(traced) ?? traced
  }
}
