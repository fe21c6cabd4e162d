// org.bluez.AgentManager1 and Agent1: who answers bluetoothd's questions while pairing.

/// Names of `org.bluez.AgentManager1`, on `/org/bluez`.
///
/// - Source: BlueZ 5.66, `doc/agent-api.txt`, `src/agent.c`.
public enum AgentManager1 {
  /// The interface.
  public static let interface = "org.bluez.AgentManager1"

  /// Methods.
  public enum Method {
    /// `(o, s)`, the second one of ``Capability``.
    public static let registerAgent = "RegisterAgent"
    /// `(o)`
    public static let unregisterAgent = "UnregisterAgent"
    /// `(o)`
    public static let requestDefaultAgent = "RequestDefaultAgent"
  }

  /// What an agent can do; the empty string means keyboard and display.
  public enum Capability {
    public static let unspecified = ""
    public static let displayOnly = "DisplayOnly"
    public static let displayYesNo = "DisplayYesNo"
    public static let keyboardOnly = "KeyboardOnly"
    public static let noInputNoOutput = "NoInputNoOutput"
    public static let keyboardDisplay = "KeyboardDisplay"

    /// Every value that is accepted.
    public static let all = [
      unspecified, displayOnly, displayYesNo, keyboardOnly, noInputNoOutput, keyboardDisplay,
    ]
  }
}

/// Names of `org.bluez.Agent1`, on an object of the client's, called by bluetoothd.
///
/// - Source: BlueZ 5.66, `doc/agent-api.txt`, `src/agent.c`.
public enum Agent1 {
  /// The interface.
  public static let interface = "org.bluez.Agent1"

  /// Methods.
  public enum Method {
    /// `()`
    public static let release = "Release"
    /// `(o) -> s`
    public static let requestPinCode = "RequestPinCode"
    /// `(o, s)`
    public static let displayPinCode = "DisplayPinCode"
    /// `(o) -> u`, 0…999999
    public static let requestPasskey = "RequestPasskey"
    /// `(o, u, q)`, the last how many digits were entered
    public static let displayPasskey = "DisplayPasskey"
    /// `(o, u)`
    public static let requestConfirmation = "RequestConfirmation"
    /// `(o)`
    public static let requestAuthorization = "RequestAuthorization"
    /// `(o, s)`
    public static let authorizeService = "AuthorizeService"
    /// `()`
    public static let cancel = "Cancel"
  }
}
