// Runs a batch in lanes, each with one device at a time.
//
// BatchQueue decides which device begins next, and when no further device begins.

public import Bluetooth
import Documents
import RunEvents
public import Signals

/// A runner of batches.
///
/// Each concurrent chain has its own lane: a serial scheduler on a loop that all lanes share. A
/// device, including its cleanup, ends before the next one in its lane begins. Connects of one
/// adapter are still serialised by the service, across lanes.
public final class BatchRunner: Sendable {
  /// Creates the service of a device.
  public typealias MakeService =
    @Sendable (_ target: DeviceTarget, _ link: LinkRule, _ scheduler: SerialScheduler)
    -> any Device

  private struct State {
    var queue: BatchQueue
    /// The cause of the cancellation of the batch.
    var cause: (any Error)?
    /// The deadline of this round, once passed. Unlike `cause`, it does not prevent later rounds.
    var deadline: TimedOut?
    var pause: Task<Void, any Error>?
    var round = 0
    var begun: Instant?
    var identity: RunIdentity
  }

  /// Waits until a round may use the adapter, given the identity and the number of the round.
  ///
  /// An error fails the round. The returned closure releases the adapter after the round.
  public typealias AcquireAdapter =
    @Sendable (_ batch: RunIdentity, _ round: Int) async throws -> @Sendable () -> Void

  let batch: Batch
  private let past: PreviousRound?
  private let seed: UInt64
  private let lanes: [SerialScheduler]
  private let runCommand: RunCommand?
  private let service: MakeService
  private let onRunEvent: @Sendable (RunEvent) -> Void
  private let onEvent: @Sendable (BatchEvent) -> Void
  private let acquireAdapter: AcquireAdapter
  private let state: Guarded<State>

  private var loop: Loop { lanes[0].loop }

  /// Creates a runner; starts nothing.
  ///
  /// ```swift
  /// let client = try await BlueZClient.open(on: EventLoop())
  /// let batch = try Batch.load(path: "fleet.yaml")
  /// let runner = BatchRunner(batch, on: SerialScheduler(on: client.bus.loop), seed: 1) {
  ///   target, _, scheduler in
  ///   BlueZDevice(client: client, target: target, scheduler: scheduler)
  /// } onEvent: { event in
  ///   if case .finished(let ending) = event.change { print(ending.counts.ok, "ok") }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - batch: The batch to run.
  ///   - scheduler: The first lane; the others are created on its loop.
  ///   - seed: Part of the identities of the runs.
  ///   - past: The state of an interrupted round; only its remaining devices run. No other round
  ///     follows, even if the batch has an interval.
  ///   - runCommand: Runs the programs of `command` steps that the plans allow.
  ///   - service: Creates the service of a device.
  ///   - acquireAdapter: Called before each round, which waits for it.
  ///   - onRunEvent: Receives the events of the runs, on the loop, one at a time.
  ///   - onEvent: Receives the events of the batch, on the loop, one at a time.
  public init(
    _ batch: Batch, on scheduler: SerialScheduler, seed: UInt64,
    resuming past: PreviousRound? = nil,
    runCommand: RunCommand? = nil, service: @escaping MakeService,
    acquireAdapter: @escaping AcquireAdapter = { _, _ in {} },
    onRunEvent: @escaping @Sendable (RunEvent) -> Void = { _ in },
    onEvent: @escaping @Sendable (BatchEvent) -> Void = { _ in }
  ) {
    self.batch = batch
    self.past = past
    self.seed = seed
    lanes =
      [scheduler]
      + (1..<max(1, batch.concurrency)).map { number in
        SerialScheduler(on: scheduler.loop, name: "\(scheduler.name) \(number + 1)")
      }
    self.runCommand = runCommand
    self.service = service
    self.acquireAdapter = acquireAdapter
    self.onRunEvent = onRunEvent
    self.onEvent = onEvent
    state = Guarded(
      State(
        queue: BatchQueue(count: 0, rule: .continue),
        identity: RunIdentity(seed: seed, text: "", round: 1)
      )
    )
  }

