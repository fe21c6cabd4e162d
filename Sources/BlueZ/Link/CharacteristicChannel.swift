// One characteristic in use: its prepared calls, and its one subscription for many subscribers.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// A characteristic's reads, writes and notified values over one bus connection.
final class CharacteristicChannel: Sendable {
  struct State {
    var filter = EchoFilter()
    var nextID: UInt64 = 0
    var subscribers: [(id: UInt64, mailbox: Mailbox<Notification>)] = []
    var rule: Subscription?
    var isNotifying = false
  }

  let view: CharacteristicView
  let bus: any MessageBus
  let limits: BlueZLimits
  /// Kept, so that the bus can keep its marshalled form.
  private let readCall: MethodCall
  private let startCall: MethodCall
  private let stopCall: MethodCall
  private let gate = Gate()
  let state = Guarded(State())

  init(_ view: CharacteristicView, bus: any MessageBus, limits: BlueZLimits) {
    self.view = view
    self.bus = bus
    self.limits = limits
    let interface = GattCharacteristic1.interface
    readCall = .bluez(
      view.path,
      interface,
      GattCharacteristic1.Method.readValue,
      [.properties([:])]
    )
    startCall = .bluez(view.path, interface, GattCharacteristic1.Method.startNotify)
    stopCall = .bluez(view.path, interface, GattCharacteristic1.Method.stopNotify)
  }

  private var loop: Loop { bus.loop }

  /// The limit of a call of our own: none where a deadline is carried, which needs no second timer.
  private var attributeLimit: Duration? { Deadline.current == nil ? limits.attribute : nil }

  // MARK: Reading and writing

  /// Reads the value.
  @inline(__always)
  nonisolated(nonsending)
    func read() async throws -> [UInt8]
  {
    state.withLock { $0.filter.readBegan() }
    do {
      let reply = try await bus.call(readCall, limit: attributeLimit) { [self] in lateRead($0) }
      let value = reply.body.first?.asBytes
      readEnded(value)
      guard let value else { throw Problem(ErrorMapping.unknown(ErrorSituation(.read))) }
      return value
    } catch {
      // Its answer, and the echo before it, may still come to one that was left.
      if !(error is CancellationError || error is TimedOut) { readEnded(nil) }
      throw error
    }
  }

  private func lateRead(_ answer: Result<Message, DBusError>) {
    switch answer {
    case .success(let reply): readEnded(reply.body.first?.asBytes)
    case .failure: readEnded(nil)
    }
  }

  private func readEnded(_ value: [UInt8]?) {
    deliver(state.withLock { $0.filter.readEnded(with: value) })
  }

  /// Writes a value.
  ///
  /// - Parameter type: One of `GattCharacteristic1.WriteType`; nil leaves the choice to bluetoothd.
  func write(_ value: [UInt8], type: String?) async throws {
    let options: PropertyMap =
      if let type { [GattCharacteristic1.Option.type: .string(type)] } else { [:] }
    let call = MethodCall.bluez(
      view.path,
      GattCharacteristic1.interface,
      GattCharacteristic1.Method.writeValue,
      [.bytes(value), .properties(options)]
    )
    _ = try await bus.call(call, limit: attributeLimit, lateReply: nil)
  }

  // MARK: Subscribing

  /// Subscribes, if this is the first subscriber, and gives it a mailbox.
  ///
  /// Returns when StartNotify was answered: what the device notifies from now on is in the mailbox,
  /// so the caller may trigger it.
  func subscribe() async throws -> Subscriber {
    try await gate.pass(on: loop, operation: "subscribing to \(view.title)") {
      let subscriber = addSubscriber()
      do {
        if !state.withLock({ $0.isNotifying }) { try await start() }
        return subscriber
      } catch {
        removeSubscriber(subscriber)
        stopUnwanted()
        dropRule()
        throw error
      }
    }
  }

