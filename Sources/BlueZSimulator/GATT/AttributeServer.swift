// All exported attributes of one device.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// The objects of a device's services, characteristics and descriptors.
final class AttributeServer: Sendable {
  /// Services that bluetoothd 5.66 claims.
  ///
  /// - Source: recorded from bluetoothd; BlueZ 5.66, `profiles/gap/gas.c`.
  private static let hidden = [BluetoothUUID(short: 0x1800)]

  private let characteristics: [CharacteristicServer]
  private let descriptors: [DescriptorServer]
  /// In the order of handles.
  private let objects: [(service: BluetoothUUID, path: ObjectPath, interface: ExportedInterface)]
  /// Services in order, each after its contents, as bluetoothd removes them.
  private let removals: [ObjectPath]
  /// Services that the device does not have at present.
  private let absent = Guarded<[BluetoothUUID]>([])
  /// Services that it no longer has, without bluetoothd knowing.
  private let stale = Guarded<[BluetoothUUID]>([])
  private let access: AttributeAccess

  init(of device: ObjectPath, access: AttributeAccess) {
    self.access = access
    var characteristics: [CharacteristicServer] = []
    var descriptors: [DescriptorServer] = []
    var removals: [ObjectPath] = []
    var objects: [(service: BluetoothUUID, path: ObjectPath, interface: ExportedInterface)] = []
    for service in access.device.table.services where !Self.hidden.contains(service.uuid) {
      let path = BlueZPath.service(service.handle, of: device)
      objects.append((service.uuid, path, Self.interface(of: service, device)))
      for entry in service.characteristics {
        let characteristic = CharacteristicServer(entry, of: path, access: access)
        characteristics.append(characteristic)
        objects.append((service.uuid, characteristic.path, characteristic.interface))
        for entry in entry.descriptors {
          let descriptor = DescriptorServer(entry, of: characteristic.path, access: access)
          descriptors.append(descriptor)
          objects.append((service.uuid, descriptor.path, descriptor.interface))
          removals.append(descriptor.path)
        }
        removals.append(characteristic.path)
      }
      removals.append(path)
    }
    self.characteristics = characteristics
    self.descriptors = descriptors
    self.objects = objects
    self.removals = removals
  }

  private static func interface(
    of service: ServiceEntry,
    _ device: ObjectPath
  ) -> ExportedInterface {
    GattService1.declaration.exported(properties: [
      ExportedProperty(GattService1.uuid) { service.uuid },
      ExportedProperty(GattService1.device) { device },
      ExportedProperty(GattService1.primary) { true },
      ExportedProperty(GattService1.includes) {
        service.includes.map { BlueZPath.service($0, of: device) }
      },
    ])
  }

  /// Exports every object, parents first, in the order of handles.
  func export() {
    let absent = absent.withLock { $0 }
    for object in objects where !absent.contains(object.service) {
      access.host.server.add([object.interface], at: object.path)
    }
  }

  /// Removes every object, children first, and drops values and sessions.
  func remove() {
    for path in removals { access.host.server.remove(path) }
    for characteristic in characteristics { characteristic.forget() }
    for descriptor in descriptors { descriptor.forget() }
    let stale = stale.withLock { stale in
      defer { stale = [] }
      return stale
    }
    absent.withLock { absent in absent += stale.filter { !absent.contains($0) } }
  }

  /// The device removes a service, or adds it again, without an indication.
  ///
  /// - Returns: Whether that makes no difference on the bus.
  func replace(_ service: BluetoothUUID, _ isReplaced: Bool) -> Bool {
    let isAbsent = absent.withLock { $0.contains(service) }
    return stale.withLock { stale in
      let wasStale = stale.contains(service)
      stale.removeAll { $0 == service }
      if isReplaced, !isAbsent { stale.append(service) }
      return isReplaced ? !isAbsent : wasStale
    }
  }

  /// The services that a client can discover.
  var services: [BluetoothUUID] {
    let absent = absent.withLock { $0 }
    return access.device.table.services.map(\.uuid).filter { !absent.contains($0) }
  }

  /// The device adds or removes a service, as its Service Changed indication reports.
  ///
  /// - Parameter isExported: Whether the other attributes are on the bus.
  func offer(_ service: BluetoothUUID, _ isOffered: Bool, isExported: Bool) {
    let isChanged = absent.withLock { absent in
      guard absent.contains(service) == isOffered else { return false }
      if isOffered { absent.removeAll { $0 == service } } else { absent.append(service) }
      return true
    }
    guard isChanged, isExported else { return }
    let own = objects.filter { $0.service == service }
    if isOffered {
      for object in own { access.host.server.add([object.interface], at: object.path) }
    } else {
      let gone = characteristics.filter { server in own.contains { $0.path == server.path } }
      release(gone)
      access.host.server.flush()
      defer { for characteristic in gone { characteristic.forget() } }
      for path in removals where own.contains(where: { $0.path == path }) {
        access.host.server.remove(path)
      }
    }
  }

  /// Kept sessions take effect on a new connection.
  func resume() {
    for characteristic in characteristics { characteristic.resume() }
  }

  func releaseSockets() { release(characteristics) }

  /// Shuts sockets down in the order in which they were acquired, as bluetoothd notices their end.
  private func release(_ characteristics: [CharacteristicServer]) {
    let releases = characteristics.flatMap(\.releases).sorted { $0.number < $1.number }
    for each in releases { each.release() }
  }

  /// The connection has ended.
  func linkDown() {
    for characteristic in characteristics { characteristic.linkDown() }
  }

  /// bluetoothd itself subscribes.
  func keepSubscribed(_ handle: UInt16) {
    characteristics.first { $0.entry.handle == handle }?.keepSubscribed()
  }

  func clientLeft(_ client: String) {
    for characteristic in characteristics { characteristic.clientLeft(client) }
  }

  /// The path of the first characteristic with this UUID.
  func path(of handle: UInt16) -> ObjectPath? {
    characteristics.first { $0.entry.handle == handle }?.path
  }

  /// The device has sent a value.
  func notified(_ handle: UInt16, _ value: [UInt8]) {
    characteristics.first { $0.entry.handle == handle }?.notified(value)
  }
}