  /// Cancels the batch: no further device begins, and running chains end with their cleanup.
  ///
  /// ```swift
  /// let runner = BatchRunner(
  ///   try Batch.load(path: "fleet.yaml"), on: device.scheduler, seed: 1) { _, _, _ in device }
  /// device.scheduler.loop.after(.seconds(3600)) { runner.cancel(CancellationError()) }
  /// ```
  ///
  /// - Parameter cause: The error with which the runs end. Only the first call has an effect on it.
  public func cancel(_ cause: any Error) {
    let pause = state.withLock { state in
      if state.cause == nil { state.cause = cause }
      state.queue.stop()
      return state.pause
    }
    pause?.cancel()
    for lane in lanes { lane.cancelAll(cause) }
  }

  // MARK: Rounds

  /// Runs the batch once, or repeatedly at its interval.
  ///
  /// Rounds do not overlap: a start time that passes during a round is skipped. The interval is
  /// measured by the loop's clock, which stops while the host is suspended.
  ///
  /// ```swift
  /// let runner = BatchRunner(
  ///   try Batch.load(path: "fleet.yaml"), on: device.scheduler, seed: 1) { _, _, _ in device }
  /// let status = await runner.run(most: 1)
  /// ```
  ///
  /// - Parameter most: The maximum number of rounds; nil repeats until the batch is cancelled.
  /// - Returns: The exit status of the process: that of the first round that failed, or of the
  ///   signal that cancelled the batch.
  public func run(most: Int?) async -> ExitStatus {
    guard let interval = batch.every, past == nil else {
      return await round(past?.round ?? 1).exitStatus
    }
    precondition(interval >= .seconds(1), "a batch is repeated every second at most")
    var due = loop.now
    var status = await round(1).exitStatus
    var number = 2
    while number <= most ?? Int.max, cause == nil {
      due = due + interval
      var missed = 0
      while due < loop.now {
        due = due + interval
        missed += 1
      }
      begin(number)
      emit(.waiting(until: loop.wallClockAtStart + due.sinceStart, missed: missed))
      await wait(until: due)
      guard cause == nil else { break }
      let ending = await round(number)
      if status == .ok { status = ending.exitStatus }
      number += 1
    }
    return cause.flatMap { RunFailure($0).signal }.map { .interrupted(by: $0) } ?? status
  }

  /// The cause of the cancellation of the batch; nil if it was not cancelled.
  private var cause: (any Error)? { state.withLock { $0.cause } }

  private func wait(until time: Instant) async {
    let pause = loop.task { [loop] in try await loop.sleep(for: time - loop.now) }
    let isOver = state.withLock { state in
      state.pause = pause
      return state.cause != nil
    }
    if isOver { pause.cancel() }
    _ = try? await pause.value
    state.withLock { $0.pause = nil }
  }

  private func begin(_ round: Int) {
    let text = batch.lines.joined(separator: "\n")
    state.withLock { state in
      state.round = round
      (state.begun, state.deadline) = (nil, nil)
      state.queue = queue(of: 0)
      state.identity = RunIdentity(seed: seed, text: text, round: round)
    }
  }

  private func queue(of count: Int) -> BatchQueue {
    BatchQueue(
      count: count, rule: batch.onFailure, first: batch.first,
      before: past?.counts ?? BatchCounts()
    )
  }

  private func emit(_ change: BatchEvent.Change) {
    let now = loop.now
    let event = state.withLock { state in
      BatchEvent(
        batch: state.identity, round: state.round, offset: state.begun.map { now - $0 } ?? .zero,
        wallClock: loop.wallClockAtStart + now.sinceStart, change: change
      )
    }
    onEvent(event)
  }

  // MARK: One round

  private func round(_ number: Int) async -> BatchEnding {
    begin(number)
    let release: @Sendable () -> Void
    do {
      release = try await acquireAdapter(state.withLock { $0.identity }, number)
    } catch {
      return finish([], RunFailure(cause ?? error), isCancelled: cause != nil)
    }
    defer { release() }
    state.withLock { $0.begun = loop.now }
    let timer = batch.deadline.map { limit in
      loop.after(limit) { [self] in endRound(TimedOut(operation: "the batch", after: limit)) }
    }
    defer { timer?.cancel() }
    let devices: [BatchDevice]
    do {
      devices = try await found().map { try $0.withSecrets() }
    } catch {
      return finish([], failure(error), isCancelled: false)
    }
    state.withLock { state in
      state.queue = self.queue(of: devices.count)
      if state.cause != nil || state.deadline != nil { state.queue.stop() }
    }
    let start = BatchStart(
      name: batch.name, devices: devices.map(\.reported), concurrency: batch.concurrency, past: past
    )
    emit(.started(start))
    if batch.first > 0 {
      await work(through: devices, of: number, first: true)
      state.withLock { $0.queue.endFirst() }
    }
    await work(through: devices, of: number)
    let (queue, cause) = (state.withLock { $0.queue }, causeOfRound)
    let isCut = cause != nil && (queue.counts.cancelled > 0 || !queue.notRun.isEmpty)
    return finish(devices, isCut ? cause.map { failure($0) } : nil, isCancelled: isCut)
  }

