// A device with scripted responses, which records its requests and their times.

import Bluetooth
import Signals

/// The port, played in virtual time.
final class ScriptedDevice: DeviceService {
  /// How one call is answered.
  enum Answer: Sendable {
    case value([UInt8], after: Duration = .zero)
    case failure(any Error, after: Duration = .zero)
    /// Never.
    case silence
  }

  private struct State {
    var calls: [String] = []
    var answers: [String: [Answer]] = [:]
    var values: [String: [(after: Duration, octets: [UInt8])]] = [:]
    /// How many subscriptions of a characteristic end with a lost connection, after their values.
    var losses: [String: Int] = [:]
    /// How long after its arrival each value is taken, at least.
    var lag = Duration.zero
    var isConnected = false
    var found: [Advertisement] = []
    var offered: [GATTService] = []
    var candidates: [DeviceCandidate] = []
    var onConnected: @Sendable () -> Void = {}
  }

  let scheduler: SerialScheduler
  let deviceDescription = "'Thermo-1'"
  /// The origin of the connection that `connect` reports.
  private let origin: LinkOrigin
  private let state = Guarded(State())

  convenience init(on loop: VirtualTimeLoop, origin: LinkOrigin = .made) {
    self.init(in: SerialScheduler(on: loop), origin: origin)
  }

  init(in scheduler: SerialScheduler, origin: LinkOrigin = .made) {
    self.scheduler = scheduler
    self.origin = origin
  }

  /// What matched when the device was looked for.
  var candidates: [DeviceCandidate] {
    get { state.withLock { $0.candidates } }
    set { state.withLock { $0.candidates = newValue } }
  }

  // MARK: The script

  /// Answers the next calls of a kind so; the last answer goes on.
  func answer(_ call: String, _ answers: Answer...) { setAnswers(call, answers) }

  func setAnswers(_ call: String, _ answers: [Answer]) {
    state.withLock { $0.answers[call] = answers }
  }

  /// What is notified once a characteristic is subscribed: each value so long after the last.
  func notify(_ characteristic: String, _ values: [(after: Duration, octets: [UInt8])]) {
    state.withLock { $0.values[characteristic] = values }
  }

  /// Loses the connection after the values of a characteristic, this many times.
  func lose(_ characteristic: String, times: Int = 1) {
    state.withLock { $0.losses[characteristic] = times }
  }

  /// Whether the connection is lost now, which is one loss less to come.
  private func isLost(_ characteristic: String) -> Bool {
    state.withLock { state in
      guard let left = state.losses[characteristic], left > 0 else { return false }
      state.losses[characteristic] = left - 1
      state.isConnected = false
      return true
    }
  }

  /// Has each value wait this long between its arrival and whoever takes it, as one that takes
  /// values slowly would.
  func delayTaking(by lag: Duration) { state.withLock { $0.lag = lag } }

  /// Called when the link has come, before the caller of `connect` learns of it.
  func onConnected(_ call: @escaping @Sendable () -> Void) {
    state.withLock { $0.onConnected = call }
  }

  /// What was asked, in order, with the time where it is not zero.
  var calls: [String] { state.withLock { $0.calls } }

  var isConnected: Bool { state.withLock { $0.isConnected } }

  func forgetCalls() { state.withLock { $0.calls = [] } }

  func answered(_ call: String, note: String? = nil) async throws -> [UInt8] {
    let answer = state.withLock { state -> Answer in
      let at = scheduler.loop.now.sinceStart
      state.calls.append((note ?? call) + (at == .zero ? "" : " at \(at.components.seconds)s"))
      guard var answers = state.answers[call], !answers.isEmpty else { return .value([]) }
      let answer = answers.count > 1 ? answers.removeFirst() : answers[0]
      state.answers[call] = answers
      return answer
    }
    switch answer {
    case .value(let octets, let delay):
      if delay > .zero { try await scheduler.loop.sleep(for: delay) }
      return octets
    case .failure(let error, let delay):
      if delay > .zero { try await scheduler.loop.sleep(for: delay) }
      throw error
    case .silence:
      try await Signal<Void>.never().run { _ in }
      return []
    }
  }

  func operation(
    _ call: String,
    note: String? = nil,
    then: @escaping @Sendable () -> Void = {}
  ) -> Signal<Void> {
    Signal(home: scheduler) { [self] sink in
      _ = try await answered(call, note: note)
      then()
      try await sink(())
    }
  }

  // MARK: The port

  /// The advertisements that a scan receives, all at once; then no more.
  var found: [Advertisement] {
    get { state.withLock { $0.found } }
    set { state.withLock { $0.found = newValue } }
  }

