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

  /// Reads a call's method and what follows the device in its arguments; nil for another method.
  init?(_ method: String, _ arguments: some Collection<DBusValue>) {
    let first = arguments.first
    switch method {
    case Agent1.Method.requestPinCode: self = .pinCode
    case Agent1.Method.displayPinCode:
      guard let text = first?.asString else { return nil }
      self = .displayPinCode(text)
    case Agent1.Method.requestPasskey: self = .passkey
    case Agent1.Method.displayPasskey:
      guard let number = first?.asUInt32 else { return nil }
      self = .displayPasskey(number, entered: arguments.dropFirst().first?.asUInt16 ?? 0)
    case Agent1.Method.requestConfirmation:
      guard let number = first?.asUInt32 else { return nil }
      self = .confirmation(number)
    case Agent1.Method.requestAuthorization: self = .authorization
    case Agent1.Method.authorizeService:
      guard let text = first?.asString else { return nil }
      self = .authorizeService(text)
    default: return nil
    }
  }
}
