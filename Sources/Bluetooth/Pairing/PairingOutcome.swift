// The result of pairing.

/// The success results of ``DeviceService/pair(_:)``.
public enum PairingOutcome: String, Hashable, Sendable {
  /// The device is paired now.
  case paired
  /// It was paired before: nothing was done.
  case already
}
