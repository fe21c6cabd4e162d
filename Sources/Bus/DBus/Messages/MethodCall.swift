// A method call: a message whose reply somebody waits for.

/// What to call and with which arguments.
package struct MethodCall: Sendable {
  /// The call without serial and sender.
  let message: Message
  /// The name of waiting for the reply, in errors.
  package let operation: String

  /// Validates and stores the description.
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

  /// The same call as a message that expects no reply.
  package func withoutReply() -> Message {
    var message = message
    message.noReplyExpected = true
    return message
  }
}