  private func start() async throws {
    // First the rule, then StartNotify: no value falls between.
    if state.withLock({ $0.rule == nil }) {
      let rule = try await bus.subscribe(
        MatchRule(
          sender: OrgBlueZ.busName,
          path: view.path,
          interface: StandardInterface.properties,
          member: StandardInterface.Properties.propertiesChanged,
          arg0: GattCharacteristic1.interface
        )
      ) { [weak self] in self?.hear($0) }
      state.withLock { $0.rule = rule }
    }
    _ = try await bus.call(startCall, limit: attributeLimit) { [self] in lateStart($0) }
    state.withLock { $0.isNotifying = true }
  }

  /// StartNotify was answered after its caller had left: taken back unless somebody else wants it.
  ///
  /// Whoever left may not have got to saying so, and takes it back itself then.
  private func lateStart(_ answer: Result<Message, DBusError>) {
    guard case .success = answer else { return }
    state.withLock { $0.isNotifying = true }
    stopUnwanted()
  }

  /// Ends a subscription that nobody has, without waiting for the answer.
  private func stopUnwanted() {
    let isUnwanted = state.withLock { state in
      guard state.subscribers.isEmpty, state.isNotifying else { return false }
      state.isNotifying = false
      return true
    }
    if isUnwanted { try? bus.send(stopCall.withoutReply()) }
  }

  /// Takes a subscriber out; after the last one, ends the subscription.
  ///
  /// - Throws: What StopNotify failed with, other than that there is nothing left to stop.
  func unsubscribe(_ subscriber: Subscriber) async throws {
    removeSubscriber(subscriber)
    try await gate.pass(on: loop, operation: "ending a subscription to \(view.title)") {
      guard state.withLock({ $0.subscribers.isEmpty && $0.isNotifying }) else { return }
      defer { dropRule() }
      state.withLock { $0.isNotifying = false }
      do {
        _ = try await bus.call(stopCall, limit: limits.call, lateReply: nil)
      } catch let error as DBusError where !Self.matters(error) {
        // The link, the object or bluetoothd went first, and the subscription with it.
      } catch is BusFailure {}
    }
  }

  private static func matters(_ error: DBusError) -> Bool {
    let answer = ErrorAnswer(error)
    let code = ErrorMapping.explain(answer, ErrorSituation(.notify)).code
    return answer != .noNotifySession && code != .linkLost && code != .notConnected
      && code != .daemonMissing && code != .busLost && code != .adapterOff
  }

  private func dropRule() {
    let rule: Subscription? = state.withLock { state in
      guard state.subscribers.isEmpty else { return nil }
      defer { state.rule = nil }
      return state.rule
    }
    rule?.cancel()
  }

  private func addSubscriber() -> Subscriber {
    let mailbox = Mailbox<Notification>(bound: limits.notifications)
    return state.withLock { state in
      state.nextID += 1
      state.subscribers.append((state.nextID, mailbox))
      return Subscriber(id: state.nextID, mailbox: mailbox, channel: self)
    }
  }

  private func removeSubscriber(_ subscriber: Subscriber) {
    state.withLock { $0.subscribers.removeAll { $0.id == subscriber.id } }
  }

  // MARK: Values

  private func hear(_ message: Message) {
    guard message.body.count == 3,
      let value = message.body[1].asPropertyMap?[GattCharacteristic1.Property.value]?.asBytes
    else { return }
    switch state.withLock({ $0.filter.arrived(value, at: loop.now) }) {
    case .deliver(let held):
      deliver([held])
    case .hold(let number):
      loop.after(limits.echo) { [weak self] in
        guard let self else { return }
        deliver(state.withLock { $0.filter.release(through: number) })
      }
    }
  }

  private func deliver(_ values: [EchoFilter.Held]) {
    guard !values.isEmpty else { return }
    let subscribers = state.withLock { $0.subscribers }
    for held in values {
      let notification = Notification(value: held.value, at: held.at)
      for subscriber in subscribers { subscriber.mailbox.send(notification) }
    }
  }

  /// The link or the object has gone: every stream ends.
  func end(_ problem: Problem) {
    for subscriber in state.withLock({ $0.subscribers }) {
      subscriber.mailbox.finish(.failure(problem))
    }
  }
}

/// One of those that take the values of a subscription.
struct Subscriber: Sendable {
  let id: UInt64
  let mailbox: Mailbox<Notification>
  let channel: CharacteristicChannel
}
