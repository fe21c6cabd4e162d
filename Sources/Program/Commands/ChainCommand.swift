// A chain under way: its report on standard output, signals of the system, and its exit status.

import BlueZ
import Bluetooth
import HostController
import Jobs
import Journal
import Signals
import SimulatedDevices

/// Runs a chain in a world of its own.
struct ChainCommand {
  /// The place of a chain among several files.
  struct Place: Sendable {
    let file: String
    /// Whether it is the first of them.
    let isFirst: Bool
    /// Receives every event.
    let follow: @Sendable (RunEvent) -> Void
  }

  /// Longer than any chain: each of its waits has a deadline of its own.
  private static let longest = Duration.seconds(3600 * 24 * 365)

  let world: World
  let format: ChainOutputOptions.Output
  /// Names the part of it that a failed step is in.
  var trace: HCITrace?
  /// Receives every event before it is printed.
  var journal: RunJournal?
  /// Receive everything that is printed.
  let reports: ReportFiles
  /// What is printed in the place of the usual text; failures go to standard error then.
  var text: (any RunReport)?
  /// Where it is one of several files.
  var place: Place?
  /// What the status line shows.
  let following: FollowedRun

  /// Runs a plan that names its device in the world of the options.
  ///
  /// - Parameters:
  ///   - work: What it is called where a signal ends it.
  ///   - text: What is printed in the place of the usual text.
  /// - Throws: ``Ending`` when a secret of the plan cannot be read, or the world not be made.
  static func run(
    _ plan: Plan,
    _ simulated: ScenarioDefinition,
    _ options: RequestedWorld,
    _ format: ChainOutputOptions.Output,
    _ recording: TraceOption? = nil,
    _ journalOptions: JournalOptions? = nil,
    _ requested: RequestedReports = RequestedReports(),
    work: String = "the chain",
    text: (any RunReport)? = nil
  ) throws(Ending) -> ExitStatus {
    let whole = RecordedWhole(.run).simulated(options.isSimulated)
    let reports = try ReportFiles(requested, printed: format.whole, of: whole)
    return try reports.during { () throws(Ending) in
      try run(
        plan,
        simulated,
        options,
        format,
        recording: recording,
        journalOptions: journalOptions,
        into: reports,
        work: work,
        text: text
      )
    }
  }

  /// Runs a plan that names its device, and reports to files that are open. They are ended with it,
  /// unless it is one of several.
  static func run(
    _ plan: Plan,
    _ simulated: ScenarioDefinition,
    _ options: RequestedWorld,
    _ format: ChainOutputOptions.Output,
    recording: TraceOption? = nil,
    journalOptions: JournalOptions?,
    into reports: ReportFiles,
    work: String = "the chain",
    text: (any RunReport)? = nil,
    at place: Place? = nil
  ) throws(Ending) -> ExitStatus {
    guard let target = plan.device else { throw Ending(.usage, "no device is named") }
    try UserPrograms.check(plan)
    let plan = try withSecrets(plan, isSimulated: options.isSimulated)
    let file = try RunJournal.open(journalOptions, isSimulated: options.isSimulated)
    let trace = try recording?.begin()
    let world = try options.world(
      simulated,
      "ending \(work) and disconnecting",
      trace: trace,
      isAnnounced: place?.isFirst == false
    )
    defer { world.end() }
    trace?.start(on: world.loop)
    let identity = RunIdentity(seed: world.identitySeed, plan: plan)
    var journal: RunJournal?
    if let file, let journalOptions {
      let header = RunHeader(
        "run",
        plan.description,
        identity,
        isSimulated: world.isSimulated,
        on: world.loop
      )
      journal = try RunJournal.begin(file, journalOptions, header, in: world)
    }
    world.ledger?.isRun(journal?.run)
    do {
      try world.releaseOrphans()
    } catch {
      _ = journal?.end(error.status)
      throw error
    }
    let following = FollowedRun(in: world, printsData: format == .json)
    let service = world.service(
      for: target,
      adapter: options.adapterSelector,
      options: ConnectOptions(plan.link),
      follow: following.receive
    )
    let status = ChainCommand(
      world: world,
      format: format,
      trace: trace,
      journal: journal,
      reports: reports,
      text: text,
      place: place,
      following: following
    ).run(plan, on: service, identity)
    let reported = place == nil ? reports.end(status) : status
    let traced = trace?.end(reported, on: world.loop) ?? reported
    return journal?.end(traced) ?? traced
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

  /// What is printed as things happen; nil where all is printed at the end.
  private var lineReport: (any RunReport)? {
    switch format {
    case .text: text ?? TextReport()
    case .json: JSONLinesReport()
    case .junit, .tap: nil
    }
  }

  /// Runs the plan to its end.
  func run(
    _ plan: Plan,
    on service: any DeviceService,
    _ identity: RunIdentity
  ) -> ExitStatus {
    let scheduler = world.scheduler
    let output = StandardOutput(in: world) { failure in scheduler.cancelAll(failure) }
    let terminal = TerminalQuestions(on: world.loop, isVirtual: world.isVirtual)
    let printed = lineReport.map { EventOutput(output, as: $0, isForPeople: format == .text) }
    let print: @Sendable (RunEvent) -> Void = { [reports, place, following] event in
      following.receive(event, at: world.loop.now)
      printed?.receive(event)
      reports.receive(event)
      place?.follow(event)
    }
    let receive = journal?.receiving(print) ?? print
    var runner = ChainRunner(
      plan: plan,
      service: service,
      identity: identity,
      device: plan.device?.text,
      report: world.explaining(trace: trace, receive)
    )
    runner.ask = terminal?.ask
    runner.runCommand = UserPrograms(on: world.loop).run
    runner.file = place?.file
    if following.isShown { runner.follow = following.receive }
    let outcome = runner.ending().map { Optional($0) }
      .firstOrDefault(nil, within: Self.longest)
    following.end()
    if let failure = printed?.finish() {
      StandardError.failure("\(failure)")
      return world.interruption.signal.map { .interrupted(by: $0.number) } ?? .output
    }
    // A signal that came after the last event changes nothing that is reported.
    if let ending = outcome.value {
      // A lost logic was printed when it happened.
      if let failure = ending.failure, format == .text, text != nil, failure.code != .logicFailed {
        StandardError.failure("\(failure)")
      }
      return ending.exitStatus
    }
    if let signal = world.interruption.signal { return .interrupted(by: signal.number) }
    let failure = outcome.error.map { RunFailure($0) }
    if let failure { StandardError.failure("\(failure)") }
    return failure.map { ExitStatus(after: $0) } ?? .failed
  }
}
