// Match rules: their text, their parser, and matching.

/// A match rule. A message matches if every given part matches.
///
/// - Source: D-Bus Specification 0.41, "Match Rules".
package struct MatchRule: Hashable, Sendable {
  /// The kind of message; nil for any.
  package var type: Message.Kind?
  /// The sender: a unique name, or a well-known one, which means its current owner.
  package var sender: String?
  /// The object path.
  package var path: ObjectPath?
  /// An object path, or one above it.
  package var pathNamespace: ObjectPath?
  /// The interface.
  package var interface: String?
  /// The method or signal.
  package var member: String?
  /// The destination, a unique name.
  package var destination: String?
  /// The first argument, a string.
  package var arg0: String?
  /// The first argument: a bus or interface name, or its first elements.
  package var arg0Namespace: String?
  /// The first argument: a string or path. A rule that ends with `/` matches all paths below it.
  package var arg0Path: String?

  /// A rule with the given parts; nil matches everything.
  package init(
    type: Message.Kind? = .signal, sender: String? = nil, path: ObjectPath? = nil,
    pathNamespace: ObjectPath? = nil, interface: String? = nil, member: String? = nil,
    destination: String? = nil, arg0: String? = nil, arg0Namespace: String? = nil,
    arg0Path: String? = nil
  ) {
    self.type = type
    self.sender = sender
    self.path = path
    self.pathNamespace = pathNamespace
    self.interface = interface
    self.member = member
    self.destination = destination
    self.arg0 = arg0
    self.arg0Namespace = arg0Namespace
    self.arg0Path = arg0Path
  }

  /// The rule in the syntax of the bus: `type='signal',member='PropertiesChanged'`.
  package var text: String {
    let parts: [(String, String?)] = [
      ("type", type?.rawValue),
      ("sender", sender),
      ("path", path?.text),
      ("path_namespace", pathNamespace?.text),
      ("interface", interface),
      ("member", member),
      ("destination", destination),
      ("arg0", arg0),
      ("arg0namespace", arg0Namespace),
      ("arg0path", arg0Path),
    ]
    return parts.compactMap { key, value in value.map { "\(key)='\(Self.escaped($0))'" } }
      .joined(separator: ",")
  }

  /// A value for quotes. Inside quotes only the quote is special; it is written outside them.
  private static func escaped(_ value: String) -> String {
    guard value.utf8.contains(UInt8(ascii: "'")) else { return value }
    return value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
  }

  /// The sender, if it is a well-known name: messages carry the unique name of its owner.
  var wellKnownSender: String? {
    guard let sender, !DBusName.isUnique(sender), sender != BusDriver.name else { return nil }
    return sender
  }

  /// Validates the rule like a bus.
  ///
  /// - Throws: ``DBusError`` with the name `MatchRuleInvalid`.
  func check() throws(DBusError) {
    func fault(_ text: String) -> DBusError { DBusError(name: .matchRuleInvalid, message: text) }
    if path != nil, pathNamespace != nil {
      throw fault("a match rule cannot have both path and path_namespace")
    }
    do {
      if let sender { try DBusName.check(sender, as: .busName) }
      if let destination { try DBusName.check(destination, as: .busName) }
      if let interface { try DBusName.check(interface, as: .interface) }
      if let member { try DBusName.check(member, as: .member) }
      // A namespace may have a single element, unlike a name.
      if let arg0Namespace { try DBusName.check("\(arg0Namespace).a", as: .interface) }
    } catch {
      throw fault(error.description)
    }
  }
}

// MARK: Matching

extension MatchRule {
  /// Whether a message matches.
  ///
  /// - Parameters:
  ///   - message: A received message.
  ///   - resolvingSender: Returns the unique name of the current owner of a well-known name.
  package func matches(_ message: Message, resolvingSender: (String) -> String?) -> Bool {
    if let type, message.kind != type { return false }
    // The most selective parts come first.
    if let path, message.path != path { return false }
    if let member, message.member != member { return false }
    if let interface, message.interface != interface { return false }
    if let pathNamespace {
      guard let path = message.path, path == pathNamespace || path.isBelow(pathNamespace)
      else { return false }
    }
    if let destination, message.destination != destination { return false }
    return matchesArgument(of: message) && matchesSender(of: message, resolvingSender)
  }

  private func matchesSender(of message: Message, _ resolve: (String) -> String?) -> Bool {
    guard let sender else { return true }
    guard let actual = message.sender else { return false }
    return actual == sender || (wellKnownSender != nil && resolve(sender) == actual)
  }

  private func matchesArgument(of message: Message) -> Bool {
    if arg0 == nil, arg0Namespace == nil, arg0Path == nil { return true }
    let text: String
    let isPath: Bool
    if case .string(let value)? = message.body.first {
      (text, isPath) = (value, false)
    } else if case .objectPath(let value)? = message.body.first {
      (text, isPath) = (value.text, true)
    } else {
      return false
    }
    if let arg0, isPath || text != arg0 { return false }
    if let arg0Namespace {
      guard !isPath, text == arg0Namespace || text.hasPrefix(arg0Namespace + ".") else {
        return false
      }
    }
    if let arg0Path {
      guard
        text == arg0Path || (arg0Path.hasSuffix("/") && text.hasPrefix(arg0Path))
          || (text.hasSuffix("/") && arg0Path.hasPrefix(text))
      else { return false }
    }
    return true
  }
}

// MARK: Parsing

extension MatchRule {
  /// Parses a rule like a bus: `type='signal',member='PropertiesChanged'`.
  ///
  /// Only the first argument can be matched. `eavesdrop` is accepted and has no effect.
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

/// Reads `key='value'` pairs from a text, byte by byte like a bus.
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

  /// A value up to a comma. Inside quotes no character is special; outside them a backslash escapes
  /// a quote.
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
