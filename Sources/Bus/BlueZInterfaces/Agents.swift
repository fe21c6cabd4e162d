// org.bluez.AgentManager1 and Agent1: the agent that responds to pairing requests of bluetoothd.

package import DBus

/// `org.bluez.AgentManager1`, on `/org/bluez`.
///
/// - Source: BlueZ 5.66, `doc/agent-api.txt`, `src/agent.c`.
package enum AgentManager1 {
  /// The interface.
  package static let interface = "org.bluez.AgentManager1"

  package static let declaration = InterfaceDeclaration(
    interface, methods: [registerAgent, unregisterAgent, requestDefaultAgent]
  )

  /// The capability is one of ``Capability``.
  package static let registerAgent = Method(
    "RegisterAgent", of: interface, takes: .list(("agent", .objectPath), ("capability", .string))
  )
  package static let unregisterAgent = Method(
    "UnregisterAgent", of: interface, takes: .list(("agent", .objectPath))
  )
  package static let requestDefaultAgent = Method(
    "RequestDefaultAgent", of: interface, takes: .list(("agent", .objectPath))
  )

  /// The I/O capability of an agent; the empty string means KeyboardDisplay.
  package enum Capability {
    package static let unspecified = ""
    package static let displayOnly = "DisplayOnly"
    package static let displayYesNo = "DisplayYesNo"
    package static let keyboardOnly = "KeyboardOnly"
    package static let noInputNoOutput = "NoInputNoOutput"
    package static let keyboardDisplay = "KeyboardDisplay"

    /// All accepted values.
    package static let all = [
      unspecified, displayOnly, displayYesNo, keyboardOnly, noInputNoOutput, keyboardDisplay,
    ]
  }
}

/// `org.bluez.Agent1`, on an object of the client, called by bluetoothd.
///
/// - Source: BlueZ 5.66, `doc/agent-api.txt`, `src/agent.c`.
package enum Agent1 {
  /// The interface.
  package static let interface = "org.bluez.Agent1"

  package static let declaration = InterfaceDeclaration(
    interface,
    methods: [
      release, requestPinCode, displayPinCode, requestPasskey, displayPasskey,
      requestConfirmation, requestAuthorization, authorizeService, cancel,
    ]
  )

  package static let release = Method("Release", of: interface)
  package static let requestPinCode = Method(
    "RequestPinCode", of: interface, takes: .list(("device", .objectPath)),
    returns: .list(("pincode", .string))
  )
  package static let displayPinCode = Method(
    "DisplayPinCode", of: interface, takes: .list(("device", .objectPath), ("pincode", .string))
  )
  /// 0 to 999999.
  package static let requestPasskey = Method(
    "RequestPasskey", of: interface, takes: .list(("device", .objectPath)),
    returns: .list(("passkey", .uint32))
  )
  /// The last argument is the number of digits typed on the device so far.
  package static let displayPasskey = Method(
    "DisplayPasskey", of: interface,
    takes: .list(("device", .objectPath), ("passkey", .uint32), ("entered", .uint16))
  )
  package static let requestConfirmation = Method(
    "RequestConfirmation", of: interface,
    takes: .list(("device", .objectPath), ("passkey", .uint32))
  )
  package static let requestAuthorization = Method(
    "RequestAuthorization", of: interface, takes: .list(("device", .objectPath))
  )
  package static let authorizeService = Method(
    "AuthorizeService", of: interface, takes: .list(("device", .objectPath), ("uuid", .string))
  )
  package static let cancel = Method("Cancel", of: interface)
}
