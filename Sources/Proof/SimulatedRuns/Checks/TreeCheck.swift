// Invariants of org.bluez: its objects, and the signals about them.

import BlueZInterfaces
import DBus
import Signals

/// Checks InterfacesAdded, InterfacesRemoved and PropertiesChanged of each bluetoothd.
struct TreeCheck: Check {
  private struct Object {
    var interfaces: [String] = []
    var children = 0
  }

  private(set) var problems: [BrokenRule] = []
  private var objects: [ObjectPath: Object] = [:]
  /// The unique name of the bluetoothd that owns the objects.
  private var daemon: String?

  private static let onEveryObject = [
    StandardInterface.properties, StandardInterface.introspectable,
  ]

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    guard case .message(let message) = sighting, message.kind == .signal else { return }
    switch message.member {
    case StandardInterface.propertiesChanged.name: changed(message, now)
    case StandardInterface.interfacesAdded.name:
      switchDaemon(to: message.sender)
      added(message, now)
    case StandardInterface.interfacesRemoved.name: removed(message, now)
    default: break
    }
  }

  mutating func finish(at now: Instant) {}

  /// Drops all objects when another bluetoothd sends.
  private mutating func switchDaemon(to sender: String?) {
    guard sender != daemon else { return }
    daemon = sender
    objects = [:]
  }

  private mutating func added(_ message: Message, _ now: Instant) {
    guard let path = message.body.first?.asObjectPath,
      let interfaces = message.body.last?.asDictionary?.entries.compactMap({ $0.key.asString })
    else { return addProblem("InterfacesAdded has a path and interfaces", message.text, now) }
    if objects[path] == nil {
      if let parent = parent(of: path) {
        if objects[parent] == nil {
          addProblem("An object has a parent", "\(path)", now)
        }
        objects[parent, default: Object()].children += 1
      }
      objects[path] = Object()
    }
    for interface in interfaces where !Self.onEveryObject.contains(interface) {
      if objects[path]?.interfaces.contains(interface) == true {
        addProblem("An interface comes once", "\(interface) at \(path)", now)
      }
      objects[path]?.interfaces.append(interface)
    }
  }

  private mutating func removed(_ message: Message, _ now: Instant) {
    guard message.sender == daemon, let path = message.body.first?.asObjectPath,
      let interfaces = message.body.last?.asStrings
    else { return addProblem("InterfacesRemoved has a path and interfaces", message.text, now) }
    guard var object = objects[path] else {
      return addProblem("What is removed was there", "\(path)", now)
    }
    for interface in interfaces where !Self.onEveryObject.contains(interface) {
      if !object.interfaces.contains(interface) {
        addProblem("What is removed was there", "\(interface) at \(path)", now)
      }
      object.interfaces.removeAll { $0 == interface }
    }
    objects[path] = object
    guard object.interfaces.isEmpty else { return }
    if object.children > 0 {
      addProblem("Children never outlive their parent", "\(object.children) of \(path)", now)
    }
    objects[path] = nil
    if let parent = parent(of: path) { objects[parent]?.children -= 1 }
  }

  private mutating func changed(_ message: Message, _ now: Instant) {
    guard let path = message.path, let interface = message.body.first?.asString else { return }
    guard message.sender == daemon, objects[path]?.interfaces.contains(interface) == true else {
      return addProblem("No signal is sent about a missing object", message.text, now)
    }
  }

  /// The path of the required parent; nil for an adapter.
  private func parent(of path: ObjectPath) -> ObjectPath? {
    guard let parent = path.parent, !parent.isRoot, parent != BlueZPath.manager else { return nil }
    return parent.text == "/org" ? nil : parent
  }

  private mutating func addProblem(_ rule: String, _ detail: String, _ now: Instant) {
    problems.append(BrokenRule(rule: rule, detail: detail, at: now))
  }
}
