// The nearby devices, with their RSSI over time.
//
// Pure values with bounded memory; times are passed in.

import Bluetooth

/// A device as last seen.
package struct NearbyDevice: Sendable {
  var advertisement: Advertisement
  /// Milliseconds since 1970-01-01T00:00:00Z.
  var seen: Int
  /// The name of each service, or its UUID.
  var services: [String]

  var members: DashboardChange.Members {
    [
      "address": advertisement.address, "name": advertisement.name, "alias": advertisement.alias,
      "rssi": advertisement.rssi, "connected": advertisement.isConnected,
      "paired": advertisement.isPaired, "services": services, "seen": seen,
    ]
  }
}

/// The devices that were seen recently.
struct NearbyDevices: Sendable {
  private struct Entry: Sendable {
    var device: NearbyDevice
    var rssi = BoundedPoints(limit: NearbyDevices.mostPoints, span: SeriesHistory.span)
    var pending = BoundedPoints(limit: NearbyDevices.mostPoints, span: SeriesHistory.span)
  }

  /// The most devices that are kept. A new one replaces the one not seen for longest.
  static let mostDevices = 200
  /// The shortest time between two RSSI points of a device, in milliseconds. A device may advertise ten
  /// times a second.
  static let rssiPause = 1000
  /// The most RSSI points that are kept of each device.
  static let mostPoints = 300

  /// The addresses, in the order in which the devices were first seen.
  private var order: [String] = []
  private var entries: [String: Entry] = [:]
  private var changed: Set<String> = []
  private var gone: [String] = []
  private let names: AttributeNames

  init(names: AttributeNames) { self.names = names }

  mutating func add(_ advertisement: Advertisement, at: Int) {
    let address = "\(advertisement.address)"
    let device = NearbyDevice(
      advertisement: advertisement, seen: at,
      services: advertisement.services.map { names.title(of: $0, .service) }
    )
    if entries[address] == nil {
      makeRoom()
      order.append(address)
      entries[address] = Entry(device: device)
    } else {
      entries[address]?.device = device
    }
    changed.insert(address)
    guard let rssi = advertisement.rssi,
      at - (entries[address]?.rssi.points.last?.at ?? .min / 2) >= Self.rssiPause
    else { return }
    let point = Point(at: at, value: Double(rssi))
    entries[address]?.rssi.add(point)
    entries[address]?.pending.add(point)
  }

  private mutating func makeRoom() {
    guard order.count == Self.mostDevices,
      let oldest = order.min(by: { seen($0) < seen($1) })
    else { return }
    order.removeAll { $0 == oldest }
    entries[oldest] = nil
    changed.remove(oldest)
    gone.append(oldest)
  }

  private func seen(_ address: String) -> Int { entries[address]?.device.seen ?? 0 }

  mutating func flush() -> [DashboardChange] {
    defer { (changed, gone) = ([], []) }
    var changes: [DashboardChange] = gone.map { .gone(device: $0) }
    for address in order where changed.contains(address) {
      guard let entry = entries[address] else { continue }
      changes.append(.device(entry.device))
      let points = entry.pending.points
      if !points.isEmpty { changes.append(.rssi(device: address, points)) }
      _ = entries[address]?.pending.removeAll()
    }
    return changes
  }

  var snapshot: [DashboardChange] {
    order.flatMap { address -> [DashboardChange] in
      guard let entry = entries[address] else { return [] }
      return [.device(entry.device), .rssi(device: address, entry.rssi.points)]
    }
  }
}
