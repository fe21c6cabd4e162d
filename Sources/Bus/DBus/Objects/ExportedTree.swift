// The exported objects of one connection, and their unannounced changes.
//
// Pure: it records changes and returns announcements; ObjectServer sends them. The rules are those
// of gdbus, BlueZ's own library, which other ObjectManager servers follow too.

/// Objects by path, and the changes to announce with the next flush.
///
/// - Source: BlueZ 5.66, `gdbus/object.c`.
struct ExportedTree: Sendable {
  /// One object.
  struct Object: Sendable {
    /// The interfaces, in the order they were added.
    var interfaces: [ExportedInterface]
    /// Whether the object was announced to clients.
    var isAnnounced = false
    /// Whether it has, or had, an interface with properties, and so implements Properties.
    var hasProperties = false
    /// Whether its Properties interface was announced to clients.
    var arePropertiesAnnounced = false
    /// The number of the object, in order of creation.
    let number: UInt64
  }

  /// The unannounced changes of one object.
  private struct Changes: Sendable {
    let path: ObjectPath
    /// The position of its first change among all changes; of a new object, that of its last interface.
    var order: UInt64
    var added: [String] = []
    /// Interfaces with their changed properties, both in the order first marked.
    var changed: [(interface: String, properties: [String])] = []
    var removed: [String] = []
    /// Whether the object had Properties when the last interface was removed.
    var hadProperties = false
  }

  /// An announcement. Those of one object are sent in this order.
  enum Announcement: Sendable {
    case added(ObjectPath, [ExportedInterface], isNew: Bool, bringsProperties: Bool)
    case changed(ObjectPath, ExportedInterface, [String])
    case removed(ObjectPath, [String], isGone: Bool, hadProperties: Bool)
  }

  private(set) var objects: [ObjectPath: Object] = [:]
  /// The paths of all objects, parents before children, siblings in order.
  private(set) var paths = SortedPaths()
  /// The unannounced changes by path; announced in their `order`.
  private var changes: [ObjectPath: Changes] = [:]
  private var orders: UInt64 = 0
  private var made: UInt64 = 0

  /// Whether there are unannounced changes.
  var hasChanges: Bool { !changes.isEmpty }

  // MARK: Objects

  /// Adds an interface to an object, which is created if necessary. An interface with the same name
  /// is replaced without an announcement.
  mutating func add(_ interface: ExportedInterface, to path: ObjectPath) {
    var object = objects[path] ?? newObject()
    if !interface.properties.isEmpty { object.hasProperties = true }
    if let index = object.interfaces.firstIndex(where: { $0.name == interface.name }) {
      object.interfaces[index] = interface
      objects[path] = object
      return
    }
    object.interfaces.append(interface)
    if objects.updateValue(object, forKey: path) == nil { paths.insert(path) }
    // A new object is announced behind those that were changed before its last interface came.
    orders += 1
    change(path) { [orders] changes in
      changes.added.append(interface.name)
      if !object.isAnnounced { changes.order = orders }
    }
  }

  private mutating func newObject() -> Object {
    made += 1
    return Object(interfaces: [], number: made)
  }

  /// The paths of all objects in listing order: parents before children, and of several siblings
  /// the newest first.
  ///
  /// - Source: BlueZ 5.66, `gdbus/object.c` (append_object, g_dbus_register_interface).
  var listing: [ObjectPath] {
    var below: [ObjectPath: [ObjectPath]] = [:]
    var tops: [ObjectPath] = []
    for path in paths {
      if let above = nearestObject(above: path) {
        below[above, default: []].append(path)
      } else {
        tops.append(path)
      }
    }
    var found: [ObjectPath] = []
    // A stack: the last element is listed first.
    var waiting = tops.sorted { number($0) < number($1) }
    while let path = waiting.popLast() {
      found.append(path)
      waiting += (below[path] ?? []).sorted { number($0) < number($1) }
    }
    return found
  }

  private func number(_ path: ObjectPath) -> UInt64 { objects[path]?.number ?? 0 }

  private func nearestObject(above path: ObjectPath) -> ObjectPath? {
    var path = path
    while let above = path.parent {
      if objects[above] != nil { return above }
      path = above
    }
    return nil
  }

