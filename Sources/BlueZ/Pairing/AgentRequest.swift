// What bluetoothd asks an agent, read from its call.

import BlueZInterfaces
import DBus

/// One call of Agent1 about a device.
///
/// - Source: BlueZ 5.66, `doc/agent-api.txt`.
enum AgentRequest: Equatable, Sendable {
  case pinCode
  case displayPinCode(String)
  case passkey
  /// `entered`: how many digits were typed on the device so far.
  case displayPasskey(UInt32, entered: UInt16)
  case confirmation(UInt32)
  case authorization
  case authorizeService(String)
}
