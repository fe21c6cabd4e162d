// Messages of each type.

extension Message {
  /// A method call.
  ///
  /// - Parameters:
  ///   - destination: The callee; nil only between two programs without a bus.
  ///   - path: The object.
  ///   - interface: May be nil: then the object selects the interface.
  ///   - member: The method.
  ///   - body: The arguments.
  ///   - noReplyExpected: Whether the caller ignores the reply.
  ///   - noAutoStart: Whether the bus must not start the peer.
  /// - Throws: ``DBusNameError`` when a name is not valid.
  package static func methodCall(
    destination: String?, path: ObjectPath, interface: String?, member: String,
    body: [DBusValue] = [], noReplyExpected: Bool = false, noAutoStart: Bool = false
  ) throws(DBusNameError) -> Message {
    if let destination { try DBusName.check(destination, as: .busName) }
    if let interface { try DBusName.check(interface, as: .interface) }
    try DBusName.check(member, as: .member)
    var contents = Contents(kind: .methodCall)
    contents.destination = destination
    contents.path = path
    contents.interface = interface
    contents.member = member
    contents.body = body
    contents.noReplyExpected = noReplyExpected
    contents.noAutoStart = noAutoStart
    return Message(contents)
  }

  /// A signal, to all subscribers or to one destination.
  ///
  /// - Throws: ``DBusNameError`` when a name is not valid.
  package static func signal(
    path: ObjectPath, interface: String, member: String, body: [DBusValue] = [],
    destination: String? = nil
  ) throws(DBusNameError) -> Message {
    if let destination { try DBusName.check(destination, as: .busName) }
    try DBusName.check(interface, as: .interface)
    try DBusName.check(member, as: .member)
    var contents = Contents(kind: .signal)
    contents.destination = destination
    contents.path = path
    contents.interface = interface
    contents.member = member
    contents.body = body
    return Message(contents)
  }

  /// The reply to this method call.
  package func reply(_ body: [DBusValue] = []) -> Message {
    var contents = Contents(kind: .methodReturn)
    contents.replySerial = serial
    contents.destination = sender
    contents.body = body
    contents.noReplyExpected = true
    return Message(contents)
  }

  /// The error reply to this method call.
  ///
  /// An invalid name is replaced by `org.freedesktop.DBus.Error.Failed`, and put in front of the
  /// message.
  package func errorReply(_ error: DBusError) -> Message {
    var name = error.name
    var text = error.message
    if (try? DBusName.check(name.rawValue, as: .errorName)) == nil {
      text = error.description
      name = .failed
    }
    var contents = Contents(kind: .error)
    contents.replySerial = serial
    contents.destination = sender
    contents.errorName = name.rawValue
    contents.body = text.isEmpty ? [] : [.string(text)]
    contents.noReplyExpected = true
    return Message(contents)
  }

  /// Checks what Swift's types do not rule out, before a wire sends the message.
  ///
  /// - Throws: ``DBusValueError``.
  func checkSendable() throws(DBusValueError) {
    for value in body { try value.checkSendable() }
    if body.count > 1 { try DBusValueError.check(signature.text) }
  }
}
