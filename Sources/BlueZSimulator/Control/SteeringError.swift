// Why the simulated world cannot be steered as somebody wants.

/// A refusal, with a name of its own and a text that says what was expected.
public struct SteeringError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, as the last element of the error's name on the bus.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// No device, or more than one, is called so.
    case unknownDevice = "UnknownDevice"
    /// The device has no such characteristic, or more than one.
    case unknownCharacteristic = "UnknownCharacteristic"
    /// The device has no such service.
    case unknownService = "UnknownService"
    /// A value that cannot be.
    case invalidValue = "InvalidValue"
    /// A fault rule that says nothing that can happen.
    case invalidFault = "InvalidFault"
    /// The device has no link.
    case notConnected = "NotConnected"
    /// No adapter, or more than one, is called so.
    case unknownAdapter = "UnknownAdapter"
    /// The adapter is pulled out, or the daemon is being restarted.
    case noAdapter = "NoAdapter"
    /// The restarted daemon could not come up.
    case restartFailed = "RestartFailed"
  }

  public let kind: Kind
  public let description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
