// A request of bluetoothd to an agent, parsed from its call.

import BlueZInterfaces
import DBus

/// One call of Agent1 about a device.
///
/// - Source: BlueZ 5.66, `doc/agent-api.txt`.
enum AgentRequest: Equatable, Sendable {
  case pinCode
  case displayPinCode(String)
  case passkey
  /// `entered`: the number of digits typed on the device so far.
  case displayPasskey(UInt32, entered: UInt16)
  case confirmation(UInt32)
  case authorization
  case authorizeService(String)
}
