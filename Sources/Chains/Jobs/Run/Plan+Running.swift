// A plan run from Swift in one call, and its events as a signal.
//
// The run itself is ChainRunner's.

public import Bluetooth
import Documents
public import Signals

extension Plan {
  /// Runs the chain on a device, and returns the record of the run.
  ///
  /// It connects, runs the steps, and disconnects. A chain that fails is a result, not an error of
  /// this call: ``RecordedRun/succeeded`` is the verdict, ``RecordedRun/failures`` has the reasons.
  /// So is a run that was cancelled, or that passed its deadline.
  ///
  /// ```swift
  /// let plan = try Plan(file: "soil.yaml")
  /// let report = try await plan.run(on: sensor) { event in print(event.offset, event.change) }
  /// print(report.succeeded, report.captured["moisture"]?.number ?? 0)
  /// for failure in report.failures { print(failure.source as Any, failure) }
  /// ```
  ///
  /// - Parameters:
  ///   - service: The device. The run takes one turn of its scheduler.
  ///   - limit: How long it may take, the wait for the turn included; without one an hour, or what is
  ///     left of the deadlines around it.
  ///   - seed: Distinguishes runs of one plan: part of ``RunEvent/run``.
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  ///   - report: Called with each event, on the loop of the scheduler, one at a time. The next step
  ///     waits until it returns.
  /// - Returns: The record of the run, after the disconnect.
  /// - Throws: Why the run did not begin: `Problem` for a passkey that cannot be read,
  ///   `TimedOut` while it waited for its turn; and `FailedWithCleanUp` when only the end of its turn
  ///   failed.
  public func run(
    on service: any Device, within limit: Duration? = nil, seed: UInt64 = 0,
    file: StaticString = #fileID, line: UInt = #line,
    report: @escaping @Sendable (RunEvent) -> Void = { _ in }
  ) async throws -> RecordedRun {
    let recording = try RunRecording(of: self, on: service, seed, report)
    do {
      return try await recording.record.first(within: limit, file: file, line: line)
    } catch {
      return try recording.cancelled(by: error)
    }
  }

  /// Blocks while the chain runs on a device, and returns the record of the run.
  ///
  /// For a thread of your own, a program without concurrency, and tests in virtual time. See the
  /// `async` form for the parameters and the result.
  ///
  /// ```swift
  /// let report = try plan.run(on: sensor, within: .seconds(60))
  /// ```
  ///
  /// - Throws: Also `TimedOut` when the disconnect lasts beyond the limit; it goes on in its turn.
  @available(*, noasync, message: "await run(on:within:) instead")
  public func run(
    on service: any Device, within limit: Duration, seed: UInt64 = 0, file: StaticString = #fileID,
    line: UInt = #line, report: @escaping @Sendable (RunEvent) -> Void = { _ in }
  ) throws -> RecordedRun {
    let recording = try RunRecording(of: self, on: service, seed, report)
    do {
      return try recording.record.firstOrThrow(within: limit, file: file, line: line)
    } catch {
      return try recording.cancelled(by: error)
    }
  }

  /// The events of a run of the chain on a device; its last one is `runFinished`.
  ///
  /// A cold signal: each start is a run. A consumer that leaves early cancels the run, which then
  /// disconnects. The consumer does not slow the run: up to 65 536 events wait for it, and with more
  /// it fails with `BufferOverflow`.
  ///
  /// ```swift
  /// for try await event in plan.events(on: sensor).values {
  ///   if case .value(let step, let value) = event.change { print(step.title, value.octets) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - service: The device. The run takes one turn of its scheduler.
  ///   - seed: Distinguishes runs of one plan: part of ``RunEvent/run``.
  /// - Returns: Fails with the cause when it is cancelled, not when the chain fails.
  public func events(on service: any Device, seed: UInt64 = 0) -> Signal<RunEvent> {
    Signal(home: service.scheduler) { sink in
      let events = Subject<RunEvent>()
      let recording = try RunRecording(of: self, on: service, seed) { event in
        events.send(event)
        if case .runFinished = event.change { events.complete() }
      }
      let run = recording.record.compactMap { _ in RunEvent?.none }
      try await Signal.merge(events.signal, run).run(sink)
    }
  }
}

/// One run, and the record that is made of its events.
private struct RunRecording: Sendable {
  /// Runs the chain, and sends the record.
  let record: Signal<RecordedRun>
  private let collector: Guarded<RunCollector>

  init(
    of plan: Plan, on service: any Device, _ seed: UInt64,
    _ report: @escaping @Sendable (RunEvent) -> Void
  ) throws(Problem) {
    let plan = try plan.withSecrets()
    let collector = Guarded(RunCollector())
    let identity = RunIdentity(seed: seed, plan: plan)
    let runner = ChainRunner(plan: plan, service: service, identity: identity) { event in
      collector.withLock { $0.take(event) }
      report(event)
    }
    self.collector = collector
    record = runner.ending().map { _ in collector.withLock { $0.runs[0] } }
  }

  /// The record of the run that `error` ended.
  ///
  /// - Throws: `error`, when the run had not begun, has not ended, or had ended before.
  func cancelled(by error: any Error) throws -> RecordedRun {
    guard let run = collector.withLock({ $0.runs.first }), run.ending?.status == .cancelled else {
      throw error
    }
    return run
  }
}
