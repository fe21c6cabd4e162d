// A device that is an adapter of the same room: what happens on the one side happens on the other.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension RemoteDevice {
  /// The device has connected, as a central. An adapter has one such connection at a time.
  func accept() {
    guard !device.isLinked else { return }
    let isNew = state.withLock { state in
      state.isAccepted = true
      defer { state.isExported = true }
      return !state.isExported
    }
    if isNew { host.server.add([interface], at: path) }
    perform { $0.accepted() }
  }

  /// The services of a central are resolved: its name is that of the adapter, unless it advertises
  /// another one.
  func nameCentral() {
    let isNew = state.withLock { state in
      state.isAccepted && device.definition.name.map { state.known.learn($0) } ?? false
    }
    guard isNew else { return }
    mark(Device1.name)
    mark(Device1.alias)
  }

  /// Whether the device made the current connection, as a central.
  var isAccepted: Bool { state.withLock { $0.isAccepted } }

  /// The device has other services than before.
  ///
  /// - Source: recorded from bluetoothd 5.66: with a connection, objects follow at once, `UUIDs` before
  ///   those that come and after those that go; without one, when the services are resolved the next
  ///   time.
  func followServices() {
    let (areExported, isResolved) = state.withLock {
      ($0.areAttributesExported, $0.machine.isResolved)
    }
    guard areExported, isResolved, let attributes else { return }
    let present = attributes.services
    if state.withLock({ $0.known.found(present) }) { mark(Device1.uuids) }
    let gone = attributes.follow(isExported: true)
    let lost = gone.filter { !present.contains($0) }
    if state.withLock({ $0.known.lost(lost) }) { mark(Device1.uuids) }
    if gone.contains(Self.batteryService) { removeBattery() }
    addBattery()
  }
}
