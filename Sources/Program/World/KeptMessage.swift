// A message between this program and bluetoothd, as it is kept: without handles, and with few values.

import Bluetooth
import DBus

/// What was called, replied or sent.
struct KeptMessage: Sendable {
  private enum Body: Sendable {
    case values([DBusValue])
    case text(String)
  }

  /// How many characters of the arguments are kept.
  static let textLimit = 1_000

  let kind: BlueZMessage.Kind
  /// The ordinal of the call, from 1; nil for a signal or a request.
  let number: Int?
  /// The object; of a reply, that of the call; of a signal about an object that an object manager
  /// has or had, that one.
  let path: ObjectPath?
  let interface: String?
  let member: String
  /// The name of the error.
  let error: String?
  /// Its text.
  let errorText: String?
  private let body: Body

  /// A call, a signal or a request.
  init(_ kind: BlueZMessage.Kind, number: Int? = nil, _ message: Message) {
    let isOfManager = message.interface == StandardInterface.objectManager
    self.kind = kind
    self.number = number
    path = (isOfManager ? message.body.first?.asObjectPath : nil) ?? message.path
    interface = message.interface
    member = message.member ?? ""
    (error, errorText) = (nil, nil)
    body = Self.body(message.body)
  }

  /// The end of a call.
  init(of call: KeptMessage, _ reply: Message) {
    number = call.number
    path = call.path
    interface = call.interface
    member = call.member
    error = reply.errorName
    let failure = DBusError(reply)
    errorText = failure?.message
    if let error = failure {
      kind = .error
      let text = self.error == nil ? error.message : "(\(error.message.debugDescription))"
      body = .text(text)
    } else {
      kind = .reply
      body = Self.body(reply.body)
    }
  }

  /// Few values are kept as they are, since most messages are never shown. Others would hold
  /// memory or descriptors: they become text at once.
  private static func body(_ values: [DBusValue]) -> Body {
    var room = 4_096
    let isSmall = values.allSatisfy { $0.takes(from: &room) }
    return isSmall ? .values(values) : .text(text(of: values))
  }

  private static func text(of values: [DBusValue]) -> String {
    let text = values.map(\.text).joined(separator: ", ")
    let rest = text.dropFirst(textLimit).isEmpty ? "" : "…"
    return "(\(text.prefix(textLimit))\(rest))"
  }

  /// The arguments; none of an error, or of a message that is too large to be kept.
  var values: [DBusValue] {
    if case .values(let values) = body { values } else { [] }
  }

  /// The arguments in parentheses; of a call that got no reply, the reason without.
  var arguments: String {
    switch body {
    case .values(let values): Self.text(of: values)
    case .text(let text): text
    }
  }

  /// The message for output. What an agent is asked may be a passkey: it is left out.
  func message(at time: Duration) -> BlueZMessage {
    BlueZMessage(
      kind,
      at: time,
      number: number,
      object: path?.text,
      interface: interface,
      member: member,
      error: error,
      arguments: kind == .request ? Secret.mask : arguments
    )
  }
}

extension DBusValue {
  /// Whether it fits into a room in octets, which becomes smaller, and holds nothing open.
  fileprivate func takes(from room: inout Int) -> Bool {
    room -= 8
    switch self {
    case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double: break
    case .string(let text): room -= text.utf8.count
    case .objectPath(let path): room -= path.text.utf8.count
    case .signature(let signature): room -= signature.text.utf8.count
    case .unixFD: return false
    case .bytes(let octets): room -= octets.count
    case .array(let array):
      for element in array.elements where !element.takes(from: &room) { return false }
    case .dictionary(let dictionary):
      for (key, value) in dictionary.entries
      where !key.takes(from: &room) || !value.takes(from: &room) { return false }
    case .structure(let structure):
      for field in structure.fields where !field.takes(from: &room) { return false }
    case .variant(let variant): return variant.value.takes(from: &room)
    }
    return room >= 0
  }
}