  func scan(_ filter: ScanFilter) -> Signal<Advertisement> {
    let found = found.filter { filter.matches($0) }
    return operation("scan").flattenMap {
      Signal { sink in
        for seen in found { try await sink(seen) }
        try await Signal<Void>.never().run { _ in }
      }
    }
  }

  /// What the device offers.
  var offered: [GATTService] {
    get { state.withLock { $0.offered } }
    set { state.withLock { $0.offered = newValue } }
  }

  func services() -> Signal<[GATTService]> { .just(offered) }

  func connect(keep: Bool, expecting: [ServiceSelector]) -> Signal<LinkOrigin> {
    operation("connect") { [self] in
      let call = state.withLock { state in
        state.isConnected = true
        return state.onConnected
      }
      call()
    }
    .map { [origin] in origin }
  }

  func read(_ characteristic: CharacteristicSelector) -> Signal<[UInt8]> {
    Signal(home: scheduler) { [self] sink in
      try await sink(try await answered("read \(characteristic)"))
    }
  }

  func write(
    _ value: [UInt8],
    to characteristic: CharacteristicSelector,
    kind: WriteKind
  ) -> Signal<Void> {
    let hex = DecodedValue.octets(value).description
    let how = kind == .automatic ? "" : " \(kind.rawValue)"
    return operation("write \(characteristic)", note: "write \(characteristic) \(hex)\(how)")
  }

  func notifications(_ characteristic: CharacteristicSelector) -> Signal<NotifiedValue> {
    subscribe(characteristic).flattenMap { $0 }
  }

  func subscribe(_ characteristic: CharacteristicSelector) -> Signal<Signal<NotifiedValue>> {
    subscribe(characteristic, SubscriptionOptions()).map(\.notifications)
  }

  /// The gaps of the script are values of no octets.
  func subscribe(
    _ characteristic: CharacteristicSelector,
    note: String
  ) -> Signal<Signal<NotificationEvent>> {
    Signal.using(
      acquire: operation("subscribe \(characteristic)", note: note),
      release: { [self] in operation("unsubscribe \(characteristic)") }
    ) { [self] in
      let (values, lag) = state.withLock { ($0.values["\(characteristic)"], $0.lag) }
      let loop = scheduler.loop
      return .just(
        Signal { [self] sink in
          var arrival = loop.now
          for value in values ?? [] {
            arrival = arrival + value.after
            if arrival > loop.now { try await loop.sleep(for: arrival - loop.now) }
            if lag > .zero { try await loop.sleep(for: lag) }
            let notification = NotifiedValue(value: value.octets, at: arrival)
            let gap = NotificationGap(.linkLost, from: arrival, to: arrival)
            try await sink(value.octets.isEmpty ? .gap(gap) : .value(notification))
          }
          if isLost("\(characteristic)") {
            throw DeviceFailure.scripted(.linkLost, .passing, "listening to \(characteristic)")
          }
          // A device that falls silent ends nothing.
          if values != nil { try await Signal<Void>.never().run { _ in } }
        }
      )
    }
  }

  /// The first octet of the answer is the RSSI, the second the power.
  func rssi() -> Signal<LinkStrength> {
    Signal(home: scheduler) { [self] sink in
      let levels = try await answered("rssi").map { Int(Int8(bitPattern: $0)) }
      try await sink(
        LinkStrength(rssi: levels.first ?? 0, txPower: levels.count > 1 ? levels[1] : nil)
      )
    }
  }

  func release() -> Signal<Void> { origin == .made ? disconnect() : .just(()) }

  func disconnect() -> Signal<Void> {
    operation("disconnect") { [self] in state.withLock { $0.isConnected = false } }
  }

  func pair(_ answers: PairingAnswers) -> Signal<PairingOutcome> {
    let how = "pair \(answers.offeredCapability.rawValue)"
    return Signal(home: scheduler) { [self] sink in
      let answer = try await answered("pair", note: how)
      try await sink(answer == [1] ? .already : .paired(isAuthenticated: answer == []))
    }
  }

  func answering<Value: Sendable>(
    _ answers: PairingAnswers,
    _ body: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value> {
    Signal.using(
      acquire: operation("agent", note: "agent \(answers.offeredCapability.rawValue)"),
      release: { [self] in operation("no agent") }
    ) { body() }
  }

  func unpair() -> Signal<Void> { operation("unpair") }

  func trust(_ isTrusted: Bool) -> Signal<Void> { operation(isTrusted ? "trust" : "distrust") }
}
