// A mirror of bluetoothd's objects: messages in, changes out.
//
// A pure value. It sends nothing and waits for nothing; the meaning of the objects is in
// ObjectTree+Adapters.swift, DeviceView.swift and AttributeView.swift.

import BlueZInterfaces
import Bluetooth
import DBus

/// The objects that bluetoothd exports, according to its messages.
struct ObjectTree: Sendable {
  private typealias Interfaces = [String: PropertyMap]

  private var objects: [ObjectPath: Interfaces] = [:]
  /// The objects that have each interface.
  private var paths: [String: SortedPaths] = [:]
  /// The devices by the properties that targets select them by.
  private var deviceIndex = DeviceIndex()
  /// The advertised services of devices, which `UUIDs` no longer shows once their services have
  /// been read.
  private(set) var advertised = AdvertisedServices()
  private var snapshotsAsked = 0
  private var remembered: [TreeEvent] = []

  /// Counts the changes of GATT objects: a cache of their properties is valid for one count.
  private(set) var attributeGeneration: UInt64 = 0
  /// Counts the changes of devices, so that a waiter checks only the last one.
  private(set) var deviceChanges: UInt64 = 0
  /// The device that changed last; nil after a change of all.
  private(set) var lastDevice: ObjectPath?

  /// Applies one event.
  ///
  /// Signals that arrive while a snapshot is pending are applied at once and again on top of the
  /// snapshot. Its position among them is not known, and need not be: the last value of each
  /// property counts either way.
  ///
  /// - Returns: What changed, in the order of the message.
  mutating func apply(_ event: TreeEvent) -> [TreeChange] {
    switch event {
    case .snapshotAsked:
      snapshotsAsked += 1
      return []
    case .snapshotFailed:
      snapshotEnded()
      return []
    case .snapshot(let listed):
      let changes = replace(with: listed)
      snapshotEnded()
      return changes
    case .cleared:
      remembered = []
      return clear()
    case .added, .removed, .changed:
      if snapshotsAsked > 0 { remembered.append(event) }
      return applySignal(event)
    }
  }

  private mutating func snapshotEnded() {
    snapshotsAsked = max(0, snapshotsAsked - 1)
    if snapshotsAsked == 0 { remembered = [] }
  }

  private mutating func applySignal(_ event: TreeEvent) -> [TreeChange] {
    switch event {
    case .added(let path, let interfaces):
      return interfaces.flatMap { put($0.name, $0.properties, at: path) }
    case .removed(let path, let names):
      let left = names.contains(Adapter1.interface) ? removeAll(below: path) : []
      return left + names.compactMap { removeInterface($0, at: path) }
    case .changed(let path, let interface, let properties, let invalidated):
      return update(path, interface, properties, invalidated)
    case .snapshotAsked, .snapshot, .snapshotFailed, .cleared:
      return []
    }
  }

  // MARK: Changing

  private mutating func put(
    _ interface: String, _ properties: PropertyMap, at path: ObjectPath
  ) -> [TreeChange] {
    guard Self.isMirrored(interface) else { return [] }
    countAttributes(interface)
    countDevice(interface, path)
    let old = objects[path, default: [:]].updateValue(properties, forKey: interface)
    reindex(path, interface, from: old, to: properties)
    if interface == Device1.interface { advertised.added(path, properties, isRead: isRead(path)) }
    guard let old else {
      paths[interface, default: SortedPaths()].insert(path)
      return [.added(path, interface: interface)]
    }
    let names = Self.difference(from: old, to: properties)
    return names.isEmpty ? [] : [.changed(path, interface: interface, properties: names)]
  }

  private mutating func removeInterface(_ interface: String, at path: ObjectPath) -> TreeChange? {
    guard let old = objects[path]?.removeValue(forKey: interface) else { return nil }
    countAttributes(interface)
    countDevice(interface, path)
    reindex(path, interface, from: old, to: nil)
    paths[interface]?.remove(path)
    if interface == Device1.interface { advertised.removed(path) }
    if objects[path]?.isEmpty == true { objects[path] = nil }
    return .removed(path, interface: interface)
  }

  /// Removes the objects that bluetoothd left behind below an adapter that it removes: a device
  /// that was connected would still seem connected when the adapter is back.
  private mutating func removeAll(below path: ObjectPath) -> [TreeChange] {
    let left = paths.flatMap { interface, paths in paths.below(path).map { ($0, interface) } }
    return left.sorted { $0 > $1 }.compactMap { removeInterface($1, at: $0) }
  }

  private mutating func update(
    _ path: ObjectPath, _ interface: String, _ properties: PropertyMap, _ invalidated: [String]
  ) -> [TreeChange] {
    guard objects[path]?[interface] != nil else { return [] }
    countDevice(interface, path)
    let change = TreeChange.changed(
      path, interface: interface, properties: properties.names + invalidated
    )
    let isIndexed = DeviceIndex.isConcerned(by: change)
    let old = isIndexed ? objects[path]?[interface] : nil
    for entry in properties.entries { objects[path]?[interface]?[entry.name] = entry.value }
    for name in invalidated { objects[path]?[interface]?[name] = nil }
    if isIndexed { reindex(path, interface, from: old, to: objects[path]?[interface]) }
    if interface == Device1.interface { advertised.changed(path, properties, isRead: isRead(path)) }
    return [change]
  }

