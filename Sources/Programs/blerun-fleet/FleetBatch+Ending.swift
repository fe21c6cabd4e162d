// How a job of a batch ended, as the events of a run.

import Bluetooth
import Documents
import Fleet
import Jobs
import Program
import Signals

extension FleetBatch {
  /// A job has ended: it is reported once its events are all there.
  func ended(_ job: JobID, _ end: EndRecord) {
    guard let work = state.withLock({ $0.works[job] }), work.phase != .ended else { return }
    guard let following = work.following else { return report(job, end, missing: 0) }
    following.handle(.record(.ended(end)))
    guard state.withLock({ $0.works[job]?.phase }) != .ended else { return }
    // What was missed on the way is in the store, or else with the gateway.
    let stored = connection.store.watch(.one(.events(of: job))) { event in
      if case .entry(let entry) = event { following.take(entry.value) }
    }
    state.withLock { $0.works[job]?.follows(stored) }
  }

  func report(_ job: JobID, _ end: EndRecord, missing: Int) {
    guard let work = state.withLock({ $0.works[job] }), work.phase != .ended else { return }
    work.subscription?.cancel()
    if missing > 0 {
      StandardError.notice("\(work.device.label): \(counted(missing, "event")) of job \(job) lost")
    }
    let events = events(of: work, end)
    for event in events { receivers.onRunEvent(event) }
    var ending: RunEnding?
    if case .runFinished(let last)? = events.last?.change { ending = last }
    let (counts, stops) = state.withLock { state in
      state.move(job, to: .ended)
      state.works[job]?.events = [:]
      state.works[job]?.following = nil
      if let ending { state.counts.count(ending) }
      var stops = false
      if case .stop(let most) = batch.onFailure { stops = state.counts.failed >= most }
      return (state.counts, stops && !state.isStopped)
    }
    if let ending { emit(.deviceEnded(work.device, ending, counts)) }
    if stops { stopOthers() }
    advance()
  }

  /// A failure ends the batch for the devices that have not begun.
  private func stopOthers() {
    let queued = state.withLock { state -> [JobID] in
      state.isStopped = true
      return state.order.filter { job in
        guard let work = state.works[job] else { return false }
        return work.phase != .ended && work.phase != .waiting && work.events.isEmpty
      }
    }
    for job in queued { handle(.cancel(job)) }
  }

  /// The events of the run that ended the job, with the end that the fleet has recorded.
  private func events(of work: Work, _ end: EndRecord) -> [RunEvent] {
    let label = work.device.label
    var events = JobEvents(work.events[end.nonce] ?? []).events.map { event in
      RunEvent(
        run: event.run, device: label, deviceName: work.device.name, attempt: event.attempt,
        offset: event.offset, wallClock: event.wallClock, change: event.change
      )
    }
    var ran: RunEnding?
    if case .runFinished(let last)? = events.last?.change {
      ran = last
      events.removeLast()
    }
    let seed = world.identitySeed
    let identity = events.first?.run ?? RunIdentity(seed: seed, plan: work.device.plan)
    let last = events.last
    func add(_ change: RunEvent.Change) {
      events.append(
        RunEvent(
          run: identity, device: label, deviceName: work.device.name, attempt: last?.attempt ?? 1,
          offset: last?.offset ?? .zero,
          wallClock: last?.wallClock ?? loop.wallClockAtStart + loop.now.sinceStart, change: change
        )
      )
    }
    if events.isEmpty {
      let plan = work.device.plan
      let start = RunStart(chain: plan.name, steps: plan.writtenStepCount, seed: seed)
      add(.runStarted(start))
    }
    let ending = end.ending(ran, within: wishes.patience)
    add(.runFinished(ending.counting(steps: events)))
    return events
  }

  // MARK: The batch

  func emit(_ change: BatchEvent.Change) {
    let now = loop.now
    let (identity, begun) = state.withLock { ($0.identity, $0.begun) }
    receivers.onEvent(
      BatchEvent(
        batch: identity, round: 1, offset: begun.map { now - $0 } ?? .zero,
        wallClock: loop.wallClockAtStart + now.sinceStart, change: change
      )
    )
  }

