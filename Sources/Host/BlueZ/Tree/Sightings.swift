// The advertisements that a scan has passed on.

import Bluetooth

/// The last advertisement of each device, without those that bluetoothd has removed since.
struct Sightings: Sendable {
  private(set) var last: [BluetoothAddress: Advertisement] = [:]
  /// The number of entries at which those of removed devices are deleted.
  private var most = 1024

  /// Notes an advertisement.
  ///
  /// - Parameter isKnown: Whether bluetoothd still has a device with an address.
  /// - Returns: Whether it differs from the last one of its device.
  mutating func add(_ seen: Advertisement, isKnown: (BluetoothAddress) -> Bool) -> Bool {
    guard last.updateValue(seen, forKey: seen.address) != seen else { return false }
    if last.count > most {
      last = last.filter { isKnown($0.key) }
      most = max(1024, 2 * last.count)
    }
    return true
  }
}
