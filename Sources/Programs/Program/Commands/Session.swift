// A session: the world, journal and trace of a command, opened from its options and closed at its end.

import BlueZ
import Bluetooth
import HostController
import Jobs
import Signals
import SimulatedDevices

/// The option groups that a session is opened from.
struct SessionOptions {
  let world: WorldOptions
  var format = ChainOutputOptions.Output.text
  var bindKeys = BindKeys.none
  var journal: JournalOptions?
  var reports: ReportOptions?
  var trace: TraceOption?
  /// The name of the work in the message about a signal: "the chain", "the watch".
  var work = "the chain"
  /// The report in place of the usual text. Failures then go to standard error.
  var text: (any RunReport)?

  /// Runs a chain in its own world.
  ///
  /// - Throws: ``CommandExit`` if no device is named, a secret cannot be read, or the world cannot be opened.
  func run(_ plan: Plan, among simulated: ScenarioDefinition) throws(CommandExit) -> ExitStatus {
    var plan = plan
    plan.device = try plan.target(among: simulated)
    let reports = try reportFiles(on: .run)
    return try reports.during { [plan] () throws(CommandExit) in
      let plan = try ready(plan)
      let session = try Session(self, for: plan, among: simulated)
      return session.end(reports.end(session.run(plan, reports)))
    }
  }

  /// Reads the secrets of a plan. Warns if they are in a file that other users can read.
  ///
  /// - Throws: ``CommandExit``; also if the plan runs programs that are not allowed.
  func ready(_ plan: Plan) throws(CommandExit) -> Plan {
    try UserPrograms.check([plan])
    if !world.isSimulated { Session.warn(of: plan.writtenSecrets) }
    do {
      return try plan.withSecrets()
    } catch {
      throw CommandExit(.data, "\(error)")
    }
  }

  func reportFiles(on kind: CommandRecord.Kind) throws(CommandExit) -> ReportFiles {
    let whole = CommandRecord(kind, isSimulated: world.isSimulated)
    return try ReportFiles(reports, printed: format.whole, of: whole)
  }

  /// The output of events that are printed immediately; nil if a report is printed at the end.
  func eventOutput(in world: World) -> EventOutput? {
    let report: any RunReport
    switch format.lines {
    case .text: report = text ?? TextReport()
    case .json: report = JSONLinesReport()
    case nil: return nil
    }
    return EventOutput(StandardOutput(in: world), as: report, isForPeople: format == .text)
  }
}

/// The world, the journal and the trace of a running command.
struct Session {
  /// A limit longer than any watch, and any chain, whose waits have their own deadlines.
  static let longest = Duration.seconds(3600 * 24 * 365 * 10)

  private let options: SessionOptions
  private let trace: HCITrace?
  let world: World
  let identity: RunIdentity
  let journal: RunJournal?

  /// Opens the world, the journal and the trace, before any device is used.
  ///
  /// - Parameter command: The command in the journal: `run`, `suite`, `watch`.
  init(
    _ options: SessionOptions, _ command: String, _ definition: String,
    among simulated: ScenarioDefinition, isAnnounced: Bool = false,
    identity: (_ seed: UInt64) -> RunIdentity
  ) throws(CommandExit) {
    let file = try options.journal?.open(isSimulated: options.world.isSimulated)
    let trace = try options.trace?.begin()
    let world = try options.world.world(
      simulated, "ending \(options.work) and disconnecting", options.bindKeys, trace: trace,
      isAnnounced: isAnnounced
    )
    trace?.start(on: world.loop)
    let identity = identity(world.identitySeed)
    var journal: RunJournal?
    do {
      journal = try file?.begin(command, definition, identity, in: world)
      world.ledger?.setRun(journal?.run)
      try world.releaseOrphans()
    } catch {
      _ = journal?.end(error.status)
      world.end()
      throw error
    }
    (self.options, self.trace, self.world) = (options, trace, world)
    (self.identity, self.journal) = (identity, journal)
  }

