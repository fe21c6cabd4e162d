// A batch under way: lanes that take one device after the other.
//
// Which device begins, and when none does, is BatchQueue's to decide.

public import Bluetooth
public import Signals

/// Runs a batch.
///
/// It has as many lanes as chains run at once. Each is a serial scheduler of its own on the same
/// loop: a device's turn, its clean-up included, ends before the next device begins in that lane.
/// Connects go in turn at each adapter, whatever the lane: the service sees to it.
public final class BatchRunner: Sendable {
  /// Makes the operations on a device.
  public typealias MakeService =
    @Sendable (_ target: DeviceTarget, _ link: LinkRule, _ scheduler: SerialScheduler)
    -> any DeviceService

  private struct State {
    var queue: BatchQueue
    var cause: (any Error)?
    var pause: Task<Void, any Error>?
    var round = 0
    var begun: Instant?
    var identity: RunIdentity
  }

  /// Asked before each round, told its identity and its number.
  ///
  /// The round fails with what it throws; what it gives is called after the round.
  public typealias Admission =
    @Sendable (_ batch: RunIdentity, _ round: Int) async throws -> @Sendable () -> Void

  let batch: Batch
  private let past: BatchPast?
  private let seed: UInt64
  private let lanes: [SerialScheduler]
  private let service: MakeService
  private let hearRun: @Sendable (RunEvent) -> Void
  private let hear: @Sendable (BatchEvent) -> Void
  private let admission: Admission
  private let state: Guarded<State>

  private var loop: Loop { lanes[0].loop }

  /// Describes the run of a batch; nothing happens yet.
  ///
  /// - Parameters:
  ///   - scheduler: The first lane; further ones are made beside it.
  ///   - seed: What tells these runs from others, and what delays are drawn from.
  ///   - service: Makes the operations on a device.
  ///   - past: What was done before: its round goes on with the devices that are left, and no other
  ///     follows, whatever the schedule.
  ///   - admission: Asked before each round.
  ///   - hearRun: Gets the events of the runs, on the loop, one at a time.
  ///   - hear: Gets those of the batch, likewise.
  public init(
    _ batch: Batch,
    on scheduler: SerialScheduler,
    seed: UInt64,
    goingOn past: BatchPast? = nil,
    service: @escaping MakeService,
    admission: @escaping Admission = { _, _ in {} },
    hearRun: @escaping @Sendable (RunEvent) -> Void = { _ in },
    hear: @escaping @Sendable (BatchEvent) -> Void = { _ in }
  ) {
    self.batch = batch
    self.past = past
    self.seed = seed
    lanes =
      [scheduler]
      + (1..<max(1, batch.concurrency)).map { number in
        SerialScheduler(on: scheduler.loop, name: "\(scheduler.name) \(number + 1)")
      }
    self.service = service
    self.admission = admission
    self.hearRun = hearRun
    self.hear = hear
    state = Guarded(
      State(
        queue: BatchQueue(count: 0, rule: .continue),
        identity: RunIdentity(seed: seed, text: "", round: 1)
      )
    )
  }

  /// Ends everything: no further device begins, chains under way end with their clean-up.
  ///
  /// - Parameter cause: What they are told. The first cause wins.
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

  /// Runs the batch once, or as often as its schedule says.
  ///
  /// - Parameters:
  ///   - most: How many rounds there are at most; nil: until it is cancelled.
  ///   - clock: The wall clock that the schedule goes by, since 1970-01-01T00:00:00Z.
  /// - Returns: What the process ends with: that of the first round that did not go well, or of the
  ///   signal that ended it.
  public func run(most: Int?, clock: @escaping @Sendable () -> Duration) async -> ExitStatus {
    guard let schedule = batch.schedule, past == nil else {
      return await round(past?.round ?? 1).exitStatus
    }
    var times = ScheduleTimes(schedule, seed: seed)
    var status = ExitStatus.ok
    var number = 1
    while number <= most ?? Int.max, cause == nil, let next = times.next(now: clock()) {
      if next.time > clock() || next.missed > 0 {
        begin(number)
        emit(.waiting(next))
        await wait(until: next.time, clock)
      }
      guard cause == nil else { break }
      let ending = await round(number)
      if status == .ok { status = ending.exitStatus }
      number += 1
    }
    return cause.flatMap { RunFailure($0).signal }.map { .interrupted(by: $0) } ?? status
  }

  /// Why everything was ended, if it was.
  private var cause: (any Error)? { state.withLock { $0.cause } }

  /// Looks at the clock now and then: it may have been set, or the host suspended.
  private func wait(until time: Duration, _ clock: @Sendable () -> Duration) async {
    while cause == nil {
      let left = time - clock()
      guard left > .zero else { return }
      let pause = loop.task { [loop] in try await loop.sleep(for: min(left, .seconds(60))) }
      let isOver = state.withLock { state in
        state.pause = pause
        return state.cause != nil
      }
      if isOver { pause.cancel() }
      _ = try? await pause.value
      state.withLock { $0.pause = nil }
    }
  }

  private func begin(_ round: Int) {
    let text = batch.lines.joined(separator: "\n")
    state.withLock { state in
      state.round = round
      state.begun = nil
      state.queue = queue(of: 0)
      state.identity = RunIdentity(seed: seed, text: text, round: round)
    }
  }

