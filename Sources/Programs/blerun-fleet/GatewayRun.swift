// One run of a job's chain at this gateway. It reads the chain from the store, asks for permission before
// each operation, and sends the events.
//
// Whether an operation may begin is decided by Gateway.

import BlueZ
import Bluetooth
import Fleet
import Jobs
import Journal
import Program
import Signals

/// The parts that all runs of a gateway share.
struct GatewayParts: Sendable {
  let world: World
  let store: any JobStore
  let events: GatewayEvents
  let settings: FleetSettings
  let chains: ChainTexts
  /// The guard that disconnects if this process is killed or suspended; nil in a simulation.
  let linkGuard: LinkGuard?
  /// The chains that the gateway may run.
  let policy: ChainPolicy
  /// The environment variables of this host that chains may read.
  let environment: Set<String>
  /// The options for this host's journal of runs.
  let recording: JournalOptions
  /// The file of this gateway's metrics; nil without the option.
  let metrics: MetricsFile?

  var loop: Loop { world.loop }
  var clock: BootClock { BootClock(loop: world.loop) }
}

/// A cache of the latest chains' texts: usually all jobs of a batch have the same chain.
final class ChainTexts: Sendable {
  private static let most = 16
  private let kept = Guarded<[(digest: String, text: String)]>([])

  /// The text with a digest; nil if it is not in the cache.
  subscript(digest: String) -> String? {
    kept.withLock { kept in kept.first { $0.digest == digest }?.text }
  }

  /// Adds a text; it replaces the oldest one if the cache is full.
  func keep(_ text: String, digest: String) {
    kept.withLock { kept in
      guard !kept.contains(where: { $0.digest == digest }) else { return }
      if kept.count >= Self.most { kept.removeFirst() }
      kept.append((digest, text))
    }
  }
}

/// A run of a job's chain.
final class GatewayRun: OperationGate {
  private struct State {
    var operations = 0
    /// The operations that wait for permission.
    var waiting: [Int: Completion<Bool>] = [:]
    var lane: SerialScheduler?
    var stopReason: StopReason?
    var isRefused = false
    /// Whether another program held the connection when the chain last tried to connect.
    var isHeld = false
  }

  /// The error of an operation that must not begin.
  private struct Refused: Error, CustomStringConvertible {
    let description = "the fleet does not let this gateway begin the operation any more"
  }

  /// A limit longer than any chain, whose waits all have their own deadlines.
  private static let longest = Duration.seconds(3600 * 24 * 7)

  let id: Gateway.ChainID
  private let job: FleetJob
  private let parts: GatewayParts
  private let sender: EventSender
  private let json = JSONLinesReport()
  private let handle: @Sendable (Gateway.Event) -> Void
  private let state = Guarded(State())

  /// Creates a run.
  ///
  /// - Parameter handle: Called with events for the gateway's state machine.
  init(
    _ id: Gateway.ChainID, _ job: FleetJob, _ parts: GatewayParts,
    handle: @escaping @Sendable (Gateway.Event) -> Void
  ) {
    self.id = id
    self.job = job
    self.parts = parts
    self.handle = handle
    sender = EventSender(
      id, of: job.id, to: EventLog(parts.events), parts.store, parts.settings, parts.clock,
      handle: handle
    )
  }

  /// Begins the run. Its end is reported to the gateway's state machine.
  ///
  /// - Parameter sent: Called after the end, when the events are sent too.
  func begin(sent: @escaping @Sendable () -> Void) {
    _ = parts.loop.task { [self] in
      let outcome = await run()
      sender.close()
      // Report the end before the events are sent, which takes long if the store cannot be reached. The
      // journal then has the end.
      handle(.chainEnded(id, outcome))
      sender.finish(sent)
    }
  }

  /// Cancels the chain, which disconnects and reports its end.
  func stop(_ reason: StopReason) {
    let lane = state.withLock { state in
      state.stopReason = state.stopReason ?? reason
      return state.lane
    }
    lane?.cancelAll(Self.failure(reason))
  }

  /// Permits or refuses an operation.
  func decide(_ step: Int, isPermitted: Bool) {
    let waiting = state.withLock { state in
      if !isPermitted { state.isRefused = true }
      return state.waiting.removeValue(forKey: step)
    }
    // The operation may have been cancelled while it waited. Then it does not begin, and has ended.
    if waiting?.succeed(isPermitted) != true, isPermitted { end(step) }
  }

  // MARK: The chain