  /// Removes an interface; an object without interfaces is removed.
  ///
  /// An interface that was never announced is removed silently.
  mutating func remove(_ name: String, from path: ObjectPath) {
    guard let index = objects[path]?.interfaces.firstIndex(where: { $0.name == name }) else {
      return
    }
    objects[path]?.interfaces.remove(at: index)
    let hadProperties = objects[path]?.hasProperties ?? false
    if objects[path]?.interfaces.isEmpty == true {
      objects[path] = nil
      paths.remove(path)
    }
    change(path) { changes in
      changes.changed.removeAll { $0.interface == name }
      if changes.added.contains(name) {
        changes.added.removeAll { $0 == name }
      } else {
        changes.removed.append(name)
        changes.hadProperties = hadProperties
      }
    }
  }

  /// The names of an object's interfaces.
  func interfaceNames(at path: ObjectPath) -> [String] {
    objects[path]?.interfaces.map(\.name) ?? []
  }

  /// An interface of an object.
  func interface(_ name: String, at path: ObjectPath) -> ExportedInterface? {
    objects[path]?.interfaces.first { $0.name == name }
  }

  /// Whether there is an object at or below a path.
  func isNode(_ path: ObjectPath) -> Bool {
    objects[path] != nil || paths.below(path).contains { _ in true }
  }

  /// The names of the nodes directly below a path: objects, and path elements that lead to objects.
  /// Linear in the number of objects below.
  func children(of path: ObjectPath) -> [String] {
    var names: [String] = []
    let prefix = path == .root ? "/" : path.text + "/"
    for other in paths.below(path) {
      let name = String(other.text.dropFirst(prefix.count).prefix { $0 != "/" })
      if names.last != name { names.append(name) }
    }
    return names
  }

  // MARK: Changes

  /// Whether a removal at a path is unannounced. It must be announced before an interface is added
  /// there.
  func hasPendingRemoval(at path: ObjectPath) -> Bool {
    changes[path]?.removed.isEmpty == false
  }

  /// Marks a property that has changed, appeared or disappeared.
  ///
  /// Ignored for an unannounced interface: its announcement will include the value.
  mutating func mark(_ property: String, of interface: String, at path: ObjectPath) {
    guard self.interface(interface, at: path) != nil else { return }
    change(path) { changes in
      guard !changes.added.contains(interface) else { return }
      guard let index = changes.changed.firstIndex(where: { $0.interface == interface }) else {
        changes.changed.append((interface, [property]))
        return
      }
      if !changes.changed[index].properties.contains(property) {
        changes.changed[index].properties.append(property)
      }
    }
  }

  /// Removes and returns all pending announcements: objects in the order of their first change; for
  /// each object additions, then changes, then removals.
  mutating func removeAnnouncements() -> [Announcement] {
    var announcements: [Announcement] = []
    for change in changes.values.sorted(by: { $0.order < $1.order }) {
      announcements += self.announcements(of: change)
    }
    changes = [:]
    return announcements
  }

  /// Removes and returns the pending announcements of one object.
  mutating func removeAnnouncements(of path: ObjectPath) -> [Announcement] {
    changes.removeValue(forKey: path).map { announcements(of: $0) } ?? []
  }

  private mutating func announcements(of change: Changes) -> [Announcement] {
    var announcements: [Announcement] = []
    let added = change.added.compactMap { interface($0, at: change.path) }
    if !added.isEmpty {
      let isNew = objects[change.path]?.isAnnounced == false
      let brings =
        objects[change.path].map { $0.hasProperties && !$0.arePropertiesAnnounced } ?? false
      objects[change.path]?.isAnnounced = true
      if brings { objects[change.path]?.arePropertiesAnnounced = true }
      announcements.append(.added(change.path, added, isNew: isNew, bringsProperties: brings))
    }
    for (name, properties) in change.changed {
      guard let interface = interface(name, at: change.path) else { continue }
      announcements.append(.changed(change.path, interface, properties))
    }
    if !change.removed.isEmpty {
      let isGone = objects[change.path] == nil
      announcements.append(
        .removed(change.path, change.removed, isGone: isGone, hadProperties: change.hadProperties)
      )
    }
    return announcements
  }

  private mutating func change(_ path: ObjectPath, _ change: (inout Changes) -> Void) {
    if changes[path] == nil {
      orders += 1
      changes[path] = Changes(path: path, order: orders)
    }
    change(&changes[path, default: Changes(path: path, order: orders)])
    if let entry = changes[path], entry.added.isEmpty, entry.changed.isEmpty, entry.removed.isEmpty
    {
      changes[path] = nil
    }
  }
}
