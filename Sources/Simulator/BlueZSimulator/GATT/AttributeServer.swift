// All exported attributes of one device.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// The objects of a device's services, characteristics and descriptors.
final class AttributeServer: Sendable {
  /// A service that a profile of bluetoothd claims for itself and that is not exported before 5.80.
  ///
  /// - Source: recorded from bluetoothd 5.66; `profiles/gap/gas.c`.
  private static let genericAccess = BluetoothUUID(short: 0x1800)
  /// The claimed services, which clients cannot write from 5.80 on.
  ///
  /// - Source: BlueZ 5.80, `src/gatt-client.c` (`ExportClaimedServices = read-only`).
  private static let claimed = [
    genericAccess, BluetoothUUID(short: 0x180f), BluetoothUUID(short: 0x180a),
    BluetoothUUID(short: 0x1812), BluetoothUUID(short: 0x1813),
  ]

  /// The objects of one service, in the order of handles.
  private struct Service: Sendable {
    let entry: ServiceEntry
    var objects: [(path: ObjectPath, interface: ExportedInterface)] = []
    var characteristics: [CharacteristicServer] = []
    var descriptors: [DescriptorServer] = []
    /// The paths in the order of removal: the contents, then the service.
    var removals: [ObjectPath] = []

    init(_ entry: ServiceEntry, of device: ObjectPath, access: AttributeAccess) {
      self.entry = entry
      let path = BlueZPath.service(entry.handle, of: device)
      let version = access.host.settings.version
      let isReadOnly = version.has(.claimedServices) && AttributeServer.claimed.contains(entry.uuid)
      objects.append((path, AttributeServer.interface(of: entry, device, version)))
      for entry in entry.characteristics {
        let characteristic = CharacteristicServer(
          entry, of: path, isReadOnly: isReadOnly, access: access
        )
        characteristics.append(characteristic)
        objects.append((characteristic.path, characteristic.interface))
        let configuration = entry.configuration
        for entry in entry.descriptors {
          let descriptor = DescriptorServer(
            entry, isConfiguration: entry == configuration, of: characteristic.path,
            isReadOnly: isReadOnly, access: access
          )
          descriptors.append(descriptor)
          objects.append((descriptor.path, descriptor.interface))
          removals.append(descriptor.path)
        }
        removals.append(characteristic.path)
      }
      removals.append(path)
    }

    func forget() {
      for characteristic in characteristics { characteristic.forget() }
      for descriptor in descriptors { descriptor.forget() }
    }
  }

  private struct State {
    var offered: [Service] = []
    /// Services that the device does not have at present.
    var absent: [BluetoothUUID] = []
    /// Services that the device has lost without bluetoothd being told.
    var stale: [BluetoothUUID] = []
  }

  private let state: Confined<State>
  private let device: ObjectPath
  private let access: AttributeAccess

  init(of device: ObjectPath, access: AttributeAccess) {
    self.device = device
    self.access = access
    state = Confined(State(), to: access.host.loop)
    update(isExported: false)
  }

  /// The services with objects, including those that the device has lost or withheld since.
  private var exportable: [Service] { state.offered }

  private static func interface(
    of service: ServiceEntry, _ device: ObjectPath, _ version: BlueZVersion
  ) -> ExportedInterface {
    GattService1.declaration.exported(
      by: version,
      properties: [
        ExportedProperty(GattService1.handle) { service.handle },
        ExportedProperty(GattService1.uuid) { service.uuid },
        ExportedProperty(GattService1.device) { device },
        ExportedProperty(GattService1.primary) { true },
        ExportedProperty(GattService1.includes) {
          service.includes.map { BlueZPath.service($0, of: device) }
        },
      ])
  }

  /// Creates and removes objects to match the device's current services. Objects of unchanged
  /// services stay.
  ///
  /// - Parameter isExported: Whether the objects are on the bus.
  /// - Returns: The removed services.
  @discardableResult
  func update(isExported: Bool) -> [BluetoothUUID] {
    let before = exportable
    let showsAll = access.host.settings.version.has(.claimedServices)
    let shown = access.device.table.services.filter { showsAll || $0.uuid != Self.genericAccess }
    let after = shown.map { entry in
      before.first { $0.entry == entry } ?? Service(entry, of: device, access: access)
    }
    state.offered = after
    let gone = before.filter { one in !after.contains { $0.entry == one.entry } }
    let new = after.filter { one in !before.contains { $0.entry == one.entry } }
    if isExported { remove(gone) } else { for service in gone { service.forget() } }
    if isExported { export(new) }
    return gone.map(\.entry.uuid)
  }

