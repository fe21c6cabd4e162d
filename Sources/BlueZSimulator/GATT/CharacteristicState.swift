// What a characteristic's object remembers: its cached value, who listens, what is under way.
//
// Pure. CharacteristicServer talks to the device and to clients.

import BlueZInterfaces
import Bluetooth

/// The bookkeeping of one exported characteristic.
struct CharacteristicState<Call: Sendable>: Sendable {
  /// What to do about a call.
  enum Step: Equatable, Sendable {
    case refuse(ErrorAnswer)
    /// It is done already.
    case answer
    /// Ask the device.
    case ask
  }

  /// What was read or notified last.
  var value = AttributeValue<Call>()
  var isWriting = false
  /// Told as `Notifying`; it outlives the link.
  private(set) var isNotifying = false
  /// The clients that called StartNotify, in order.
  private(set) var listeners: [String] = []
  /// Those of them whose subscription the device has not answered yet.
  private var subscribing: [String] = []
  var notifyAcquisition = Acquisition.free
  var writeAcquisition = Acquisition.free

  /// The object is removed: values and sessions are forgotten. Calls that wait still do.
  mutating func forget() {
    value.octets = []
    isNotifying = false
    listeners = []
    notifyAcquisition = .free
    writeAcquisition = .free
  }

  // MARK: Listening

  mutating func startNotify(
    _ client: String,
    _ properties: CharacteristicProperties,
    _ link: AttributeAccess.LinkView
  ) -> Step {
    if link.isClosing { return .refuse(.notConnected) }
    if notifyAcquisition.isTaken { return .refuse(.notifyAcquired) }
    guard !properties.isDisjoint(with: [.notify, .indicate]) else {
      return .refuse(.notSupported)
    }
    if subscribing.contains(client) { return .refuse(.inProgress) }
    if listeners.contains(client) { return .answer }
    listeners.append(client)
    // Without a link it takes effect on the next one.
    guard link.isConnected, !isNotifying else { return .answer }
    subscribing.append(client)
    return .ask
  }

  /// The device has taken the subscription of a client, or refused it.
  ///
  /// - Returns: Whether `Notifying` has changed.
  mutating func subscribed(_ client: String, _ isTaken: Bool) -> Bool {
    subscribing.removeAll { $0 == client }
    guard isTaken else {
      listeners.removeAll { $0 == client }
      return false
    }
    guard !isNotifying, !listeners.isEmpty else { return false }
    isNotifying = true
    return true
  }

  /// The device has taken the sessions that were kept for a new link, or refused them.
  ///
  /// - Returns: Whether `Notifying` has changed.
  mutating func resumed(_ isTaken: Bool) -> Bool {
    if !isTaken { listeners = [] }
    defer { isNotifying = !listeners.isEmpty }
    return isNotifying == listeners.isEmpty
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

  mutating func acquireNotify(
    _ caller: Acquisition.Caller,
    _ properties: CharacteristicProperties,
    _ link: AttributeAccess.LinkView
  ) -> Step {
    guard link.isConnected else { return .refuse(.gattNotConnected) }
    if notifyAcquisition.isTaken { return .refuse(.notifyAcquired) }
    if !listeners.isEmpty { return .refuse(.inProgress) }
    guard properties.contains(.notify) else { return .refuse(.notSupported) }
    notifyAcquisition = .pending(caller)
    return .ask
  }

  func acquireWrite(
    _ properties: CharacteristicProperties,
    _ link: AttributeAccess.LinkView
  ) -> Step {
    if writeAcquisition.isTaken { return .refuse(.writeAcquired) }
    guard properties.contains(.writeWithoutResponse) else { return .refuse(.notSupported) }
    return link.isConnected ? .ask : .refuse(.gattNotConnected)
  }
}
