// Parses the text of a match rule, as a bus does.

extension MatchRule {
  /// Parses a rule as a bus does: `type='signal',member='PropertiesChanged'`.
  ///
  /// Of the arguments only the first can be matched; `eavesdrop` is accepted and has no effect.
  ///
  /// - Throws: ``DBusError`` with the name `MatchRuleInvalid`.
  /// - Source: D-Bus Specification 0.41, "Match Rules".
  init(parsing text: String) throws(DBusError) {
    self.init(type: nil)
    var reader = RuleReader(text)
    var keys: Set<String> = []
    while let (key, value) = try reader.next() {
      guard keys.insert(key).inserted else {
        throw RuleReader.fault("duplicate key '\(key)' in \(text)")
      }
      try set(key, value)
    }
    try check()
  }

  private mutating func set(_ key: String, _ value: String) throws(DBusError) {
    switch key {
    case "type":
      guard let kind = Message.Kind(rawValue: value) else {
        throw RuleReader.fault("unknown message type '\(value)'")
      }
      type = kind
    case "sender": sender = value
    case "path": path = try Self.path(value)
    case "path_namespace": pathNamespace = try Self.path(value)
    case "interface": interface = value
    case "member": member = value
    case "destination": destination = value
    case "arg0": arg0 = value
    case "arg0namespace": arg0Namespace = value
    case "arg0path": arg0Path = value
    case "eavesdrop": break
    default: throw RuleReader.fault("unknown key '\(key)'")
    }
  }

  private static func path(_ text: String) throws(DBusError) -> ObjectPath {
    do {
      return try ObjectPath(text)
    } catch {
      throw RuleReader.fault("\(error)")
    }
  }
}

/// Reads `key='value'` pairs from a text, byte by byte as a bus does.
private struct RuleReader {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  static func fault(_ text: String) -> DBusError {
    DBusError(name: .matchRuleInvalid, message: text)
  }

  /// The next pair; nil at the end.
  mutating func next() throws(DBusError) -> (String, String)? {
    rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") }
    guard !rest.isEmpty else { return nil }
    guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else {
      throw Self.fault("expected key='value'")
    }
    let key = String(decoding: rest[..<equals], as: UTF8.self)
    rest = rest[rest.index(after: equals)...]
    return (key, try value())
  }

  /// A value up to a comma: nothing is special inside quotes, a backslash outside of them escapes a
  /// quote.
  private mutating func value() throws(DBusError) -> String {
    var value: [UInt8] = []
    var isQuoted = false
    while let byte = rest.first {
      if byte == UInt8(ascii: ","), !isQuoted { break }
      rest.removeFirst()
      if byte == UInt8(ascii: "'") {
        isQuoted.toggle()
      } else if byte == UInt8(ascii: "\\"), !isQuoted, rest.first == UInt8(ascii: "'") {
        rest.removeFirst()
        value.append(UInt8(ascii: "'"))
      } else {
        value.append(byte)
      }
    }
    if isQuoted { throw Self.fault("unterminated quote") }
    return String(decoding: value, as: UTF8.self)
  }
}
