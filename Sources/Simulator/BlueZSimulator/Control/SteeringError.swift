// Errors of control actions on the simulated world.

/// A refused action, with a stable name and an explanation of what was expected.
public struct SteeringError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error; its raw value is the last element of the error name on the bus.
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

  /// The kind of error, for programs.
  public let kind: Kind
  public let description: String

  /// Creates an error with an explanation in a sentence.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
