// Replies to calls of exported objects.

import Signals

extension ObjectServer {
  package func handle(_ invocation: Invocation) -> Bool {
    let call = invocation.message
    guard let path = call.path else { return false }
    let object = state.withLock { $0.tree.objects[path] }
    // Replies follow the announcements of changes that were marked before.
    let flushing = Invocation(message: call, bus: bus) { self.flush() }
    if answerStandard(flushing, path, object) { return true }
    guard path == objectManager || state.withLock({ $0.tree.isNode(path) }) else { return false }
    guard let body = object.flatMap({ Self.method(call, of: $0) }) else {
      // The connection answers Peer.
      if call.interface == "org.freedesktop.DBus.Peer" { return false }
      flushing.fail(Invocation.unclaimed(call, name: .unknownMethod))
      return true
    }
    body(flushing)
    return true
  }

  /// The method of a call: the signature has to match exactly. A call without an interface matches
  /// none, as in gdbus.
  private static func method(
    _ call: Message, of object: ExportedTree.Object
  ) -> ExportedMethod.Body? {
    let signature = call.signature
    for interface in object.interfaces where call.interface == interface.name {
      for method in interface.methods
      where method.name == call.member && method.signature == signature {
        return method.body
      }
    }
    return nil
  }

  // MARK: Standard interfaces

  private func answerStandard(
    _ invocation: Invocation, _ path: ObjectPath, _ object: ExportedTree.Object?
  ) -> Bool {
    let call = invocation.message
    let hasProperties = object?.hasProperties ?? false
    func isCall<Input, Output>(of method: Method<Input, Output>) -> Bool {
      call.interface == method.interface && call.member == method.name
        && call.signature.text == method.input.described.map(\.signature.text).joined()
    }
    // As in libdbus, on every path, even where there is no object.
    if isCall(of: StandardInterface.introspect) {
      let document = IntrospectionDocument(
        interfaces: interfaces(of: object, at: path),
        children: state.withLock { $0.tree.children(of: path) }
      )
      invocation.reply(to: StandardInterface.introspect, document.text)
    } else if path == objectManager, isCall(of: StandardInterface.getManagedObjects) {
      invocation.reply(to: StandardInterface.getManagedObjects, managedObjects())
    } else if hasProperties, isCall(of: StandardInterface.get) {
      get(invocation, path)
    } else if hasProperties, isCall(of: StandardInterface.getAll) {
      getAll(invocation, path)
    } else if hasProperties, isCall(of: StandardInterface.set) {
      set(invocation, path)
    } else {
      return false
    }
    return true
  }

  /// All interfaces of an object, in the order in which bluetoothd lists them; empty when there is
  /// no object.
  private func interfaces(
    of object: ExportedTree.Object?, at path: ObjectPath
  ) -> [ExportedInterface] {
    let isManager = path == objectManager
    guard object != nil || isManager else { return [] }
    return StandardInterface.completing(
      (isManager ? [StandardInterface.objectManagerDeclaration] : []) + (object?.interfaces ?? []),
      isNew: true, bringsProperties: object?.hasProperties ?? false
    )
  }

  /// `a{oa{sa{sv}}}`: every object but the object manager itself.
  private func managedObjects() -> DBusValue {
    let tree = state.withLock { $0.tree }
    let entries: [(key: DBusValue, value: DBusValue)] = tree.listing
      .filter { $0 != objectManager }
      .map { path in
        let all = interfaces(of: tree.objects[path], at: path)
        return (key: .objectPath(path), value: Self.interfaceMap(all.map(Self.entry)))
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

  /// An interface with properties; the implicit interfaces are present without any.
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
