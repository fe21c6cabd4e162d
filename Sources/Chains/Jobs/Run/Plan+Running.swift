// Runs a plan from Swift in one call, or as a signal of events.
//
// The run itself is in ChainRunner.

public import Bluetooth
import Documents
import Reports
import RunEvents
public import Signals

extension Plan {
  /// Runs the chain on a device, and returns the record of the run.
  ///
  /// It connects, runs the steps, and disconnects. A chain that fails, is cancelled or exceeds its
  /// deadline does not throw: ``RecordedRun/succeeded`` is false and ``RecordedRun/failures`` has
  /// the reasons.
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
  ///   - limit: The time limit, including the wait for the turn; nil for one hour, or for the rest
  ///     of an enclosing deadline.
  ///   - seed: Distinguishes runs of one plan: part of ``RunEvent/run``.
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  ///   - report: Called with each event, on the loop of the scheduler, one at a time. The next step
  ///     waits until it returns.
  /// - Returns: The record of the run, after the disconnect.
  /// - Throws: The reason that the run did not begin: `Problem` for a passkey that cannot be read,
  ///   `TimedOut` while it waited for its turn. `FailedWithCleanUp` if only the end of its turn
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

  /// Runs the chain on a device, and blocks the thread until it ends.
  ///
  /// For a dedicated thread, a program without concurrency, and tests in virtual time. The
  /// parameters and the result are those of the `async` form.
  ///
  /// ```swift
  /// let report = try plan.run(on: sensor, within: .seconds(60))
  /// ```
  ///
  /// - Throws: The errors of the `async` form, and `TimedOut` if the disconnect exceeds the limit;
  ///   it still completes in its turn.
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

  /// The events of a run on a device, ending with `runFinished`.
  ///
  /// A cold signal: each subscription starts a run. Cancelling the subscription cancels the run,
  /// which then disconnects. A slow subscriber does not delay the run: up to 65 536 events are
  /// buffered; one more fails the signal with `BufferOverflow`.
  ///
  /// ```swift
  /// for try await event in plan.events(on: sensor).values {
  ///   if case .data(let step, .value(let value)) = event.change { print(step.title, value.octets) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - service: The device. The run takes one turn of its scheduler.
  ///   - seed: Distinguishes runs of one plan: part of ``RunEvent/run``.
  /// - Returns: A signal that fails with the cause of a cancellation, but not if the chain fails.
  public func events(on service: any Device, seed: UInt64 = 0) -> Signal<RunEvent> {
    Signal(home: service.scheduler) { sink in
      let events = Subject<RunEvent>()
      let recording = try RunRecording(of: self, on: service, seed) { event in
        events.send(event)
        if case .run(.finished) = event.change { events.complete() }
      }
      let run = recording.record.compactMap { _ in RunEvent?.none }
      try await Signal.merge(events.signal, run).run(sink)
    }
  }
}

/// A run, and the record made from its events.
private struct RunRecording: Sendable {
  /// Runs the chain and sends its record.
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
      collector.withLock { $0.apply(event) }
      report(event)
    }
    self.collector = collector
    record = runner.ending().map { _ in collector.withLock { $0.runs[0] } }
  }

  /// Returns the record of a run that `error` cancelled.
  ///
  /// - Throws: `error`, unless the run began and ended as cancelled.
  func cancelled(by error: any Error) throws -> RecordedRun {
    guard let run = collector.withLock({ $0.runs.first }), run.ending?.status == .cancelled else {
      throw error
    }
    return run
  }
}