  private func queue(of count: Int) -> BatchQueue {
    BatchQueue(count: count, rule: batch.onFailure, before: past?.counts ?? BatchCounts())
  }

  private func emit(_ change: BatchEvent.Change) {
    let now = loop.now
    let event = state.withLock { state in
      BatchEvent(
        batch: state.identity,
        round: state.round,
        offset: state.begun.map { now - $0 } ?? .zero,
        wallClock: loop.wallClockAtStart + now.sinceStart,
        change: change
      )
    }
    hear(event)
  }

  // MARK: One round

  private func round(_ number: Int) async -> BatchEnding {
    begin(number)
    let giveBack: @Sendable () -> Void
    do {
      giveBack = try await admission(state.withLock { $0.identity }, number)
    } catch {
      return finish([], RunFailure(error), isCancelled: false)
    }
    defer { giveBack() }
    state.withLock { $0.begun = loop.now }
    let ownDeadline = Guarded<(any Error)?>(nil)
    let timer = batch.deadline.map { limit in
      loop.after(limit) { [self] in
        let cause = TimedOut(operation: "the batch", after: limit)
        ownDeadline.withLock { $0 = cause }
        endRound(cause)
      }
    }
    defer { timer?.cancel() }
    let devices: [BatchDevice]
    do {
      devices = try await found().map { try $0.withSecrets() }
    } catch {
      return finish([], failure(error, ownDeadline.withLock { $0 }), isCancelled: false)
    }
    let isOver = ownDeadline.withLock { $0 != nil }
    state.withLock { state in
      state.queue = self.queue(of: devices.count)
      if state.cause != nil || isOver { state.queue.stop() }
    }
    let start = BatchStart(
      name: batch.name,
      devices: devices,
      concurrency: batch.concurrency,
      past: past
    )
    emit(.started(start))
    let tasks = lanes.map { lane in
      loop.task { [self] in await work(through: devices, in: lane, of: number, ownDeadline) }
    }
    for task in tasks { _ = try? await task.value }
    let cause = self.cause ?? ownDeadline.withLock { $0 }
    let queue = state.withLock { $0.queue }
    let isCut = cause != nil && (queue.counts.cancelled > 0 || !queue.notRun.isEmpty)
    let failed: RunFailure? = isCut ? cause.map { failure($0, nil) } : nil
    return finish(devices, failed, isCancelled: isCut)
  }

  /// The deadline of a round ends it, and not those that follow.
  private func endRound(_ cause: any Error) {
    state.withLock { $0.queue.stop() }
    for lane in lanes { lane.cancelAll(cause) }
  }

  private func failure(_ error: any Error, _ deadline: (any Error)?) -> RunFailure {
    let cause = RunFailure(self.cause ?? deadline ?? error)
    guard cause.what == "running the chain" else { return cause }
    return RunFailure(
      code: cause.code,
      class: cause.class,
      what: "running the batch",
      why: cause.why,
      hint: cause.hint,
      signal: cause.signal
    )
  }

  private func finish(
    _ devices: [BatchDevice],
    _ failure: RunFailure?,
    isCancelled: Bool
  ) -> BatchEnding {
    let queue = state.withLock { $0.queue }
    let ending = BatchEnding(
      queue.counts,
      notRun: queue.notRun.map { devices[$0].label },
      failure: failure,
      isCancelled: isCancelled
    )
    emit(.finished(ending))
    return ending
  }

  /// The devices that are to be run.
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

  // MARK: A lane

  private func work(
    through devices: [BatchDevice],
    in lane: SerialScheduler,
    of round: Int,
    _ deadline: Guarded<(any Error)?>
  ) async {
    while let index = state.withLock({ $0.queue.begin() }) {
      let device = devices[index]
      let ending = await run(device, in: lane, of: round, deadline)
      let counts = state.withLock { state in
        if let ending { state.queue.ended(ending) } else { state.queue.tookBack(index) }
        return state.queue.counts
      }
      if let ending { emit(.deviceEnded(device, ending, counts)) }
    }
  }

  /// Runs the chain on a device.
  ///
  /// - Returns: How it ended; nil when everything was ended before it began.
  private func run(
    _ device: BatchDevice,
    in lane: SerialScheduler,
    of round: Int,
    _ deadline: Guarded<(any Error)?>
  ) async -> RunEnding? {
    let told = Guarded<RunEnding?>(nil)
    let runner = ChainRunner(
      plan: device.plan,
      service: service(device.target, device.plan.link, lane),
      identity: RunIdentity(seed: seed, plan: device.plan, round: round),
      device: device.label
    ) { [hearRun] event in
      if case .runFinished(let ending) = event.change { told.withLock { $0 = ending } }
      hearRun(event)
    }
    do {
      try await lane.turn { [self] in
        if let cause = cause ?? deadline.withLock({ $0 }) { throw cause }
        _ = try await runner.ending().first()
      }
      return told.withLock { $0 }
    } catch {
      guard let ending = told.withLock({ $0 }) else { return nil }
      guard ending.status == .ok else { return ending }
      // The chain was done; its turn could not be cleaned up.
      let failure = RunFailure(error)
      return RunEnding(status: .failed, failure: failure, step: nil, done: ending.done)
    }
  }
}

extension BatchDevice {
  /// The device with the secrets of its plan read.
  func withSecrets() throws(SecretError) -> BatchDevice {
    var device = self
    device.plan = try plan.withSecrets()
    return device
  }
}
