// Requests of bluetoothd itself: the battery level, and the subscriptions to it and to Service
// Changed.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension RemoteDevice {
  static let batteryService = BluetoothUUID(short: 0x180f)

  private var batteryLevel: CharacteristicEntry? {
    entry(0x2a19, of: Self.batteryService)
  }

  /// The first characteristic with this UUID.
  func entry(_ uuid: UInt16, of service: BluetoothUUID) -> CharacteristicEntry? {
    device.table.services.first { $0.uuid == service }?
      .characteristics.first { $0.uuid.short == uuid }
  }

  /// Subscribes to Service Changed.
  ///
  /// - Source: recorded from bluetoothd 5.66; `src/shared/gatt-client.c`.
  func keepServiceChanged() {
    guard let changed = entry(0x2a05, of: BluetoothUUID(short: 0x1801)) else { return }
    attributes?.keepSubscribed(changed.handle)
  }

  /// Reads the battery level, exports Battery1 once it is known, and subscribes.
  ///
  /// - Source: recorded from bluetoothd 5.66; `profiles/battery/battery.c`.
  func addBattery() {
    guard let level = batteryLevel, level.properties.contains(.read),
      attributes?.services.contains(Self.batteryService) == true
    else { return }
    after(host.settings.link(device.definition.link.latency)) { device in
      device.readBattery(level.handle)
    }
  }

  private func readBattery(_ handle: UInt16) {
    guard awaitsBattery else { return }
    device.read(handle, from: 0) { [weak self] result in
      if let percentage = try? result.get().first { self?.addBattery(percentage, handle) }
    }
  }

  private var awaitsBattery: Bool {
    state.machine.isResolved && !state.machine.isClosing && state.battery == nil
  }

  private func addBattery(_ percentage: UInt8, _ handle: UInt16) {
    // A device's logic may have answered late.
    guard awaitsBattery else { return }
    state.battery = percentage
    let level = ExportedProperty(Battery1.percentage) { [weak self] in self?.state.battery }
    let source = ExportedProperty(Battery1.source) { "GATT Battery Service" }
    let battery = Battery1.declaration.exported(
      by: host.settings.version, properties: [level, source]
    )
    host.server.add([battery], at: path)
    attributes?.keepSubscribed(handle)
  }

  /// Announces a notified battery level, if it is new.
  func notifiedBattery(_ handle: UInt16, _ value: [UInt8]) {
    guard handle == batteryLevel?.handle, let percentage = value.first,
      let before = state.battery, before != percentage
    else { return }
    state.battery = percentage
    host.server.changed(Battery1.percentage, at: path)
  }

  func removeBattery() {
    if state.battery.take() != nil { host.server.remove([Battery1.interface], from: path) }
  }
}
