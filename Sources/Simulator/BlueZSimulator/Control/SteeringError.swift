// Why a control action on the simulated world failed.

/// A refusal, with a name and a text that states what was expected.
public struct SteeringError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error, which is the last element of its name on the bus.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// No device, or more than one, has this name.
    case unknownDevice = "UnknownDevice"
    /// The device does not have the characteristic, or has more than one.
    case unknownCharacteristic = "UnknownCharacteristic"
    /// The device does not have the service.
    case unknownService = "UnknownService"
    /// An invalid value.
    case invalidValue = "InvalidValue"
    /// An invalid advertisement.
    case invalidAdvertisement = "InvalidAdvertisement"
    /// An invalid fault rule.
    case invalidFault = "InvalidFault"
    /// An invalid list of events for a logic, or an invalid path of its socket.
    case invalidLogic = "InvalidLogic"
    /// The logic could not be reached, or answered wrongly.
    case logicFailed = "LogicFailed"
    /// The device is not connected.
    case notConnected = "NotConnected"
    /// No adapter, or more than one, has this name.
    case unknownAdapter = "UnknownAdapter"
    /// The adapter is unplugged, or the daemon is being restarted.
    case noAdapter = "NoAdapter"
    /// The daemon could not be restarted.
    case restartFailed = "RestartFailed"
  }

  /// The kind of error, stable for programs.
  public let kind: Kind
  public let description: String

  /// An error of a kind, with a sentence for people.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
