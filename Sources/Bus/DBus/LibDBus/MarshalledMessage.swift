// A message in the representation of libdbus.

import CDBus

/// The owner of one reference to a `DBusMessage`.
struct MarshalledMessage: ~Copyable, @unchecked Sendable {
  // `pointer` is used by one thread at a time, because this type cannot be copied. libdbus counts
  // references atomically, so another thread may release the last one.
  let pointer: OpaquePointer

  /// Takes ownership of a reference.
  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { dbus_message_unref(pointer) }

  /// Marshals a message.
  ///
  /// - Throws: ``DBusValueError`` if a value cannot be sent.
  static func marshalling(_ message: Message) throws(DBusValueError) -> MarshalledMessage {
    guard let pointer = dbus_message_new(type(of: message.kind)) else { throw .tooLarge }
    let marshalled = MarshalledMessage(owning: pointer)
    var isSet = true
    func set(_ isDone: dbus_bool_t) { if isDone == 0 { isSet = false } }
    if let path = message.path { set(dbus_message_set_path(pointer, path.text)) }
    if let name = message.interface { set(dbus_message_set_interface(pointer, name)) }
    if let name = message.member { set(dbus_message_set_member(pointer, name)) }
    if let name = message.errorName { set(dbus_message_set_error_name(pointer, name)) }
    if let name = message.destination { set(dbus_message_set_destination(pointer, name)) }
    if let serial = message.replySerial { set(dbus_message_set_reply_serial(pointer, serial)) }
    guard isSet else { throw .tooLarge }
    if message.noReplyExpected { dbus_message_set_no_reply(pointer, 1) }
    if message.noAutoStart { dbus_message_set_auto_start(pointer, 0) }
    try MessageWriter.append(message.body, to: pointer)
    return marshalled
  }

  /// Passes the reference to the caller, which must release it.
  consuming func released() -> OpaquePointer {
    let pointer = pointer
    discard self
    return pointer
  }

  /// Unmarshals the message.
  ///
  /// - Parameters:
  ///   - receiver: The destination of replies, if known; otherwise an empty name.
  ///   - limits: The limits on the message. If it exceeds them, or the process has no free
  ///     descriptor for one in it, the result has the arguments before the first refused one, and a
  ///     ``Message/refusal``.
  /// - Returns: The message; nil for an unknown message type.
  func read(by receiver: String = "", within limits: ReadLimits = ReadLimits()) -> Message? {
    guard let kind = Self.kind(of: dbus_message_get_type(pointer)) else { return nil }
    let isAnswer = kind == .methodReturn || kind == .error
    func text(_ characters: UnsafePointer<CChar>?) -> String? {
      characters.map { String(cString: $0) }
    }
    var contents = Message.Contents(kind: kind)
    var budget = ReadBudget(limits, isReply: isAnswer)
    do {
      try MessageReader.read(pointer, &budget, into: &contents.body)
    } catch {
      contents.refusal = error
    }
    contents.serial = dbus_message_get_serial(pointer)
    contents.sender = text(dbus_message_get_sender(pointer))
    if isAnswer {
      contents.replySerial = dbus_message_get_reply_serial(pointer)
      if kind == .error { contents.errorName = text(dbus_message_get_error_name(pointer)) }
    } else {
      contents.path = text(dbus_message_get_path(pointer)).map { ObjectPath(valid: $0) }
      contents.interface = text(dbus_message_get_interface(pointer))
      contents.member = text(dbus_message_get_member(pointer))
    }
    contents.destination =
      isAnswer && !receiver.isEmpty ? receiver : text(dbus_message_get_destination(pointer))
    contents.noReplyExpected = dbus_message_get_no_reply(pointer) != 0
    contents.noAutoStart = dbus_message_get_auto_start(pointer) == 0
    return Message(contents)
  }

  private static func type(of kind: Message.Kind) -> Int32 {
    switch kind {
    case .methodCall: DBUS_MESSAGE_TYPE_METHOD_CALL
    case .methodReturn: DBUS_MESSAGE_TYPE_METHOD_RETURN
    case .error: DBUS_MESSAGE_TYPE_ERROR
    case .signal: DBUS_MESSAGE_TYPE_SIGNAL
    }
  }

  /// The type of a message; nil for one that the specification does not define.
  static func kind(of type: Int32) -> Message.Kind? {
    switch type {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: .methodCall
    case DBUS_MESSAGE_TYPE_METHOD_RETURN: .methodReturn
    case DBUS_MESSAGE_TYPE_ERROR: .error
    case DBUS_MESSAGE_TYPE_SIGNAL: .signal
    default: nil
    }
  }
}

extension Message {
  /// The message as a connection over libdbus would receive it. A signal that exceeds the limits
  /// has a ``refusal``.
  ///
  /// - Throws: ``DBusValueError`` if it cannot be sent; ``DBusError`` if a reply or a call exceeds
  ///   the limits.
  package func received(within limits: ReadLimits = ReadLimits()) throws -> Message {
    let message = try MarshalledMessage.marshalling(self).read(within: limits) ?? self
    if message.kind != .signal, let refusal = message.refusal { throw refusal }
    return message
  }
}
