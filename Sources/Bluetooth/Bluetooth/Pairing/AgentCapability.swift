// What this host can display and enter during pairing.

/// The I/O capability of a pairing agent. Together with the device's it determines the association
/// model.
///
/// - Source: Bluetooth Core 5.4, Vol 3, Part H §2.3.2 (IO capabilities).
public enum AgentCapability: String, CaseIterable, Hashable, Sendable {
  /// Displays a passkey.
  case displayOnly = "display-only"
  /// Displays a number, and confirms whether the device displays the same one.
  case displayYesNo = "display-yes-no"
  /// Enters a passkey.
  case keyboardOnly = "keyboard-only"
  /// No input and no output: the connection is encrypted, but not authenticated.
  case noInputNoOutput = "no-input-no-output"
  /// Displays and enters everything.
  case keyboardDisplay = "keyboard-display"
}
