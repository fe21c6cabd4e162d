// The scans of a suite.

import Bluetooth
import Documents
import RunEvents
import Signals

extension OperationRun {
  /// Scans for exactly the duration of the operation, and reports each matching advertisement.
  func scan(_ filter: AdvertisementFilter) async throws {
    var found: [Advertisement] = []
    outcome = .scanned([])
    let unclear = UnclearDevices()
    let received = try advertisements(filter, unclear)
    defer { for address in unclear.all { note("\(address): \(UnclearDevices.meaning)") } }
    try await received.run { device in
      test.emit(.data(step, .advertisement(device)))
      if let index = found.firstIndex(where: { $0.address == device.address }) {
        found[index] = device
      } else {
        found.append(device)
      }
      outcome = .scanned(found)
    }
  }

  /// Scans until an advertisement matches, and binds the target to its device.
  func scanFor(_ filter: AdvertisementFilter, bind target: String?) async throws {
    if let target, test.existingLink(target)?.isLinked == true {
      throw failure(
        .busy, "the target '\(target)' is connected and cannot be bound to another device",
        hint: "disconnect it first"
      )
    }
    var found: Advertisement?
    let unclear = UnclearDevices()
    try await advertisements(filter, unclear).take(1).run { found = $0 }
    if found == nil, let address = unclear.all.first {
      throw unsupported(
        device: address, UnclearDevices.meaning,
        hint: "scan by address or name, or remove the device first (bluetoothctl remove)"
      )
    }
    guard let found else {
      throw failure(
        .notFound, class: .passing,
        "no matching advertisement was received within \(limit.written)",
        hint: "bring the device closer, wake it, or give the operation a longer timeout"
      )
    }
    outcome = .scanned([found])
    test.emit(.data(step, .advertisement(found)))
    if let target { test.rebind(target, to: found.address) }
  }

  /// Returns the matching advertisements, until the time limit of the operation.
  ///
  /// - Parameter unclear: Receives the devices for which a match cannot be decided.
  private func advertisements(
    _ filter: AdvertisementFilter, _ unclear: UnclearDevices
  ) throws -> Signal<Advertisement> {
    let bound = try filter.target.map { target -> BluetoothAddress in
      guard case .address(let address)? = test.device(of: target) else {
        throw unbound("the target '\(target)' is not bound to an address")
      }
      return address
    }
    let own = ScanFilter(address: filter.address ?? bound, rssi: filter.rssi)
    let (loop, limit) = (loop, limit)
    return test.runner.makeService(.any).scan(own).filter { device in
      let matches = filter.matches(device, bound: bound)
      if matches == nil { unclear.add(device.address) }
      return matches == true
    }.takeUntil(Signal<Void> { _ in try await loop.sleep(for: limit) })
  }
}

/// The devices of a scan whose advertised data is not fully known.
private final class UnclearDevices: Sendable {
  static let meaning =
    "what it advertises cannot be known, because bluetoothd has read its services and reports these"

  private let addresses = Guarded<[BluetoothAddress]>([])

  /// The devices, in the order in which they were received.
  var all: [BluetoothAddress] { addresses.withLock { $0 } }

  func add(_ address: BluetoothAddress) {
    addresses.withLock { if !$0.contains(address) { $0.append(address) } }
  }
}