  /// Returns a receiver of events, which passes them to the journal and then to the given ones in order.
  func receiving(_ receivers: [(@Sendable (RunEvent) -> Void)?]) -> @Sendable (RunEvent) -> Void {
    let report: @Sendable (RunEvent) -> Void = { event in
      for receive in receivers { receive?(event) }
    }
    return world.explaining(trace: trace, journal?.receiving(report) ?? report)
  }

  /// Ends the trace, the journal and the world.
  ///
  /// - Returns: The exit status of the command, after journal errors are taken into account.
  func end(_ status: ExitStatus) -> ExitStatus {
    defer { world.end() }
    let traced = trace?.end(status, on: world.loop) ?? status
    return journal?.end(traced) ?? traced
  }
}

// MARK: A chain

extension Session {
  /// Opens the world of a chain.
  init(
    _ options: SessionOptions, for plan: Plan, among simulated: ScenarioDefinition,
    isAnnounced: Bool = false
  ) throws(CommandExit) {
    try self.init(options, "run", plan.description, among: simulated, isAnnounced: isAnnounced) {
      RunIdentity(seed: $0, plan: plan)
    }
  }

  /// Warns of passkeys that other users can read.
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
  ///   - plan: The chain, with its device and its secrets.
  ///   - file: The file of the chain, if there are several.
  ///   - follow: Receives every event, after all other receivers.
  func run(
    _ plan: Plan, _ reports: ReportFiles, of file: String? = nil,
    follow: (@Sendable (RunEvent) -> Void)? = nil
  ) -> ExitStatus {
    run(reports, follow: follow) { screen, report in
      let target = plan.device ?? .any
      var runner = ChainRunner(
        plan: plan,
        service: world.service(
          for: target, options: ConnectOptions(plan.link), follow: screen.receive
        ),
        identity: identity, device: target.text, report: report
      )
      runner.ask = TerminalQuestions(on: world.loop)?.ask
      runner.runCommand = UserPrograms(on: world.loop).run
      runner.file = file
      if screen.isShown { runner.follow = screen.receive }
      let outcome = runner.ending().map { Optional($0) }
        .firstOrDefault(nil, within: Self.longest)
      guard let ending = outcome.value else { throw outcome.error ?? CancellationError() }
      return ending
    } status: { ending in
      // The ending is already reported: a signal after the last event does not change the status.
      // The loss of a device's logic was already printed when it happened.
      if let failure = ending.failure, options.format == .text, options.text != nil,
        failure.code != .logicFailed
      {
        StandardError.failure("\(failure)")
      }
      return ending.exitStatus
    }
  }

  /// Runs a chain or a suite to its end.
  ///
  /// - Parameters:
  ///   - follow: Receives every event, after all other receivers.
  ///   - work: Runs it, with the status line and a receiver of its events.
  ///   - status: The exit status after its ending.
  func run<Ending>(
    _ reports: ReportFiles, follow: (@Sendable (RunEvent) -> Void)?,
    _ work: (FollowedRun, @escaping @Sendable (RunEvent) -> Void) throws -> Ending,
    status: (Ending) -> ExitStatus
  ) -> ExitStatus {
    let world = world
    let printed = options.eventOutput(in: world)
    let screen = FollowedRun(in: world, printsData: options.format == .json)
    // The receivers of an event, in this order, after the journal has it.
    let report = receiving([
      { screen.receive($0, at: world.loop.now) }, printed?.receive, reports.receive, follow,
    ])
    let ending = Result { try work(screen, report) }
    screen.end()
    if let status = printed?.finishStatus(in: world) { return status }
    switch ending {
    case .success(let ending): return status(ending)
    case .failure(let error):
      if let status = world.interruption.status { return status }
      let failure = RunFailure(error)
      StandardError.failure("\(failure)")
      return ExitStatus(after: failure)
    }
  }
}
