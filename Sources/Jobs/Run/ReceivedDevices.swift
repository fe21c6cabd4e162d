// What a scan has received, address by address.
//
// Pure: it neither scans nor waits.

import Bluetooth

/// The devices of a scan, in the order in which they were first received.
struct ReceivedDevices: Sendable {
  private struct Entry {
    /// As received last.
    var seen: Advertisement
    /// The ordinals of the first and the last advertisement among all of the scan.
    let first: Int
    var last: Int
  }

  private var entries: [Entry] = []
  private var indices: [BluetoothAddress: Int] = [:]
  private var count = 0

  /// The last advertisement from each address.
  var all: [Advertisement] { entries.map(\.seen) }

  /// The devices: of one that changed its address during the scan, its newest.
  ///
  /// An address is an old one where, after its last advertisement, another private address began to advertise
  /// the same name. Two devices with one name are received by turns. An address that was received once may be
  /// that of a second device: bluetoothd reports changes alone.
  var devices: [Advertisement] {
    var newest: [String: Int] = [:]
    for entry in entries where entry.seen.changesAddress {
      if let name = entry.seen.name { newest[name] = max(entry.first, newest[name] ?? 0) }
    }
    return entries.filter { entry in
      guard entry.seen.changesAddress, let name = entry.seen.name, let first = newest[name] else {
        return true
      }
      return first <= entry.last || entry.first == entry.last
    }.map(\.seen)
  }

  mutating func take(_ seen: Advertisement) {
    count += 1
    if let index = indices[seen.address] {
      entries[index].seen = seen
      entries[index].last = count
    } else {
      indices[seen.address] = entries.count
      entries.append(Entry(seen: seen, first: count, last: count))
    }
  }
}