  /// The reason that this round ends early: cancellation or deadline; nil if it does not.
  private var causeOfRound: (any Error)? { state.withLock { $0.cause ?? $0.deadline } }

  private func endRound(_ deadline: TimedOut) {
    state.withLock { state in
      state.deadline = deadline
      state.queue.stop()
    }
    for lane in lanes { lane.cancelAll(deadline) }
  }

  private func failure(_ error: any Error) -> RunFailure {
    var cause = RunFailure(causeOfRound ?? error)
    if cause.what == "running the chain" { cause.what = "running the batch" }
    return cause
  }

  private func finish(
    _ devices: [BatchDevice], _ failure: RunFailure?, isCancelled: Bool
  ) -> BatchEnding {
    let queue = state.withLock { $0.queue }
    let ending = BatchEnding(
      queue.counts, notRun: queue.notRun.map { devices[$0].label }, failure: failure,
      isCancelled: isCancelled, isStoppedByFirst: queue.isStoppedByFirst
    )
    emit(.finished(ending))
    return ending
  }

  private func found() async throws -> [BatchDevice] {
    if let left = try past?.left(of: batch) { return left }
    switch batch.devices {
    case .listed(let devices): return devices
    case .scanned(let scan):
      let service = service(.any, LinkRule(), lanes[0])
      return try await lanes[0].turn { [self] in
        if let cause { throw cause }
        return try await scan.find(with: service)
      }
    }
  }

  // MARK: Lanes

  /// Runs devices in all lanes until none is left to begin.
  ///
  /// - Parameter isFirst: Whether only those run that run before all others.
  private func work(
    through devices: [BatchDevice], of round: Int, first isFirst: Bool = false
  ) async {
    let tasks = lanes.map { lane in
      loop.task { [self] in await work(through: devices, in: lane, of: round, first: isFirst) }
    }
    for task in tasks { _ = try? await task.value }
  }

  private func work(
    through devices: [BatchDevice], in lane: SerialScheduler, of round: Int, first isFirst: Bool
  ) async {
    while let index = state.withLock({ $0.queue.begin(first: isFirst) }) {
      let device = devices[index]
      let ending = await run(device, in: lane, of: round)
      let counts = state.withLock { state in
        if let ending { state.queue.ended(ending) } else { state.queue.cancelBeforeRun(index) }
        return state.queue.counts
      }
      if let ending { emit(.deviceEnded(device.reported, ending, counts)) }
    }
  }

  /// Runs the chain on a device.
  ///
  /// - Returns: The ending; nil if the batch was cancelled before the chain began.
  private func run(
    _ device: BatchDevice, in lane: SerialScheduler, of round: Int
  ) async -> RunEnding? {
    let reported = Guarded<RunEnding?>(nil)
    var runner = ChainRunner(
      plan: device.plan, service: service(device.target, device.plan.link, lane),
      identity: RunIdentity(seed: seed, plan: device.plan, round: round), device: device.label
    ) { [onRunEvent] event in
      if case .run(.finished(let ending)) = event.change { reported.withLock { $0 = ending } }
      onRunEvent(event)
    }
    runner.deviceName = device.name
    runner.runCommand = runCommand
    do {
      try await lane.turn { [self, runner] in
        if let causeOfRound { throw causeOfRound }
        _ = try await runner.ending().first()
      }
      return reported.withLock { $0 }
    } catch {
      guard let ending = reported.withLock({ $0 }) else { return nil }
      guard ending.status == .ok else { return ending }
      // The chain succeeded, but the cleanup of its turn failed.
      let failure = RunFailure(error)
      return RunEnding(
        status: .failed, failure: failure, step: nil, done: ending.done, warnings: ending.warnings
      )
    }
  }
}

extension BatchDevice {
  /// Returns the device with the secrets of its plan loaded.
  func withSecrets() throws(Problem) -> BatchDevice {
    var device = self
    device.plan = try plan.withSecrets()
    return device
  }
}
