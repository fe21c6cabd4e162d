// Calls between bluetoothd and programs that expect no reply.

import BlueZInterfaces
import DBus

extension MessageBus {
  /// Calls a method of an object, which does not reply.
  func send<Input, Output>(
    _ method: Method<Input, Output>,
    _ input: Input,
    on path: ObjectPath,
    of client: String
  ) {
    let call = try? MethodCall(method, input, on: path, of: client)
    // A program whose bus has ended does nothing any more.
    if let call { try? send(call.withoutReply()) }
  }
}
