// Serves exported objects: replies to method calls, and announces changes.
//
// The tree and its pending changes are pure (ExportedTree).

import Signals

/// Serves exported objects with Properties, Introspectable and ObjectManager.
///
/// Changes are collected and announced together, by a callback posted to the loop. Signals and
/// replies sent through the server follow the announcements of earlier changes, so a client that
/// gets a reply has seen its effects. Closures of objects are called on the loop, or on the thread
/// that flushes.
///
/// - Source: BlueZ 5.66, `gdbus/object.c`, for the rules of batching and order.
package final class ObjectServer: ObjectHandler {
  private struct State: Sendable {
    var tree = ExportedTree()
    var isFlushPosted = false
  }

  let bus: MessageBus
  private let objectManager: ObjectPath?
  private let state = Guarded(State())

  /// A server without objects. Export it on the bus to receive calls.
  ///
  /// - Parameters:
  ///   - bus: The connection that it serves.
  ///   - objectManager: The object that lists all others and signals when they appear and
  ///     disappear; nil for none.
  package init(bus: MessageBus, objectManagerAt objectManager: ObjectPath? = .root) {
    self.bus = bus
    self.objectManager = objectManager
  }

  // MARK: Objects

  /// Adds interfaces to an object, which is created if necessary. Clients can call it at once; it
  /// is announced with the next flush.
  package func add(_ interfaces: [ExportedInterface], at path: ObjectPath) {
    if state.withLock({ $0.tree.hasPendingRemoval(at: path) }) { flush() }
    change { tree in
      for interface in interfaces { tree.add(interface, to: path) }
    }
  }

  /// Removes interfaces from an object. An object without interfaces is removed.
  package func remove(_ names: [String], from path: ObjectPath) {
    change { tree in
      for name in names { tree.remove(name, from: path) }
    }
  }

  /// Removes an object.
  package func remove(_ path: ObjectPath) {
    change { tree in
      for name in tree.interfaceNames(at: path) { tree.remove(name, from: path) }
    }
  }

  /// The paths of all objects, in order.
  package var paths: [ObjectPath] { state.withLock { Array($0.tree.paths) } }

  // MARK: Announcing

  /// Announces, with the next flush, that a property has changed, appeared or disappeared. The
  /// value is read at that time.
  package func changed(_ property: String, of interface: String, at path: ObjectPath) {
    change { $0.mark(property, of: interface, at: path) }
  }

  /// Announces a property at once, so that each of several successive values is announced.
  package func announce(_ property: String, of interface: String, at path: ObjectPath) {
    let announcements = state.withLock { state in
      state.tree.mark(property, of: interface, at: path)
      return state.tree.removeAnnouncements(of: path)
    }
    for announcement in announcements { send(announcement) }
  }

  /// Sends a signal of an object, after the pending changes.
  ///
  /// - Throws: ``DBusNameError``, ``DBusValueError``, ``BusFailure``.
  package func emit(
    _ member: String, of interface: String, at path: ObjectPath, _ body: [DBusValue]
  ) throws {
    flush()
    try bus.send(.signal(path: path, interface: interface, member: member, body: body))
  }

  /// Announces all pending changes.
  package func flush() {
    let announcements = state.withLock { $0.tree.removeAnnouncements() }
    for announcement in announcements { send(announcement) }
  }

  private func change(_ change: (inout ExportedTree) -> Void) {
    let isFirst = state.withLock { state in
      change(&state.tree)
      guard state.tree.hasChanges, !state.isFlushPosted else { return false }
      state.isFlushPosted = true
      return true
    }
    guard isFirst else { return }
    bus.loop.post {
      self.state.withLock { $0.isFlushPosted = false }
      self.flush()
    }
  }

  private func send(_ announcement: ExportedTree.Announcement) {
    switch announcement {
    case .added(let path, let interfaces, let isNew, let bringsProperties):
      let added = StandardInterface.completing(
        interfaces, isNew: isNew, bringsProperties: bringsProperties
      )
      sendManaged(
        StandardInterface.interfacesAdded.name,
        [.objectPath(path), Self.interfaceMap(added.map(Self.entry))]
      )
    case .removed(let path, let names, let isGone, let hadProperties):
      let standard =
        (hadProperties ? [StandardInterface.properties] : []) + [StandardInterface.introspectable]
      let removed = (isGone ? standard : []) + names
      sendManaged(StandardInterface.interfacesRemoved.name, [.objectPath(path), .strings(removed)])
    case .changed(let path, let interface, let names):
      var changed: [(String, DBusValue)] = []
      var invalidated: [String] = []
      for property in interface.properties where names.contains(property.name) {
        if let value = property.get() {
          changed.append((property.name, value))
        } else {
          invalidated.append(property.name)
        }
      }
      // In the order first marked.
      changed.sort { Self.isBefore($0.0, $1.0, in: names) }
      invalidated.sort { Self.isBefore($0, $1, in: names) }
      send(
        StandardInterface.propertiesChanged.name, of: StandardInterface.properties, at: path,
        [.string(interface.name), .properties(PropertyMap(changed)), .strings(invalidated)]
      )
    }
  }

  private static func isBefore(_ left: String, _ right: String, in order: [String]) -> Bool {
    (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
  }

  private func sendManaged(_ member: String, _ body: [DBusValue]) {
    guard let objectManager else { return }
    send(member, of: StandardInterface.objectManager, at: objectManager, body)
  }

  private func send(
    _ member: String, of interface: String, at path: ObjectPath, _ body: [DBusValue]
  ) {
    // Ignored errors: the connection has ended, or a value cannot be sent, such as a text with a
    // NUL. A call that reads that value reports its error.
    try? bus.send(.signal(path: path, interface: interface, member: member, body: body))
  }

  // MARK: Calls

  package func handle(_ invocation: Invocation) -> Bool {
    let call = invocation.message
    guard let path = call.path else { return false }
    let object = state.withLock { $0.tree.objects[path] }
    // Replies follow the announcements of earlier changes.
    let flushing = Invocation(message: call, bus: bus) { self.flush() }
    if answerStandard(flushing, path, object) { return true }
    guard path == objectManager || state.withLock({ $0.tree.isNode(path) }) else { return false }
    guard let body = object.flatMap({ Self.method(call, of: $0) }) else {
      // MessageBus implements Peer.
      if call.interface == "org.freedesktop.DBus.Peer" { return false }
      flushing.fail(Invocation.unhandledError(call, name: .unknownMethod))
      return true
    }
    body(flushing)
    return true
  }

  /// The method of a call. Its signature must match exactly. A call without an interface matches no
  /// method, as in gdbus.
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
    // On every path, as in libdbus, even without an object.
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

  /// All interfaces of an object, in the order of bluetoothd; empty without an object.
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

  /// An interface of an object; the implicit ones have no properties.
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

  private typealias InterfaceEntry = (name: String, properties: PropertyMap)

  private static func entry(_ interface: ExportedInterface) -> InterfaceEntry {
    (interface.name, interface.presentProperties)
  }

  /// `a{sa{sv}}`
  private static func interfaceMap(_ entries: [InterfaceEntry]) -> DBusValue {
    .dictionary(
      DBusDictionary(
        valid: Signature(valid: "a{sa{sv}}"),
        entries.map { (key: .string($0.name), value: .properties($0.properties)) }
      )
    )
  }
}
