// The advertisements of the devices in range, by the address and the name in them, so that a scan for a few of many
// devices is not simulated for the others.
//
// A pure value. It returns candidates: DiscoveryFilter decides.

import Bluetooth
import SimulatedDevices

/// Which advertisements a pattern of a discovery filter may accept.
struct AdvertisementIndex: Sendable {
  private struct Entry {
    /// An address or a name, as bluetoothd compares it.
    let text: [UInt8]
    /// The position of the advertisement among all of them.
    let place: Int
  }

  /// In the order of their texts.
  private let entries: [Entry]
  /// Those from addresses that change.
  private let changing: [Int]

  /// - Parameter advertisements: Each with the device that sends it.
  init(_ advertisements: [(device: DeviceDefinition, number: Int)]) {
    var entries: [Entry] = []
    var changing: [Int] = []
    for (place, advertisement) in advertisements.enumerated() {
      let device = advertisement.device
      if device.privateAddress != nil { changing.append(place) }
      entries.append(Entry(text: Array("\(device.address)".utf8), place: place))
      guard device.advertisements[advertisement.number].includesName, let name = device.name else {
        continue
      }
      entries.append(Entry(text: Array(name.utf8), place: place))
    }
    self.entries = entries.sorted { $0.text.lexicographicallyPrecedes($1.text) }
    self.changing = changing
  }

  /// The positions of all advertisements that any of the patterns may accept, in order.
  func places(of patterns: [String]) -> [Int] {
    var places = Set(changing)
    for pattern in patterns {
      let prefix = Array(pattern.utf8)
      var (low, high) = (0, entries.count)
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].text.lexicographicallyPrecedes(prefix) {
          low = middle + 1
        } else {
          high = middle
        }
      }
      places.formUnion(entries[low...].prefix { $0.text.starts(with: prefix) }.map(\.place))
    }
    return places.sorted()
  }
}
