// The slots of the host's adapters, and the stored data of their devices.
//
// Pure: the caller exports the objects.

import BlueZInterfaces
import Bluetooth
import DBus
import SimulatedDevices

/// The adapters of a host, in the order of its settings, and the stored data of their devices.
struct AdapterSlots {
  /// One adapter of the host.
  struct Slot {
    let settings: AdapterSettings
    /// The index while it is plugged in: 0 is `hci0`.
    var number: Int?
    /// The object; nil while it is unplugged or bluetoothd is not running.
    var server: AdapterServer?
  }

  private(set) var slots: [Slot]
  /// The stored data of devices whose adapters have no object.
  private(set) var stored: [StoredDevice]
  /// bluetoothd has ended: no adapter gets an object again.
  private var hasEnded = false

  /// Plugs all adapters in, with the indices of their settings but without objects.
  init(_ settings: [AdapterSettings], stored: [StoredDevice] = []) {
    slots = settings.map { Slot(settings: $0, number: $0.number) }
    self.stored = stored
  }

  /// The adapters that have objects.
  var all: [AdapterServer] { slots.compactMap(\.server) }

  /// The object of an adapter; nil if it is unplugged or does not exist.
  func server(_ index: Int) -> AdapterServer? {
    slots.indices.contains(index) ? slots[index].server : nil
  }

  /// Finds the index for an adapter to plug in; nil if it is plugged in or does not exist, or
  /// bluetoothd has ended.
  ///
  /// - Parameter number: The first index to try; nil: the adapter's own. An index in use is
  ///   skipped.
  func place(for index: Int, as number: Int?) -> (settings: AdapterSettings, number: Int)? {
    guard !hasEnded, slots.indices.contains(index), slots[index].server == nil else { return nil }
    let taken = slots.compactMap { $0.server == nil ? nil : $0.number }
    let first = number ?? slots[index].settings.number
    let free = (first...).first { !taken.contains($0) }
    return (slots[index].settings, free ?? first)
  }

  mutating func plugIn(_ index: Int, _ server: AdapterServer, as number: Int) {
    slots[index].server = server
    slots[index].number = number
  }

  /// Unplugs an adapter, and stores the data of its devices.
  mutating func unplug(_ index: Int) -> AdapterServer? {
    guard let server = server(index) else { return nil }
    keep(server)
    slots[index].server = nil
    slots[index].number = nil
    return server
  }

  /// Removes the objects of all adapters when bluetoothd ends; the adapters stay plugged in.
  mutating func end() -> [AdapterServer] {
    let servers = all
    for server in servers { keep(server) }
    for index in slots.indices { slots[index].server = nil }
    hasEnded = true
    return servers
  }

  /// The slots for the next bluetoothd.
  var reopened: AdapterSlots {
    var next = self
    next.hasEnded = false
    return next
  }

  /// Stores the data of an adapter's devices.
  private mutating func keep(_ adapter: AdapterServer) {
    stored.removeAll { $0.adapter == adapter.settings.address }
    stored += adapter.devices.compactMap { $0.stored(at: adapter.settings.address) }
  }
}
