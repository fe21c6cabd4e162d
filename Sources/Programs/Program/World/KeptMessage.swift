// A message between this program and bluetoothd, kept for later output, without file descriptors.

import Bluetooth
import DBus

struct KeptMessage: Sendable {
  private enum Body: Sendable {
    case values([DBusValue])
    case text(String)
  }

  /// The maximum length of the arguments, in characters.
  static let textLimit = 1_000

  let kind: BlueZMessage.Kind
  /// The ordinal of the call, from 1; nil for a signal or a request.
  let number: Int?
  /// The object path: for a reply, that of its call; for a signal of an object manager, that of the object which was
  /// added or removed.
  let path: ObjectPath?
  let interface: String?
  let member: String
  let error: String?
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

  /// The reply to a call, or its failure.
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

  /// Formats messages with file descriptors at once, because these would stay open. Others are formatted only when they
  /// are shown, as most never are.
  private static func body(_ values: [DBusValue]) -> Body {
    values.contains(where: \.hasDescriptor) ? .text(text(of: values)) : .values(values)
  }

  private static func text(of values: [DBusValue]) -> String {
    let text = values.map(\.text).joined(separator: ", ")
    let rest = text.dropFirst(textLimit).isEmpty ? "" : "…"
    return "(\(text.prefix(textLimit))\(rest))"
  }

  /// The arguments; empty for an error, or a message with descriptors.
  var values: [DBusValue] {
    if case .values(let values) = body { values } else { [] }
  }

  /// The arguments in parentheses; for a call without a reply, the reason, without parentheses.
  var arguments: String {
    switch body {
    case .values(let values): Self.text(of: values)
    case .text(let text): text
    }
  }

  /// The message for output, without the arguments of agent calls, which may be passkeys.
  func message(at time: Duration) -> BlueZMessage {
    BlueZMessage(
      kind, at: time, number: number, object: path?.text, interface: interface, member: member,
      error: error, arguments: kind == .request ? Secret.mask : arguments
    )
  }
}
