// Adds evidence to failures: the part of a trace, and the D-Bus messages before the failure.
//
// It sits between runs and their report, and changes no other events.

public import Bluetooth
import RunEvents
import Signals

/// A report that adds evidence to each failure, then forwards all events.
///
/// A failed step gets its part of the trace and the messages since it began, at least those of the
/// last ``messageTime``, at most ``messageLimit``. A failure between steps gets the messages of the
/// last ``messageTime``. The end of a run does not repeat the messages of its step.
public final class TracedReport: Sendable {
  /// The time before a failure whose messages are always included, even if the step was shorter.
  public static let messageTime = Duration.seconds(5)
  /// The maximum number of messages of a failure.
  public static let messageLimit = 32
  /// The maximum length of a message's arguments, in characters.
  public static let argumentLimit = 200

  private struct Key: Hashable {
    let run: RunIdentity
    let device: String
  }

  /// A running step.
  private struct Begun {
    let position: StepPosition
    /// The position in the trace at which it began.
    let mark: Int
    let time: Duration
  }

  private struct Run {
    /// The running steps, innermost last.
    var begun: [Begun] = []
    /// The last failed step and its part of the trace; the failure of the run may be the same one.
    var failed: (position: StepPosition, slice: TraceSlice?)?
  }

  private let trace: (any RunTrace)?
  private let traffic: (any BlueZTraffic)?
  private let report: @Sendable (RunEvent) -> Void
  private let state = Guarded<[Key: Run]>([:])

  /// Creates a report that adds evidence to failures.
  ///
  /// ```swift
  /// func traced(by trace: any RunTrace) -> @Sendable (RunEvent) -> Void {
  ///   TracedReport(trace) { event in print(TextReport().lines(for: event)) }.receive
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - trace: The trace that records the runs.
  ///   - traffic: The recent D-Bus messages.
  ///   - report: Receives every event of ``ChainRunner``, even from several runs at once.
  public init(
    _ trace: (any RunTrace)?, _ traffic: (any BlueZTraffic)? = nil,
    _ report: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.trace = trace
    self.traffic = traffic
    self.report = report
  }

  /// Forwards an event, with evidence if it has a failure.
  @Sendable public func receive(_ event: RunEvent) { report(explained(event)) }

  /// Adds evidence to the failure of an event, if it has one.
  private func explained(_ event: RunEvent) -> RunEvent {
    let key = Key(run: event.run, device: event.device)
    var explained = event
    switch event.change {
    case .run(.started): state.withLock { $0[key] = Run() }
    case .step(.started(let step)):
      let mark = trace?.mark() ?? 0
      let begun = Begun(position: step.position, mark: mark, time: event.wallClock)
      state.withLock { $0[key, default: Run()].begun.append(begun) }
    case .step(.finished(let result)):
      explained.change = .step(.finished(finished(result, event, key)))
    case .run(.finished(let ending)):
      explained.change = .run(.finished(finished(ending, event, key)))
    case .run(.groupStarted), .run(.groupFinished), .data, .remark: break
    }
    return explained
  }

  private func finished(_ result: StepResult, _ event: RunEvent, _ key: Key) -> StepResult {
    let begun = state.withLock { runs -> Begun? in
      let index = runs[key]?.begun.lastIndex { $0.position == result.step.position }
      return index.flatMap { runs[key]?.begun.remove(at: $0) }
    }
    guard let failure = result.failure, let begun else { return result }
    let slice = trace?.slice(since: begun.mark)
    // An expected failure needs no evidence.
    let messages =
      result.status == .ok ? [] : messages(event, result.step.target?.device, since: begun.time)
    state.withLock { $0[key]?.failed = (result.step.position, slice) }
    var explained = result
    explained.failure = failure.explained(slice, messages)
    return explained
  }

  private func finished(_ ending: RunEnding, _ event: RunEvent, _ key: Key) -> RunEnding {
    let run = state.withLock { $0.removeValue(forKey: key) }
    guard let failure = ending.failure else { return ending }
    var explained = ending
    if ending.step == nil {
      explained.failure = failure.explained(nil, messages(event, nil, since: event.wallClock))
    } else if let failed = run?.failed, ending.step?.position == failed.position {
      explained.failure = failure.explained(failed.slice, [])
    }
    return explained
  }

  /// The messages before the end of a step that began at `time`.
  private func messages(
    _ event: RunEvent, _ device: String?, since time: Duration
  ) -> [BlueZMessage] {
    let since = min(time, event.wallClock - Self.messageTime)
    let latest = traffic?.latest(about: device ?? event.device, since: since) ?? []
    return latest.suffix(Self.messageLimit).map { $0.shortened(to: Self.argumentLimit) }
  }
}

extension RunFailure {
  /// Returns the failure with its part of a trace and the messages before it.
  fileprivate func explained(_ slice: TraceSlice?, _ messages: [BlueZMessage]) -> RunFailure {
    var explained = self
    explained.trace = slice ?? trace
    explained.messages = messages
    return explained
  }
}
