// What this side can show and take in while pairing.

/// The input and output that a pairing agent offers. With that of the device it decides how the two
/// are paired.
///
/// - Source: Bluetooth Core 5.4, Vol 3, Part H §2.3.2 (IO capabilities).
public enum AgentCapability: String, CaseIterable, Hashable, Sendable {
  /// Shows a passkey.
  case displayOnly = "display-only"
  /// Shows a number, and says whether it is the one that the device shows.
  case displayYesNo = "display-yes-no"
  /// Enters a passkey.
  case keyboardOnly = "keyboard-only"
  /// Nothing: the link is encrypted, but nobody knows who is at its other end.
  case noInputNoOutput = "no-input-no-output"
  /// Everything.
  case keyboardDisplay = "keyboard-display"
}
