// The result of pairing.

/// The success results of ``ConnectionOperations/pair(_:)``.
public enum PairingOutcome: Hashable, Sendable {
  /// The device is paired now.
  ///
  /// - `isAuthenticated`: Whether a number was compared or a passkey entered. Otherwise the
  ///   connection is encrypted, and nothing shows that it is with this device: Just Works.
  case paired(isAuthenticated: Bool)
  /// It was paired before: nothing was done.
  case already
}
