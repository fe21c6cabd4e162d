// A message as one line of text, for logs.
//
// Equal messages have equal lines. The lines are for people and for comparison; they cannot be
// parsed.

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

extension DBusValue {
  /// The value in a short form: `"a"`, `[1, 2]`, `{"a": <1>}`, `0x0102`.
  package var text: String {
    switch self {
    case .byte(let number): "\(number)"
    case .boolean(let truth): "\(truth)"
    case .int16(let number): "\(number)"
    case .uint16(let number): "\(number)"
    case .int32(let number): "\(number)"
    case .uint32(let number): "\(number)"
    case .int64(let number): "\(number)"
    case .uint64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): text.debugDescription
    case .objectPath(let path): path.text
    case .signature(let signature): "'\(signature.text)'"
    case .unixFD: "fd"
    case .bytes(let octets): "0x" + octets.map(Self.digits).joined()
    case .array(let array): "[" + array.elements.map(\.text).joined(separator: ", ") + "]"
    case .dictionary(let dictionary): "{" + Self.text(of: dictionary) + "}"
    case .structure(let structure):
      "(" + structure.fields.map(\.text).joined(separator: ", ") + ")"
    case .variant(let variant): "<\(variant.value.text)>"
    }
  }

  private static func text(of dictionary: DBusDictionary) -> String {
    dictionary.entries.map { "\($0.key.text): \($0.value.text)" }.joined(separator: ", ")
  }

  private static func digits(_ octet: UInt8) -> String {
    (octet < 16 ? "0" : "") + String(octet, radix: 16)
  }
}
