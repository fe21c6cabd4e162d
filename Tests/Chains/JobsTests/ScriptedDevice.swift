// A device with scripted responses, which records its requests and their times.

import Bluetooth
import Signals

/// The device, simulated in virtual time.
final class ScriptedDevice: Device {
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
    /// The number of subscriptions that end with a lost connection, by characteristic.
    var losses: [String: Int] = [:]
    /// The minimum time between the arrival of a value and its delivery.
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

  /// The candidates that the search for the device reports.
  var candidates: [DeviceCandidate] {
    get { state.withLock { $0.candidates } }
    set { state.withLock { $0.candidates = newValue } }
  }

  // MARK: The script

  /// Answers the next calls of this kind with these answers; the last one repeats.
  func answer(_ call: String, _ answers: Answer...) { setAnswers(call, answers) }

  func setAnswers(_ call: String, _ answers: [Answer]) {
    state.withLock { $0.answers[call] = answers }
  }

  /// The notified values after a subscription, each with its delay after the previous one.
  func notify(_ characteristic: String, _ values: [(after: Duration, octets: [UInt8])]) {
    state.withLock { $0.values[characteristic] = values }
  }

  /// Loses the connection after the values of a characteristic, this many times.
  func lose(_ characteristic: String, times: Int = 1) {
    state.withLock { $0.losses[characteristic] = times }
  }

  /// Whether the connection is lost now; each loss is counted down.
  private func isLost(_ characteristic: String) -> Bool {
    state.withLock { state in
      guard let left = state.losses[characteristic], left > 0 else { return false }
      state.losses[characteristic] = left - 1
      state.isConnected = false
      return true
    }
  }

  /// Delays the delivery of each value by this long after its arrival, like a slow
  /// subscriber.
  func delayTaking(by lag: Duration) { state.withLock { $0.lag = lag } }

  /// Called when the connection is up, before `connect` returns.
  func onConnected(_ call: @escaping @Sendable () -> Void) {
    state.withLock { $0.onConnected = call }
  }

  /// The calls in order, with the time if it is not zero.
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

  /// A step of a stream: subscribing, or registering an agent.
  private func call(_ call: String, note: String? = nil) -> Signal<Void> {
    Signal(home: scheduler) { [self] sink in
      _ = try await answered(call, note: note)
      try await sink(())
    }
  }

  // MARK: The port

  /// The advertisements that a scan receives, all at once; then no more.
  var found: [Advertisement] {
    get { state.withLock { $0.found } }
    set { state.withLock { $0.found = newValue } }
  }

  func startScan(_ filter: ScanFilter) -> Signal<Signal<Advertisement>> {
    let found = found.filter { filter.matches($0) }
    return .just(
      call("scan").flattenMap {
        Signal { sink in
          for seen in found { try await sink(seen) }
          try await Signal<Void>.never().run { _ in }
        }
      }
    )
  }

  /// The services of the device.
  var offered: [GATTService] {
    get { state.withLock { $0.offered } }
    set { state.withLock { $0.offered = newValue } }
  }

  var operations: any DeviceOperations { ScriptedOperations(device: self, origin: origin) }

  /// The connection is up.
  func connected() {
    let call = state.withLock { state in
      state.isConnected = true
      return state.onConnected
    }
    call()
  }

  /// The connection is down.
  func disconnected() { state.withLock { $0.isConnected = false } }

  /// In the script, an empty value stands for a gap.
  func subscribe(
    _ characteristic: CharacteristicSelector, _ options: SubscriptionOptions
  ) -> Signal<Signal<NotificationEvent>> {
    var note = "subscribe \(characteristic)"
    if options.delivery != .signals { note += " \(options.delivery.rawValue)" }
    if options.onLinkLoss != .fail { note += " \(options.onLinkLoss.rawValue)" }
    if options.overflow != .error { note += " \(options.overflow.rawValue) \(options.buffer)" }
    return Signal.using(
      acquire: call("subscribe \(characteristic)", note: note),
      release: { [self] in call("unsubscribe \(characteristic)") }
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
          // A device that stops sending does not end the notifications.
          if values != nil { try await Signal<Void>.never().run { _ in } }
        }
      )
    }
  }

  func acquireWriter(_ characteristic: CharacteristicSelector) -> Signal<any CommandWriter> {
    .never()
  }

  func answering<Value: Sendable>(
    _ answers: PairingAnswers, _ body: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value> {
    Signal.using(
      acquire: call("agent", note: "agent \(answers.offeredCapability.rawValue)"),
      release: { [self] in call("no agent") }
    ) { body() }
  }
}

extension Advertisement {
  /// An advertisement with an address, and little more than a name.
  static func of(
    _ number: UInt64, _ name: String?, type: AddressType = .random, rssi: Int = -60,
    advertisedServices: [BluetoothUUID]? = [],
    serviceData: [(service: BluetoothUUID, data: [UInt8])] = []
  ) -> Advertisement {
    Advertisement(
      address: BluetoothAddress(number: number), addressType: type, name: name, alias: name ?? "",
      rssi: rssi, txPower: nil, services: [], advertisedServices: advertisedServices,
      manufacturerData: [], serviceData: serviceData, isConnected: false, isPaired: false,
      adapter: "hci0"
    )
  }
}
