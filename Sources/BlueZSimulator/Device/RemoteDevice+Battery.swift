// The battery of a device, which bluetoothd reads by itself.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension RemoteDevice {
  private var batteryLevel: CharacteristicEntry? {
    device.table.services.first { $0.uuid.short == 0x180f }?
      .characteristics.first { $0.uuid.short == 0x2a19 }
  }

  /// Reads the level, and exports Battery1 once it is known.
  func addBattery() {
    guard let level = batteryLevel, level.properties.contains(.read) else { return }
    after(host.settings.link(device.definition.link.latency)) { device in
      device.readBattery(level.handle)
    }
  }

  private func readBattery(_ handle: UInt16) {
    let isWanted = state.withLock { state in
      state.machine.isResolved && !state.machine.isClosing && state.battery == nil
    }
    guard isWanted, let percentage = try? device.read(handle).get().first else { return }
    state.withLock { $0.battery = percentage }
    let property = ExportedProperty(Battery1.Property.percentage, "y") { [weak self] in
      self?.state.withLock { $0.battery }.map { .byte($0) }
    }
    host.server.add([ExportedInterface(Battery1.interface, properties: [property])], at: path)
  }

  /// The device has sent a value: if it is the level, and another one, it is told.
  func notifiedBattery(_ handle: UInt16, _ value: [UInt8]) {
    guard handle == batteryLevel?.handle, let percentage = value.first else { return }
    let isChanged = state.withLock { state in
      guard let before = state.battery else { return false }
      state.battery = percentage
      return before != percentage
    }
    if isChanged {
      host.server.changed(Battery1.Property.percentage, of: Battery1.interface, at: path)
    }
  }

  func removeBattery() {
    let hadBattery = state.withLock { state in
      defer { state.battery = nil }
      return state.battery != nil
    }
    if hadBattery { host.server.remove([Battery1.interface], from: path) }
  }
}
