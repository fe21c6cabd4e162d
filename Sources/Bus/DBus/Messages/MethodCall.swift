// A method call that expects a reply.

/// A method, its object and its arguments.
package struct MethodCall: Sendable {
  /// The call without serial and sender.
  let message: Message
  /// The name of the wait for the reply, in errors.
  package let operation: String

  /// Makes a call, and validates its names.
  ///
  /// - Throws: ``DBusNameError`` when a name is not valid.
  package init(
    destination: String, path: ObjectPath, interface: String, member: String,
    body: [DBusValue] = []
  ) throws(DBusNameError) {
    message = try .methodCall(
      destination: destination, path: path, interface: interface, member: member, body: body
    )
    operation = "the reply to \(member)"
  }

  /// The call as a message that expects no reply.
  package func withoutReply() -> Message {
    var message = message
    message.noReplyExpected = true
    return message
  }
}