  private func run() async -> ChainOutcome {
    guard let text = await text() else { return .stopped }
    let plan: Plan
    do {
      plan = try readPlan(text)
      if let why = parts.policy.refusal(of: plan, digest: job.chain) {
        throw RunFailure(
          code: DeviceFailure.Code(rawValue: "not-allowed"), class: .definite,
          what: "running the chain", why: why,
          hint: "blerun gateway --allow-chain, or --need for a gateway that allows it"
        )
      }
    } catch {
      refuse(error)
      return .failed(step: 0)
    }
    let lane = SerialScheduler(on: parts.loop, name: "job \(job.id)")
    let isStopping = state.withLock { state in
      state.lane = lane
      return state.stopReason != nil
    }
    if isStopping { return .stopped }
    let target = DeviceTarget.address(job.device)
    let world = parts.world
    let device = world.service(for: target, plan.link, on: lane)
    let identity = RunIdentity(seed: world.identitySeed, text: "\(id.nonce)\n\(plan.description)")
    let record = journal(plan, identity, lane)
    let runner = ChainRunner(
      plan: plan, service: FencedService(device: device, gate: self), identity: identity,
      device: target.text, report: record?.receiving(report) ?? report
    )
    var status: RunEnding.Status?
    var exit = ExitStatus.failed
    do {
      let ending = try await runner.ending().first(within: Self.longest)
      (status, exit) = (ending.status, ending.exitStatus)
    } catch {
      exit = ExitStatus(after: RunFailure(error))
    }
    _ = record?.end(exit)
    let (wasStopped, isHeld, step) = state.withLock { state in
      (state.stopReason != nil || state.isRefused, state.isHeld, max(0, state.operations - 1))
    }
    switch status {
    case .ok?, .warning?: return .ok
    case .failed?, .cancelled?, nil:
      return wasStopped ? .stopped : isHeld ? .held : .failed(step: step)
    }
  }

  /// Counts an event, and sends it to the fleet.
  @Sendable private func report(_ event: RunEvent) {
    parts.metrics?.count { $0.record(event) }
    for line in json.lines(for: event) { sender.add(line) }
  }

  /// Begins the run in this host's journal; nil if no journal is written.
  private func journal(
    _ plan: Plan, _ identity: RunIdentity, _ lane: SerialScheduler
  ) -> RunJournal? {
    let world = parts.world
    do {
      return try parts.recording.open(isSimulated: world.isSimulated)?
        .begin("gateway", plan.description, identity, in: world, on: lane)
    } catch {
      for message in error.messages { StandardError.failure(message) }
      return nil
    }
  }

  /// Returns the text of the chain; nil if the store does not return it in time, or the run is stopped.
  private func text() async -> String? {
    if let text = parts.chains[job.chain] { return text }
    for _ in 0..<3 {
      let request = StoreRequest.list(.one(StoreKey(.chain, job.chain)))
      let answer = try? await parts.store.ask(request, on: parts.loop)
      if case .entries(let entries)? = answer, case .chain(let text)? = entries.first?.value {
        parts.chains.keep(text, digest: job.chain)
        return text
      }
      if state.withLock({ $0.stopReason != nil }) { return nil }
      try? await parts.loop.sleep(for: .milliseconds(500))
    }
    return nil
  }

  private func readPlan(_ text: String) throws -> Plan {
    guard ContentHash.digest(of: text) == job.chain else {
      throw RunFailure(
        code: .invalidValue, class: .definite, what: "reading the chain of job \(job.id)",
        why: "its text in the store does not have the digest that the job names"
      )
    }
    // Never more of this host's environment than the gateway's options name.
    var plan = try PortableChain.plan(text, job.values) { [environment = parts.environment] name in
      environment.contains(name) ? ChainTemplate.environment(name) : nil
    }
    plan.device = .address(job.device)
    return plan
  }

  /// Reports a chain that cannot be run or is not allowed.
  private func refuse(_ error: any Error) {
    let unreadable = RunFailure(
      code: .invalidValue, class: .definite, what: "reading the chain of job \(job.id)",
      why: "\(error)"
    )
    let failure = error as? RunFailure ?? unreadable
    let identity = RunIdentity(seed: parts.world.identitySeed, text: id.nonce)
    let start = RunStart(chain: nil, steps: 0, seed: identity.seed)
    let ending = RunEnding(status: .failed, failure: failure, step: nil, done: 0)
    let loop = parts.loop
    for change in [RunEvent.Change.run(.started(start)), .run(.finished(ending))] {
      report(
        RunEvent(
          run: identity, device: "\(job.device)", attempt: 1, offset: .zero,
          wallClock: loop.wallClockAtStart + loop.now.sinceStart, change: change
        )
      )
    }
  }

  private static func failure(_ reason: StopReason) -> RunFailure {
    let why =
      switch reason {
      case .cancelled: "the job was cancelled"
      case .deadline: "the deadline of the job passed"
      case .leaseEnding: "the gateway could not reach the store of the fleet in time"
      case .replaced: "another gateway has taken over the job"
      case .drained: "the gateway is being drained"
      case .journal: "the journal of the gateway cannot be written"
      }
    return RunFailure(code: .cancelled, class: .passing, what: "running the chain", why: why)
  }

  // MARK: Operations

  func begin(isIdempotent: Bool) async throws -> Int {
    let step = state.withLock { state in
      state.operations += 1
      return state.operations - 1
    }
    let isHarmless = isIdempotent || job.rerun == .idempotent
    let isPermitted = try await wait(
      on: parts.loop, operation: "the permission of the fleet"
    ) { (done: Completion<Bool>) in
      state.withLock { $0.waiting[step] = done }
      handle(.operationWanted(id, step: step, isIdempotent: isHarmless))
    }
    guard isPermitted else { throw Refused() }
    return step
  }

  func isHeldByOthers() -> Bool {
    let held = parts.world.foreignLinks().contains(job.device)
    state.withLock { $0.isHeld = held }
    return held
  }

  func end(_ operation: Int) { handle(.operationEnded(id, step: operation)) }
}
