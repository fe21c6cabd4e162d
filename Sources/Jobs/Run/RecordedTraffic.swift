// Records what BlueZ is asked and answers as events of runs, and limits what is recorded.
//
// It is between runs and their report, before the journal.

public import Bluetooth
public import Signals

/// Forwards the events of runs, and reports messages between them. Messages and packets together are
/// recorded up to a limit.
///
/// A message about a device is an event of the run on that device, one about no device of every run
/// under way. Events are reported on the loop, in the order in which they happened.
public final class RecordedTraffic: Sendable {
  private struct Key: Hashable {
    let run: RunIdentity
    let device: String
  }

  /// A run under way.
  private struct Run {
    /// Its last event.
    var last: RunEvent
    var leftOut = 0
    var isStopped = false
  }

  private struct State {
    /// The runs under way, in the order in which they began.
    var runs: [(key: Key, run: Run)] = []
    /// The messages that are to be reported.
    var waiting: [BlueZMessage] = []
    var isPosted = false
    /// What the reported messages and packets take, in octets.
    var octets = 0

    /// What becomes of something that would be recorded in a run.
    mutating func admit(_ octets: Int, to index: Int, upTo limit: Int) -> Admission {
      guard !runs[index].run.isStopped, self.octets + octets <= limit else {
        defer { runs[index].run.isStopped = true }
        runs[index].run.leftOut += 1
        return runs[index].run.isStopped ? .leftOut : .stops
      }
      self.octets += octets
      return .recorded
    }
  }

  /// What becomes of a message or a packet.
  private enum Admission {
    case recorded
    /// It is the first one that is left out.
    case stops
    case leftOut
  }

  /// How many messages wait for the loop; further ones count as left out.
  private static let mostWaiting = 10_000

  private let loop: Loop
  private let traffic: any BlueZTraffic
  private let limit: Int
  private let report: @Sendable (RunEvent) -> Void
  private let state = Guarded(State())

  /// Records the messages of runs.
  ///
  /// - Parameters:
  ///   - traffic: Knows which message is about which device.
  ///   - limit: How many octets the messages and packets may take, of all runs together.
  ///   - loop: The loop of the events.
  ///   - report: Receives the events, on the loop.
  public init(
    _ traffic: any BlueZTraffic,
    limit: Int,
    on loop: Loop,
    _ report: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.traffic = traffic
    self.limit = limit
    self.loop = loop
    self.report = report
  }

  /// Takes a message, from any thread.
  @Sendable public func receive(_ message: BlueZMessage) {
    let isFirst = state.withLock { state in
      guard !state.runs.isEmpty else { return false }
      guard state.waiting.count < Self.mostWaiting else {
        for index in state.runs.indices { state.runs[index].run.leftOut += 1 }
        return false
      }
      state.waiting.append(message)
      defer { state.isPosted = true }
      return !state.isPosted
    }
    if isFirst { loop.post { [weak self] in self?.reportWaiting() } }
  }

  /// Forwards an event, after the messages before it.
  @Sendable public func receive(_ event: RunEvent) {
    reportWaiting()
    let key = Key(run: event.run, device: event.device)
    switch event.change {
    case .runStarted: state.withLock { $0.runs.append((key, Run(last: event))) }
    case .runFinished: end(key, with: event)
    case .remark(.packet(let packet)):
      if let event = admitted(packet, event, key) { report(event) }
      return
    case .stepStarted, .value, .advertisement, .pairingDisplay, .gap, .stepFinished, .remark:
      state.withLock { state in
        guard let index = state.runs.firstIndex(where: { $0.key == key }) else { return }
        state.runs[index].run.last = event
      }
    }
    report(event)
  }

  /// The event of a packet, or the one that reports that recording stops; nil for neither.
  private func admitted(_ packet: RecordedPacket, _ event: RunEvent, _ key: Key) -> RunEvent? {
    let admission = state.withLock { state -> Admission? in
      let index = state.runs.firstIndex { $0.key == key }
      return index.map { state.admit(packet.octets, to: $0, upTo: limit) }
    }
    switch admission {
    case .recorded?: return event
    case .stops?: return event.with(.remark(.recordingStopped(limit: limit, leftOut: 0)))
    case .leftOut?, nil: return nil
    }
  }

  /// Reports how much of a run was left out, before its end.
  private func end(_ key: Key, with event: RunEvent) {
    let run = state.withLock { state -> Run? in
      let index = state.runs.firstIndex { $0.key == key }
      return index.map { state.runs.remove(at: $0).run }
    }
    guard let leftOut = run?.leftOut, leftOut > 0 else { return }
    report(event.with(.remark(.recordingStopped(limit: limit, leftOut: leftOut))))
  }

  private func reportWaiting() {
    let waiting = state.withLock { state in
      defer { (state.waiting, state.isPosted) = ([], false) }
      return state.waiting
    }
    for event in waiting.flatMap(events) { report(event) }
  }

  /// The events for a message, one for each run that it concerns.
  private func events(for message: BlueZMessage) -> [RunEvent] {
    let devices = state.withLock { $0.runs.map(\.key.device) }
    let concerned = devices.map { traffic.concerns(message, $0) }
    return state.withLock { state in
      zip(state.runs.indices, concerned).compactMap { index, isConcerned in
        guard isConcerned else { return nil }
        let last = state.runs[index].run.last
        switch state.admit(message.octets, to: index, upTo: limit) {
        case .recorded: return last.remark(.message(message), at: message.time)
        case .stops:
          return last.remark(.recordingStopped(limit: limit, leftOut: 0), at: message.time)
        case .leftOut: return nil
        }
      }
    }
  }
}

extension RunEvent {
  /// The same event with its time since another start.
  ///
  /// - Parameter start: Since 1970-01-01T00:00:00Z.
  package func since(_ start: Duration) -> RunEvent {
    RunEvent(
      run: run,
      device: device,
      attempt: attempt,
      offset: wallClock - start,
      wallClock: wallClock,
      change: change
    )
  }

  /// A remark in the same run.
  ///
  /// - Parameter time: Since 1970-01-01T00:00:00Z.
  func remark(_ remark: RunRemark, at time: Duration) -> RunEvent {
    RunEvent(
      run: run,
      device: device,
      attempt: attempt,
      // The clock of the kernel is not that of the loop.
      offset: max(.zero, offset + time - wallClock),
      wallClock: time,
      change: .remark(remark)
    )
  }
}