  /// Ends the batch.
  ///
  /// - Parameter failure: Why it could not begin.
  func finish(_ failure: RunFailure?) -> BatchEnding {
    let (counts, notRun, cause) = state.withLock { state in
      let left = state.order.compactMap { state.works[$0] }.filter { $0.phase != .ended }
      return (state.counts, left.map(\.device.label), state.cause)
    }
    let isCut = cause != nil && (counts.cancelled > 0 || !notRun.isEmpty)
    let ending = BatchEnding(
      counts, notRun: notRun, failure: failure ?? (isCut ? cause.map { Self.failure($0) } : nil),
      isCancelled: isCut
    )
    emit(.finished(ending))
    return ending
  }
}

extension FleetBatch {
  /// Why the batch itself ended early.
  private static func failure(_ cause: any Error) -> RunFailure {
    let found = RunFailure(cause)
    return RunFailure(
      code: found.code, class: found.class, what: "running the batch", why: found.why,
      hint: found.hint, signal: found.signal
    )
  }
}

/// The events of the run of a claim: of its last try, where the connection was held before.
struct JobEvents {
  let events: [RunEvent]

  init(_ lines: [String]) {
    var reader = EventLines()
    var events: [RunEvent] = []
    for line in lines {
      guard let event = try? reader.event(in: line) else { continue }
      if case .runStarted = event.change { events = [] }
      events.append(event)
    }
    self.events = events
  }

  /// How the run ended, as far as its events are known.
  var ending: RunEnding? {
    if case .runFinished(let ending)? = events.last?.change { ending } else { nil }
  }
}

extension RunEnding {
  /// The ending with the numbers of steps that events report as done, and as ended with a warning.
  fileprivate func counting(steps events: [RunEvent]) -> RunEnding {
    let results = events.compactMap { event in
      if case .stepFinished(let result) = event.change { result } else { nil }
    }
    return RunEnding(
      status: status, failure: failure, step: step,
      done: results.count { !$0.step.position.isImplied && $0.status != .failed },
      warnings: results.count { $0.status == .warning }, captured: captured
    )
  }
}

extension EndRecord {
  /// The end for reports.
  ///
  /// - Parameters:
  ///   - ran: How the run ended for the gateway, as far as its events are known.
  ///   - patience: How long the job might wait and run.
  func ending(_ ran: RunEnding?, within patience: Duration) -> RunEnding {
    switch state {
    case .ok:
      if let ran, ran.status == .ok || ran.status == .warning { return ran }
      return RunEnding(status: .ok, failure: nil, step: nil, done: 0)
    case .failed:
      if let ran, ran.status == .failed { return ran }
      return failed("failed", .definite, "an operation failed; its events are missing")
    case .cancelled:
      let failure = RunFailure(
        code: .cancelled, class: .definite, what: "running the chain", why: "the job was cancelled"
      )
      return RunEnding(status: .cancelled, failure: failure, step: nil, done: 0)
    case .unknown:
      let why = "a write may or may not have reached the device, because its gateway was lost"
      return failed("unknown", .definite, why, hint: "look at the device before it is run again")
    case .interrupted:
      let before = step.map { "all before operation \($0 + 1) was done, and " } ?? ""
      let why = "the gateway was stopped: \(before)nothing was written after that"
      return failed("interrupted", .definite, why, hint: "run the rest, or all of it, again")
    case .noGateway:
      let why = "no gateway observed the device within \(patience.written)"
      return failed("no-gateway", .passing, why, hint: "blerun fleet devices")
    case .noCapableGateway:
      let why = "no gateway that observed the device is capable of what the job needs"
      return failed("no-capable-gateway", .definite, why, hint: "blerun fleet gateways")
    case .ambiguous:
      return failed("ambiguous", .definite, "several devices have the name")
    case .needsBond:
      let why = "the name belongs only to private addresses, which change"
      return failed("needs-bond", .definite, why, hint: "bond the device with a gateway")
    case .expired:
      let why = "no gateway ran the job within \(patience.written)"
      return failed("expired", .passing, why, hint: "a longer --patience")
    case .held:
      return failed("held", .passing, "the connection was held until the deadline")
    }
  }

  private func failed(
    _ code: String, _ class: FailureClass, _ why: String, hint: String = ""
  ) -> RunEnding {
    let failure = RunFailure(
      code: DeviceFailure.Code(rawValue: code), class: `class`, what: "running the job",
      why: detail.isEmpty ? why : "\(why): \(detail)", hint: hint
    )
    return RunEnding(status: .failed, failure: failure, step: nil, done: 0)
  }
}
