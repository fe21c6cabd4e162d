// org.bluez.AgentManager1 and Agent1: who answers bluetoothd's requests during pairing.

public import DBus

/// `org.bluez.AgentManager1`, on `/org/bluez`.
///
/// - Source: BlueZ 5.66, `doc/agent-api.txt`, `src/agent.c`.
public enum AgentManager1 {
  /// The interface.
  public static let interface = "org.bluez.AgentManager1"

  public static let declaration = InterfaceDeclaration(
    interface,
    methods: [registerAgent, unregisterAgent, requestDefaultAgent]
  )

  /// The capability is one of ``Capability``.
  public static let registerAgent = Method(
    "RegisterAgent",
    of: interface,
    takes: .two(("agent", .objectPath), ("capability", .string))
  )
  public static let unregisterAgent = Method(
    "UnregisterAgent",
    of: interface,
    takes: .one("agent", .objectPath)
  )
  public static let requestDefaultAgent = Method(
    "RequestDefaultAgent",
    of: interface,
    takes: .one("agent", .objectPath)
  )

  /// The I/O capability of an agent; the empty string means KeyboardDisplay.
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

/// `org.bluez.Agent1`, on an object of the client, called by bluetoothd.
///
/// - Source: BlueZ 5.66, `doc/agent-api.txt`, `src/agent.c`.
public enum Agent1 {
  /// The interface.
  public static let interface = "org.bluez.Agent1"

  public static let declaration = InterfaceDeclaration(
    interface,
    methods: [
      release, requestPinCode, displayPinCode, requestPasskey, displayPasskey,
      requestConfirmation, requestAuthorization, authorizeService, cancel,
    ]
  )

  public static let release = Method("Release", of: interface)
  public static let requestPinCode = Method(
    "RequestPinCode",
    of: interface,
    takes: .one("device", .objectPath),
    returns: .one("pincode", .string)
  )
  public static let displayPinCode = Method(
    "DisplayPinCode",
    of: interface,
    takes: .two(("device", .objectPath), ("pincode", .string))
  )
  /// 0 to 999999.
  public static let requestPasskey = Method(
    "RequestPasskey",
    of: interface,
    takes: .one("device", .objectPath),
    returns: .one("passkey", .uint32)
  )
  /// The last argument is the number of digits typed on the device so far.
  public static let displayPasskey = Method(
    "DisplayPasskey",
    of: interface,
    takes: .three(("device", .objectPath), ("passkey", .uint32), ("entered", .uint16))
  )
  public static let requestConfirmation = Method(
    "RequestConfirmation",
    of: interface,
    takes: .two(("device", .objectPath), ("passkey", .uint32))
  )
  public static let requestAuthorization = Method(
    "RequestAuthorization",
    of: interface,
    takes: .one("device", .objectPath)
  )
  public static let authorizeService = Method(
    "AuthorizeService",
    of: interface,
    takes: .two(("device", .objectPath), ("uuid", .string))
  )
  public static let cancel = Method("Cancel", of: interface)
}