  /// Whether bluetoothd has read the services of a device.
  private func isRead(_ device: ObjectPath) -> Bool {
    value(Device1.servicesResolved, at: device) == true
      || paths[GattService1.interface].map { $0.below(device).contains { _ in true } } == true
  }

  private mutating func replace(with listed: [ListedObject]) -> [TreeChange] {
    let before = self
    objects = [:]
    for object in listed {
      for interface in object.interfaces where Self.isMirrored(interface.name) {
        objects[object.path, default: [:]][interface.name] = interface.properties
      }
    }
    index()
    let devices = paths(with: Device1.interface)
    advertised.keep(devices)
    for device in devices where advertised[device] == nil {
      let properties = properties(Device1.interface, at: device)
      properties.map { advertised.added(device, $0, isRead: isRead(device)) }
    }
    for event in remembered { _ = applySignal(event) }
    attributeGeneration = before.attributeGeneration + 1
    countAllDevices()
    return before.removals(towards: self) + before.additions(towards: self)
  }

  private mutating func countDevice(_ interface: String, _ path: ObjectPath) {
    guard interface == Device1.interface else { return }
    deviceChanges += 1
    lastDevice = path
  }

  private mutating func countAllDevices() {
    // By two, so that it is not mistaken for the change of one device.
    deviceChanges += 2
    lastDevice = nil
  }

  private mutating func clear() -> [TreeChange] {
    let before = self
    objects = [:]
    advertised = AdvertisedServices()
    index()
    attributeGeneration += 1
    countAllDevices()
    return before.removals(towards: self)
  }

  /// The objects that `other` no longer has: children before parents.
  private func removals(towards other: ObjectTree) -> [TreeChange] {
    objects.keys.sorted().reversed().flatMap { path in
      interfaceNames(of: path)
        .filter { other.objects[path]?[$0] == nil }
        .map { .removed(path, interface: $0) }
    }
  }

  /// The objects that are new or different in `other`: parents before children.
  private func additions(towards other: ObjectTree) -> [TreeChange] {
    other.objects.keys.sorted().flatMap { path in
      other.interfaceNames(of: path).compactMap { name -> TreeChange? in
        guard let new = other.objects[path]?[name] else { return nil }
        guard let old = objects[path]?[name] else { return .added(path, interface: name) }
        let names = Self.difference(from: old, to: new)
        return names.isEmpty ? nil : .changed(path, interface: name, properties: names)
      }
    }
  }

  private mutating func countAttributes(_ interface: String) {
    switch interface {
    case GattService1.interface, GattCharacteristic1.interface, GattDescriptor1.interface:
      attributeGeneration += 1
    default:
      break
    }
  }

  /// The two implicit interfaces carry no information.
  private static func isMirrored(_ interface: String) -> Bool {
    interface != StandardInterface.introspectable && interface != StandardInterface.properties
  }

  private static func difference(from old: PropertyMap, to new: PropertyMap) -> [String] {
    new.names.filter { old[$0] != new[$0] } + old.names.filter { new[$0] == nil }
  }

  // MARK: Indices

  /// Indexes all objects again.
  private mutating func index() {
    var listed: [String: [ObjectPath]] = [:]
    deviceIndex = DeviceIndex()
    for (path, interfaces) in objects {
      for (interface, properties) in interfaces {
        listed[interface, default: []].append(path)
        reindex(path, interface, from: nil, to: properties)
      }
    }
    paths = listed.mapValues { SortedPaths($0) }
  }

  private mutating func reindex(
    _ path: ObjectPath, _ interface: String, from old: PropertyMap?, to new: PropertyMap?
  ) {
    if interface == Device1.interface { deviceIndex.change(path, from: old, to: new) }
  }

  // MARK: Reading

  /// The properties of an interface of an object; nil when it is absent.
  func properties(_ interface: String, at path: ObjectPath) -> PropertyMap? {
    objects[path]?[interface]
  }

  /// The value of a property; nil when it, the interface or the object is absent.
  func value<Value>(_ property: Property<Value>, at path: ObjectPath) -> Value? {
    objects[path]?[property.interface]?[property]
  }

  /// Whether an object has an interface.
  func has(_ interface: String, at path: ObjectPath) -> Bool {
    objects[path]?[interface] != nil
  }

  /// The interfaces of an object, sorted.
  func interfaceNames(of path: ObjectPath) -> [String] {
    objects[path]?.keys.sorted() ?? []
  }

  /// Every object with an interface, in order of path.
  func paths(with interface: String) -> [ObjectPath] { Array(paths[interface] ?? SortedPaths()) }

  /// The objects with an interface anywhere below a path, in order of path.
  func paths(with interface: String, below parent: ObjectPath) -> [ObjectPath] {
    paths[interface].map { Array($0.below(parent)) } ?? []
  }

  /// The candidates for a target; nil when every device has to be checked.
  func indexed(_ target: DeviceTarget) -> [ObjectPath]? { deviceIndex.devices(target) }
}
