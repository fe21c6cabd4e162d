// Which messages a connection subscribes to.

/// A match rule: a message matches when every given part does.
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
  /// The first argument: a string or path; one that ends with `/` matches all paths below it.
  package var arg0Path: String?

  /// A rule that all given parts must match; nil matches everything.
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

  /// Inside quotes only the quote is special; it is written outside of them.
  private static func escaped(_ value: String) -> String {
    // By Unicode scalars: a combining mark may follow a quote.
    value.unicodeScalars.reduce(into: "") { escaped, scalar in
      if scalar == "'" { escaped += "'\\''" } else { escaped.unicodeScalars.append(scalar) }
    }
  }

  /// The well-known name whose owner decides whether a message matches; nil when none does.
  var wellKnownSender: String? {
    guard let sender, !DBusName.isUnique(sender), sender != BusDriver.name else { return nil }
    return sender
  }

  /// Validates the rule as a bus would.
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
      // A namespace may be a single element; a name must have several.
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
  ///   - message: What has arrived.
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
