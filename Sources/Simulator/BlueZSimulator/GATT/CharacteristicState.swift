// The state of a characteristic's object: its cached value, subscribers, pending calls.
//
// Pure: CharacteristicServer talks to the device and to clients.

import BlueZInterfaces
import Bluetooth

/// The state of one exported characteristic.
struct CharacteristicState<Call: Sendable>: Sendable {
  /// The next step for a call.
  enum Step: Equatable, Sendable {
    case refuse(ErrorAnswer)
    case answer
    case ask
  }

  var value = AttributeValue<Call>()
  var isWriting = false
  /// The value of `Notifying`; it is kept when the connection ends.
  private(set) var isNotifying = false
  /// The clients that called StartNotify, in order.
  private(set) var listeners: [String] = []
  /// Listeners whose subscription the device has not confirmed yet.
  private var subscribing: [String] = []
  var notifyAcquisition = Acquisition.free
  var writeAcquisition = Acquisition.free
  /// bluetoothd itself has subscribed, on the current connection.
  var isKept = false

  /// Drops values and sessions of a removed object. Pending calls still wait.
  mutating func forget() {
    value.octets = []
    isNotifying = false
    listeners = []
    notifyAcquisition = .free
    writeAcquisition = .free
  }

  // MARK: Subscribing

  mutating func startNotify(
    _ client: String, _ properties: CharacteristicProperties, _ link: AttributeAccess.LinkView
  ) -> Step {
    if link.isClosing { return .refuse(.notConnected) }
    if notifyAcquisition.isAcquired { return .refuse(.notifyAcquired) }
    guard !properties.isDisjoint(with: [.notify, .indicate]) else {
      return .refuse(.notSupported)
    }
    if subscribing.contains(client) { return .refuse(.inProgress) }
    if listeners.contains(client) { return .answer }
    listeners.append(client)
    // Without a connection the session takes effect on the next one.
    guard link.isConnected, !isNotifying else { return .answer }
    subscribing.append(client)
    return .ask
  }

  /// Applies that the device confirmed or refused a client's subscription.
  ///
  /// - Returns: True if `Notifying` has changed.
  mutating func subscribed(_ client: String, _ isAccepted: Bool) -> Bool {
    subscribing.removeAll { $0 == client }
    if !isAccepted { listeners.removeAll { $0 == client } }
    let wasNotifying = isNotifying
    // A refused client may have been the last one, after others had subscribed and stopped.
    isNotifying = (isAccepted || wasNotifying) && !listeners.isEmpty
    return isNotifying != wasNotifying
  }

  /// Applies that the device confirmed or refused the kept sessions on a new connection.
  ///
  /// - Returns: True if `Notifying` has changed.
  mutating func resumed(_ isAccepted: Bool) -> Bool {
    if !isAccepted { listeners = [] }
    defer { isNotifying = !listeners.isEmpty }
    return isNotifying == listeners.isEmpty
  }

  /// Removes the session of a client that called StopNotify or left.
  ///
  /// - Returns: nil if it had none; otherwise true if it was the last one.
  mutating func stopNotify(_ client: String) -> Bool? {
    guard let index = listeners.firstIndex(of: client) else { return nil }
    listeners.remove(at: index)
    guard listeners.isEmpty, isNotifying else { return false }
    isNotifying = false
    return true
  }

  // MARK: Acquiring

  mutating func acquireNotify(
    _ caller: Acquisition.Caller, _ properties: CharacteristicProperties,
    _ link: AttributeAccess.LinkView, indications: Bool
  ) -> Step {
    guard link.isConnected else { return .refuse(.gattNotConnected) }
    if notifyAcquisition.isAcquired { return .refuse(.notifyAcquired) }
    if !listeners.isEmpty { return .refuse(.inProgress) }
    let isOffered = properties.contains(.notify) || indications && properties.contains(.indicate)
    guard isOffered else { return .refuse(.notSupported) }
    notifyAcquisition = .pending(caller)
    return .ask
  }

  func acquireWrite(
    _ properties: CharacteristicProperties, _ link: AttributeAccess.LinkView, isReadOnly: Bool
  ) -> Step {
    if isReadOnly, link.isConnected { return .refuse(.notAuthorized) }
    if writeAcquisition.isAcquired { return .refuse(.writeAcquired) }
    guard properties.contains(.writeWithoutResponse) else { return .refuse(.notSupported) }
    return link.isConnected ? .ask : .refuse(.gattNotConnected)
  }
}
