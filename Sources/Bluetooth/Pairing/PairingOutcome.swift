// What came of pairing.

/// How ``DeviceService/pair(_:)`` ended well.
public enum PairingOutcome: String, Hashable, Sendable {
  /// The device is paired now.
  case paired
  /// It was before: nothing was done.
  case already
}
