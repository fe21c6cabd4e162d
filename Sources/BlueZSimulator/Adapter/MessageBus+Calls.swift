// Calls of bluetoothd to programs that expect no reply.

import BlueZInterfaces
import DBus

extension MessageBus {
  /// Calls a method of a program's object, which does not reply.
  func send<Input, Output>(
    _ method: Method<Input, Output>,
    _ input: Input,
    on path: ObjectPath,
    of client: String
  ) {
    let message = try? Message.methodCall(
      destination: client,
      path: path,
      interface: method.interface,
      member: method.name,
      body: method.input.encode(input),
      noReplyExpected: true
    )
    if let message { try? send(message) }
  }
}
