// A message as a value: header fields and body.
//
// Messages of each type are made in Message+Making.swift; a connection sends them.

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

  /// The contents, in one place so that a copy copies one reference.
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

  /// The object that is called, or that sends the signal.
  package var path: ObjectPath? { box.contents.path }

  /// The interface of the member.
  package var interface: String? { box.contents.interface }

  /// The method or signal.
  package var member: String? { box.contents.member }

  /// The name of an error reply.
  package var errorName: String? { box.contents.errorName }

  /// The arguments.
  package var body: [DBusValue] { box.contents.body }

  /// Why the arguments of a received message are incomplete; nil when they are complete.
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
