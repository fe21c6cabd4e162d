// Answers to calls of exported objects.

import Signals

extension ObjectServer {
  public func handle(_ invocation: Invocation) -> Bool {
    let call = invocation.message
    guard let path = call.path else { return false }
    let (isObject, children) = state.withLock { state in
      (state.tree.objects[path] != nil, state.tree.children(of: path))
    }
    guard isObject || !children.isEmpty || path == objectManager else { return false }
    // Answers come after the changes that were marked before.
    let flushing = Invocation(message: call, bus: bus) { self.flush() }
    if answerStandard(flushing, path, children, isObject: isObject) { return true }
    guard isObject, let body = state.withLock({ Self.method(call, at: path, in: $0.tree) }) else {
      // Peer is the front's to answer.
      if call.interface == "org.freedesktop.DBus.Peer" { return false }
      flushing.fail(Invocation.unclaimed(call, name: isObject ? .unknownMethod : .unknownObject))
      return true
    }
    body(flushing)
    return true
  }

  /// The method that a call means: the signature has to be its own.
  private static func method(
    _ call: Message,
    at path: ObjectPath,
    in tree: ExportedTree
  ) -> ExportedMethod.Body? {
    let signature = call.signature
    for interface in tree.objects[path]?.interfaces ?? []
    where call.interface == nil || call.interface == interface.name {
      for method in interface.methods
      where method.name == call.member && method.signature == signature {
        return method.body
      }
    }
    return nil
  }

  // MARK: Standard interfaces

  private func answerStandard(
    _ invocation: Invocation,
    _ path: ObjectPath,
    _ children: [String],
    isObject: Bool
  ) -> Bool {
    let call = invocation.message
    switch (call.interface, call.member, call.signature.text) {
    case (StandardInterface.introspectable?, "Introspect"?, ""), (nil, "Introspect"?, ""):
      invocation.reply([.string(introspection(of: path, children, isObject: isObject))])
    case (StandardInterface.objectManager?, "GetManagedObjects"?, "") where path == objectManager,
      (nil, "GetManagedObjects"?, "") where path == objectManager:
      invocation.reply([managedObjects()])
    case (StandardInterface.properties?, "Get"?, "ss") where isObject:
      get(invocation, path)
    case (StandardInterface.properties?, "GetAll"?, "s") where isObject:
      getAll(invocation, path)
    case (StandardInterface.properties?, "Set"?, "ssv") where isObject:
      set(invocation, path)
    default: return false
    }
    return true
  }

  private func introspection(of path: ObjectPath, _ children: [String], isObject: Bool) -> String {
    var interfaces = [StandardInterface.introspectableDeclaration]
    if isObject { interfaces.append(StandardInterface.propertiesDeclaration) }
    if path == objectManager { interfaces.append(StandardInterface.objectManagerDeclaration) }
    interfaces += state.withLock { $0.tree.objects[path]?.interfaces ?? [] }
    return IntrospectionDocument(interfaces: interfaces, children: children).text
  }

  /// `a{oa{sa{sv}}}`: every object but the one that lists them.
  private func managedObjects() -> DBusValue {
    let tree = state.withLock { $0.tree }
    let entries: [(key: DBusValue, value: DBusValue)] = tree.paths
      .filter { $0 != objectManager }
      .map { path in
        let interfaces = tree.objects[path]?.interfaces ?? []
        let all = Self.standardEntries + interfaces.map(Self.entry)
        return (key: .objectPath(path), value: Self.interfaceMap(all))
      }
    return .dictionary(DBusDictionary(valid: Signature(valid: "a{oa{sa{sv}}}"), entries))
  }

  // MARK: Properties

  private func get(_ invocation: Invocation, _ path: ObjectPath) {
    let (name, key) = names(invocation)
    guard let interface = interface(name, at: path) else { return noInterface(invocation, name) }
    guard let value = interface.properties.first(where: { $0.name == key })?.get() else {
      return invocation.fail(DBusError(name: .invalidArgs, message: "No such property '\(key)'"))
    }
    invocation.reply([.variant(of: value)])
  }

  private func getAll(_ invocation: Invocation, _ path: ObjectPath) {
    let (name, _) = names(invocation)
    guard let interface = interface(name, at: path) else { return noInterface(invocation, name) }
    invocation.reply([.properties(interface.presentProperties)])
  }

  private func set(_ invocation: Invocation, _ path: ObjectPath) {
    let (name, key) = names(invocation)
    guard let interface = interface(name, at: path) else { return noInterface(invocation, name) }
    guard let property = interface.properties.first(where: { $0.name == key }),
      property.get() != nil
    else {
      let text = "No such property '\(key)'"
      return invocation.fail(DBusError(name: .unknownProperty, message: text))
    }
    guard let set = property.set else {
      let text = "Property '\(key)' is not writable"
      return invocation.fail(DBusError(name: .propertyReadOnly, message: text))
    }
    guard case .variant(let variant)? = invocation.message.body.last,
      variant.value.signature == property.signature
    else {
      let text = "Invalid signature for '\(key)'"
      return invocation.fail(DBusError(name: .invalidSignature, message: text))
    }
    set(variant.value, invocation)
  }

  private func names(_ invocation: Invocation) -> (interface: String, property: String) {
    let texts = invocation.message.body.prefix(2).map { $0.asString ?? "" }
    return (texts[0], texts.count > 1 ? texts[1] : "")
  }

  /// An interface with properties; those that every object has are there without any.
  private func interface(_ name: String, at path: ObjectPath) -> ExportedInterface? {
    if [StandardInterface.introspectable, StandardInterface.properties].contains(name) {
      return ExportedInterface(name)
    }
    return state.withLock { $0.tree.interface(name, at: path) }
  }

  private func noInterface(_ invocation: Invocation, _ name: String) {
    let text = "No such interface '\(name)'"
    invocation.fail(DBusError(name: .invalidArgs, message: text))
  }

  // MARK: Values

  typealias InterfaceEntry = (name: String, properties: PropertyMap)

  static func entry(_ interface: ExportedInterface) -> InterfaceEntry {
    (interface.name, interface.presentProperties)
  }

  /// The interfaces that every object lists, without properties.
  static let standardEntries: [InterfaceEntry] = [
    (StandardInterface.introspectable, [:]), (StandardInterface.properties, [:]),
  ]

  /// `a{sa{sv}}`
  static func interfaceMap(_ entries: [InterfaceEntry]) -> DBusValue {
    .dictionary(
      DBusDictionary(
        valid: Signature(valid: "a{sa{sv}}"),
        entries.map { (key: .string($0.name), value: .properties($0.properties)) }
      )
    )
  }
}