  /// Exports every object, parents first, in the order of handles.
  func export() { export(exportable) }

  private func export(_ services: [Service]) {
    for service in services where !state.absent.contains(service.entry.uuid) {
      for object in service.objects { access.host.server.add([object.interface], at: object.path) }
    }
  }

  /// Removes every object, children first, and drops values and sessions.
  func remove() {
    for path in exportable.flatMap(\.removals) { access.host.server.remove(path) }
    for service in exportable { service.forget() }
    for service in state.stale where !state.absent.contains(service) {
      state.absent.append(service)
    }
    state.stale = []
  }

  /// Removes the objects of services, after releasing their sockets.
  private func remove(_ gone: [Service]) {
    guard !gone.isEmpty else { return }
    release(gone.flatMap(\.characteristics))
    access.host.server.flush()
    for path in gone.flatMap(\.removals) { access.host.server.remove(path) }
    for service in gone { service.forget() }
  }

  /// Applies that the device lost a service without an indication: its cached objects stay.
  ///
  /// - Returns: True if the service had no objects, so that the services on the bus must be updated.
  func deviceLost(_ service: BluetoothUUID) -> Bool {
    state.stale.removeAll { $0 == service }
    let isAbsent = state.absent.contains(service)
    if !isAbsent { state.stale.append(service) }
    return isAbsent
  }

  /// Applies that the device has a service again.
  ///
  /// - Returns: True if bluetoothd had noticed the loss, so that the services on the bus must be updated.
  func deviceRegained(_ service: BluetoothUUID) -> Bool {
    let wasStale = state.stale.contains(service)
    state.stale.removeAll { $0 == service }
    return !wasStale
  }

  /// The services that a client can discover.
  var services: [BluetoothUUID] {
    access.device.table.services.map(\.uuid).filter { !state.absent.contains($0) }
  }

  /// Adds or removes a service that the device's Service Changed indication reported.
  ///
  /// - Parameter isExported: Whether the other attributes are on the bus.
  func offer(_ service: BluetoothUUID, _ isOffered: Bool, isExported: Bool) {
    guard state.absent.contains(service) == isOffered else { return }
    if isOffered { state.absent.removeAll { $0 == service } } else { state.absent.append(service) }
    guard isExported else { return }
    let own = exportable.filter { $0.entry.uuid == service }
    if isOffered { export(own) } else { remove(own) }
  }

  /// Restores the kept sessions on a new connection.
  func resume() {
    for characteristic in characteristics { characteristic.resume() }
  }

  private var characteristics: [CharacteristicServer] { exportable.flatMap(\.characteristics) }

  func releaseSockets() { release(characteristics) }

  /// Closes sockets in the order of their acquisition, in which bluetoothd notices their end.
  private func release(_ characteristics: [CharacteristicServer]) {
    let releases = characteristics.flatMap(\.releases).sorted { $0.number < $1.number }
    for each in releases { each.release() }
  }

  func linkDown() {
    for characteristic in characteristics { characteristic.linkDown() }
  }

  /// Subscribes on behalf of bluetoothd itself.
  func keepSubscribed(_ handle: UInt16) { characteristic(handle)?.keepSubscribed() }

  func clientLeft(_ client: String) {
    for characteristic in characteristics { characteristic.clientLeft(client) }
  }

  func path(of handle: UInt16) -> ObjectPath? { characteristic(handle)?.path }

  func notified(_ handle: UInt16, _ value: [UInt8]) { characteristic(handle)?.notified(value) }

  private func characteristic(_ handle: UInt16) -> CharacteristicServer? {
    for service in exportable
    where service.entry.handle <= handle && handle <= service.entry.lastHandle {
      return service.characteristics.first { $0.entry.handle == handle }
    }
    return nil
  }
}
