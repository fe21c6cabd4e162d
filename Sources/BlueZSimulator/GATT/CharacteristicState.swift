// What a characteristic's object remembers: its cached value, who listens, what is under way.
//
// Pure. CharacteristicServer talks to the device and to clients.

import BlueZInterfaces
import Bluetooth

/// The bookkeeping of one exported characteristic.
struct CharacteristicState<Call: Sendable>: Sendable {
  /// A read that others may join.
  struct Reading: Sendable {
    let offset: Int
    var calls: [Call]
  }

  /// What to do about a call.
  enum Step: Equatable, Sendable {
    case refuse(ErrorAnswer)
    /// It is done already.
    case answer
    /// It waits for one that is under way.
    case wait
    /// Ask the device.
    case ask
  }

  /// What was read or notified last.
  var value: [UInt8] = []
  var reading: Reading?
  var isWriting = false
  /// Told as `Notifying`; it outlives the link.
  private(set) var isNotifying = false
  /// The clients that called StartNotify, in order.
  private(set) var listeners: [String] = []
  private var isSubscribing = false
  var isNotifyAcquired = false
  var isWriteAcquired = false

  // MARK: Reading

  mutating func read(_ call: Call, offset: Int, isConnected: Bool) -> Step {
    guard isConnected else { return .refuse(.gattNotConnected) }
    if let present = reading {
      guard present.offset == offset else { return .refuse(.inProgress) }
      reading?.calls.append(call)
      return .wait
    }
    reading = Reading(offset: offset, calls: [call])
    return .ask
  }

  /// The read has ended.
  ///
  /// - Returns: Who waits for it.
  mutating func endReading() -> [Call] {
    defer { reading = nil }
    return reading?.calls ?? []
  }

  // MARK: Listening

  mutating func startNotify(
    _ client: String,
    _ properties: CharacteristicProperties,
    _ link: AttributeAccess.LinkView
  ) -> Step {
    if link.isClosing { return .refuse(.notConnected) }
    if isNotifyAcquired { return .refuse(.notifyAcquired) }
    guard !properties.isDisjoint(with: [.notify, .indicate]) else {
      return .refuse(.notSupported)
    }
    if listeners.contains(client) { return isSubscribing ? .refuse(.inProgress) : .answer }
    listeners.append(client)
    // Without a link it takes effect on the next one.
    guard link.isConnected else {
      isNotifying = true
      return .answer
    }
    if isNotifying { return .answer }
    isSubscribing = true
    return .ask
  }

  /// The device has taken the subscription, or refused it.
  ///
  /// - Returns: Whether `Notifying` has changed.
  mutating func subscribed(_ isTaken: Bool) -> Bool {
    isSubscribing = false
    guard isTaken else {
      listeners = []
      return false
    }
    guard !isNotifying, !listeners.isEmpty else { return false }
    isNotifying = true
    return true
  }

  /// A client does not want to listen any more, or has left.
  ///
  /// - Returns: nil when it did not listen; else whether it was the last one.
  mutating func stopNotify(_ client: String) -> Bool? {
    guard let index = listeners.firstIndex(of: client) else { return nil }
    listeners.remove(at: index)
    guard listeners.isEmpty, isNotifying else { return false }
    isNotifying = false
    return true
  }

  // MARK: Acquiring

  func acquireNotify(
    _ properties: CharacteristicProperties,
    _ link: AttributeAccess.LinkView
  ) -> Step {
    if isNotifyAcquired { return .refuse(.notifyAcquired) }
    if !listeners.isEmpty { return .refuse(.inProgress) }
    guard properties.contains(.notify) else { return .refuse(.notSupported) }
    return link.isConnected ? .ask : .refuse(.gattNotConnected)
  }

  func acquireWrite(
    _ properties: CharacteristicProperties,
    _ link: AttributeAccess.LinkView
  ) -> Step {
    if isWriteAcquired { return .refuse(.writeAcquired) }
    guard properties.contains(.writeWithoutResponse) else { return .refuse(.notSupported) }
    return link.isConnected ? .ask : .refuse(.gattNotConnected)
  }
}
