// Calls to bluetoothd.

import BlueZInterfaces
import DBus

extension MethodCall {
  /// A call to bluetoothd of a member whose names are constants of this package.
  static func bluez(
    _ path: ObjectPath,
    _ interface: String,
    _ member: String,
    _ body: [DBusValue] = []
  ) -> MethodCall {
    do {
      return try MethodCall(
        destination: OrgBlueZ.busName,
        path: path,
        interface: interface,
        member: member,
        body: body
      )
    } catch {
      preconditionFailure("\(interface).\(member) is no valid name: \(error)")
    }
  }

  /// The same call as a message that nobody waits for the answer of.
  func withoutReply() throws -> Message {
    try Message.methodCall(
      destination: destination,
      path: path,
      interface: interface,
      member: member,
      body: body,
      noReplyExpected: true
    )
  }
}
