// What a connection exchanges with one destination, as its observer receives it.
//
// Values, without handles: an observer may keep them.

/// A message that was observed.
package struct ObservedMessage: Sendable {
  /// What it is.
  package enum Kind: Hashable, Sendable {
    /// A call that was sent. Calls are numbered from 1.
    case call(Int)
    /// The result of a call.
    case reply(to: Int)
    /// The error of a call.
    case error(to: Int, name: String?)
    /// A signal that fits a match rule of this connection.
    case signal
    /// A call of another program to this one.
    case request
  }

  private enum Body: Sendable {
    case values([DBusValue])
    case text(String)
  }

  /// How many characters of the arguments are kept.
  package static let textLimit = 1_000

  package let kind: Kind
  /// The object; of a reply, that of the call; of a signal about an object that an object manager
  /// has or had, that one.
  package let path: ObjectPath?
  package let interface: String?
  package let member: String
  private let body: Body

  private init(
    _ kind: Kind,
    _ path: ObjectPath?,
    _ interface: String?,
    _ member: String,
    _ body: Body
  ) {
    self.kind = kind
    self.path = path
    self.interface = interface
    self.member = member
    self.body = body
  }

  init(_ number: Int, _ call: MethodCall) {
    self.init(.call(number), call.path, call.interface, call.member, Self.body(call.body))
  }

  init(_ number: Int, _ call: MethodCall, _ result: Result<Message, any Error>) {
    let (kind, body): (Kind, Body) =
      switch result {
      case .success(let reply): (.reply(to: number), Self.body(reply.body))
      case .failure(let error as DBusError):
        (
          .error(to: number, name: error.name.rawValue),
          Self.body([.string(error.message)])
        )
      case .failure(let error): (.error(to: number, name: nil), .text("\(error)"))
      }
    self.init(kind, call.path, call.interface, call.member, body)
  }

  /// A signal or a call that arrived.
  init(_ kind: Kind, _ message: Message) {
    let isOfManager = message.interface == StandardInterface.objectManager
    self.init(
      kind,
      (isOfManager ? message.body.first?.asObjectPath : nil) ?? message.path,
      message.interface,
      message.member ?? "",
      Self.body(message.body)
    )
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

  /// The arguments; none of a message that is too large to be kept, or that the end of the bus ended.
  package var values: [DBusValue] {
    if case .values(let values) = body { values } else { [] }
  }

  /// The arguments in parentheses; of a call that the end of the bus ended, the reason without.
  package var arguments: String {
    switch body {
    case .values(let values): Self.text(of: values)
    case .text(let text): text
    }
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
