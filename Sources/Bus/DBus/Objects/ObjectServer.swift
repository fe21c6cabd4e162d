// Objects on the bus: what other programs call, read and subscribe to.
//
// The tree and its pending changes are pure (ExportedTree); this sends the announcements, and
// answers calls (ObjectServer+Calls.swift).

import Signals

/// Serves exported objects with Properties, Introspectable and ObjectManager.
///
/// Changes are collected and announced once per turn of the loop. Whatever is sent through the
/// server, replies included, follows the changes that were marked before: a client that sees a
/// reply has seen its effects. Closures of objects are called on the loop, or on the thread that
/// flushes.
///
/// - Source: BlueZ 5.66, `gdbus/object.c`, for the rules of batching and order.
package final class ObjectServer: ObjectHandler {
  struct State: Sendable {
    var tree = ExportedTree()
    var isFlushPosted = false
  }

  let bus: MessageBus
  let objectManager: ObjectPath?
  let state = Guarded(State())

  /// A server without objects. Export it on the bus to receive calls.
  ///
  /// - Parameters:
  ///   - bus: The bus that it serves.
  ///   - objectManager: The object that lists all others and signals when they appear and
  ///     disappear; nil for none.
  package init(bus: MessageBus, objectManagerAt objectManager: ObjectPath? = .root) {
    self.bus = bus
    self.objectManager = objectManager
  }

  // MARK: Objects

  /// Adds an object, or interfaces to one. It can be called at once and is announced with the next
  /// flush.
  package func add(_ interfaces: [ExportedInterface], at path: ObjectPath) {
    if state.withLock({ $0.tree.hasPendingRemoval(at: path) }) { flush() }
    change { tree in
      for interface in interfaces { tree.add(interface, to: path) }
    }
  }

  /// Removes interfaces from an object, and the object with its last one.
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
  /// value is read then.
  package func changed(_ property: String, of interface: String, at path: ObjectPath) {
    change { $0.mark(property, of: interface, at: path) }
  }

  /// Announces a property at once, so that each of several successive values is announced.
  package func announce(_ property: String, of interface: String, at path: ObjectPath) {
    let announcements = state.withLock { state in
      state.tree.mark(property, of: interface, at: path)
      return state.tree.takeAnnouncements(of: path)
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
    let announcements = state.withLock { $0.tree.takeAnnouncements() }
    for announcement in announcements { send(announcement) }
  }

  private func change(_ change: (inout ExportedTree) -> Void) {
    let isFirst = state.withLock { state in
      change(&state.tree)
      guard !state.tree.isQuiet, !state.isFlushPosted else { return false }
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
    // The bus has ended, and there is nobody to notify; or a value cannot be sent, such as a text with
    // a NUL: that is the error of a call that reads it, and no signal.
    try? bus.send(.signal(path: path, interface: interface, member: member, body: body))
  }
}
