// A message as a value: header fields and body, constructors for each type, and its text for logs.
//
// A connection sends messages.

/// A message on a bus.
///
/// Serial and sender are set by the bus: they are 0 and nil until a message is sent or received.
/// A copy is cheap.
package struct Message: Sendable {
  /// The message type.
  package enum Kind: String, Sendable {
    /// A call of a method.
    case methodCall = "method_call"
    /// The result of a call.
    case methodReturn = "method_return"
    /// The error of a call.
    case error
    /// A signal.
    case signal
  }

  /// The contents, in one box so that copying a message copies one reference.
  struct Contents: Equatable, Sendable {
    var kind: Kind
    var serial: UInt32 = 0
    var replySerial: UInt32?
    var sender: String?
    var destination: String?
    var path: ObjectPath?
    var interface: String?
    var member: String?
    var errorName: String?
    var body: [DBusValue] = []
    var refusal: DBusError?
    var noReplyExpected = false
    var noAutoStart = false
  }

  private final class Box: Sendable {
    let contents: Contents
    init(_ contents: consuming Contents) { self.contents = contents }
  }

  private var box: Box

  init(_ contents: consuming Contents) { box = Box(contents) }

  private mutating func change<T>(_ field: WritableKeyPath<Contents, T>, to value: T) {
    var contents = box.contents
    contents[keyPath: field] = value
    box = Box(contents)
  }

  /// The message type.
  package var kind: Kind { box.contents.kind }

  /// The serial assigned by the sender; 0 before it is sent.
  package internal(set) var serial: UInt32 {
    get { box.contents.serial }
    set { change(\.serial, to: newValue) }
  }

  /// The serial of the call that this replies to.
  package internal(set) var replySerial: UInt32? {
    get { box.contents.replySerial }
    set { change(\.replySerial, to: newValue) }
  }

  /// The unique name of the sender, set by the bus.
  package internal(set) var sender: String? {
    get { box.contents.sender }
    set { change(\.sender, to: newValue) }
  }

  /// The bus name of the recipient; nil for a broadcast signal.
  package internal(set) var destination: String? {
    get { box.contents.destination }
    set { change(\.destination, to: newValue) }
  }

  /// The object that is called, or sends the signal.
  package var path: ObjectPath? { box.contents.path }

  /// The interface of the member.
  package var interface: String? { box.contents.interface }

  /// The method or signal.
  package var member: String? { box.contents.member }

  /// The name of an error reply.
  package var errorName: String? { box.contents.errorName }

  /// The arguments.
  package var body: [DBusValue] { box.contents.body }

  /// The reason why the arguments of a received message are incomplete; nil if they are complete.
  package var refusal: DBusError? { box.contents.refusal }

  /// Whether the caller expects no reply.
  package internal(set) var noReplyExpected: Bool {
    get { box.contents.noReplyExpected }
    set { change(\.noReplyExpected, to: newValue) }
  }

  /// Whether the bus must not start a program to own the destination.
  package internal(set) var noAutoStart: Bool {
    get { box.contents.noAutoStart }
    set { change(\.noAutoStart, to: newValue) }
  }

  /// The message with other arguments.
  package func replacingBody(_ body: [DBusValue]) -> Message {
    var contents = box.contents
    contents.body = body
    return Message(contents)
  }

  /// The types of the arguments.
  package var signature: Signature { Signature(joining: body) }
}

extension Message: Equatable {
  package static func == (left: Message, right: Message) -> Bool {
    left.box === right.box || left.box.contents == right.box.contents
  }
}

extension Message: CustomStringConvertible {
  package var description: String {
    let what = [interface, member].compactMap { $0 }.joined(separator: ".")
    let whence = "\(sender ?? "?") to \(destination ?? "all")"
    return switch kind {
    case .methodCall: "call \(serial) of \(what) on \(path ?? "/") from \(whence)"
    case .signal: "signal \(what) of \(path ?? "/") from \(whence)"
    case .methodReturn: "reply to \(replySerial ?? 0) from \(whence)"
    case .error: "error \(errorName ?? "") in reply to \(replySerial ?? 0) from \(whence)"
    }
  }
}

// MARK: Messages of each type

extension Message {
  /// A method call.
  ///
  /// - Parameters:
  ///   - destination: The callee; nil only without a bus between the programs.
  ///   - path: The object.
  ///   - interface: The interface; nil to let the object select it.
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
  /// An invalid name is replaced by `org.freedesktop.DBus.Error.Failed`, and prefixed to the text.
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

  /// Checks the rules that Swift's types do not enforce, before a wire sends the message.
  ///
  /// - Throws: ``DBusValueError``.
  func checkSendable() throws(DBusValueError) {
    for value in body { try value.checkSendable() }
    if body.count > 1 { try DBusValueError.check(signature.text) }
  }

  /// The message with a duplicate of each descriptor, so that sender and receiver close theirs
  /// independently.
  func duplicatingDescriptors() throws -> Message {
    guard body.contains(where: \.hasDescriptor) else { return self }
    return replacingBody(try DBusValue.duplicating(body))
  }
}

// MARK: Text

extension Message {
  /// The message on one line, its arguments included.
  ///
  /// `:1.2 -> org.bluez call 5 /org/bluez/hci0 org.bluez.Adapter1.StartDiscovery()`
  package var text: String {
    let route = "\(sender ?? "?") -> \(destination ?? "*")"
    let arguments = body.map(\.text).joined(separator: ", ")
    let name = [interface, member].compactMap { $0 }.joined(separator: ".")
    return switch kind {
    case .methodCall: "\(route) call \(serial) \(path ?? "/") \(name)(\(arguments))"
    case .signal: "\(route) signal \(path ?? "/") \(name)(\(arguments))"
    case .methodReturn: "\(route) reply to \(replySerial ?? 0) (\(arguments))"
    case .error: "\(route) error to \(replySerial ?? 0) \(errorName ?? "")(\(arguments))"
    }
  }
}
