// A method call described once and sent many times.

/// What to call and with which arguments.
///
/// Keep one for a call that is repeated: libdbus's wire keeps its marshalled form in it, which saves about
/// a third of the cost of a call.
package final class MethodCall: Sendable {
  /// The bus name that is called.
  package let destination: String
  /// The object.
  package let path: ObjectPath
  /// The interface of the method.
  package let interface: String
  /// The method.
  package let member: String
  /// The arguments.
  package let body: [DBusValue]

  /// The name of waiting for the reply, in errors.
  package let operation: String
  /// What libdbus's wire keeps.
  let template = MessageTemplate()

  /// Validates and stores the description.
  ///
  /// - Throws: ``DBusNameError`` when a name is not valid.
  package init(
    destination: String,
    path: ObjectPath,
    interface: String,
    member: String,
    body: [DBusValue] = []
  ) throws(DBusNameError) {
    try DBusName.check(destination, as: .busName)
    try DBusName.check(interface, as: .interface)
    try DBusName.check(member, as: .member)
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
    self.body = body
    operation = "the reply to \(member)"
  }

  /// The call as a message without sender.
  func message(serial: UInt32 = 0) -> Message {
    var contents = Message.Contents(kind: .methodCall)
    contents.serial = serial
    contents.destination = destination
    contents.path = path
    contents.interface = interface
    contents.member = member
    contents.body = body
    return Message(contents)
  }
}

extension MethodCall: CustomStringConvertible {
  package var description: String { "\(interface).\(member) on \(path) of \(destination)" }
}
