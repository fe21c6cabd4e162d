// The scans of a suite.

import Bluetooth
import Jobs
import Signals

extension TestRun {
  /// Scans for exactly its time, and reports each advertisement that matches.
  func scan(
    _ filter: AdvertisementFilter,
    _ placed: PlacedOperation,
    _ findings: Findings
  ) async throws {
    let limit = placed.operation.timeout ?? runner.settings.timeout
    let loop = loop
    var found: [Advertisement] = []
    findings.outcome = .scanned([])
    let unclear = UnclearDevices()
    let received = try advertisements(filter, placed, unclear)
      .takeUntil(Signal<Void> { _ in try await loop.sleep(for: limit) })
    defer { for address in unclear.all { findings.note("\(address): \(UnclearDevices.meaning)") } }
    try await received.run { device in
      emit(.advertisement(placed.step, device))
      if let index = found.firstIndex(where: { $0.address == device.address }) {
        found[index] = device
      } else {
        found.append(device)
      }
      findings.outcome = .scanned(found)
    }
  }

  /// Scans until an advertisement matches, and binds a target to its device.
  func scanFor(
    _ filter: AdvertisementFilter,
    bind target: String?,
    _ placed: PlacedOperation,
    _ findings: Findings
  ) async throws {
    if let target, existingLink(target)?.isLinked == true {
      throw DeviceFailure(
        code: .busy,
        class: .definite,
        operation: placed.operation.doing,
        meaning: "the target '\(target)' is connected and cannot be bound to another device",
        hint: "disconnect it first"
      )
    }
    let limit = placed.operation.timeout ?? runner.settings.timeout
    let loop = loop
    var found: Advertisement?
    let unclear = UnclearDevices()
    let received = try advertisements(filter, placed, unclear)
      .takeUntil(Signal<Void> { _ in try await loop.sleep(for: limit) })
      .take(1)
    try await received.run { found = $0 }
    if found == nil, let address = unclear.all.first {
      throw DeviceFailure(
        code: .notSupportedHere,
        class: .definite,
        operation: placed.operation.doing,
        device: "\(address)",
        meaning: "this is not supported here: \(UnclearDevices.meaning)",
        hint: "scan by address or name, or remove the device first (bluetoothctl remove)"
      )
    }
    guard let found else {
      throw DeviceFailure(
        code: .notFound,
        class: .passing,
        operation: placed.operation.doing,
        meaning: "no matching advertisement was received within \(limit.written)",
        hint: "bring the device closer, wake it, or give the operation a longer timeout"
      )
    }
    findings.outcome = .scanned([found])
    emit(.advertisement(placed.step, found))
    if let target { rebind(target, to: found.address) }
  }

  /// The advertisements that match.
  ///
  /// - Parameter unclear: Receives the devices of which it cannot be known.
  private func advertisements(
    _ filter: AdvertisementFilter,
    _ placed: PlacedOperation,
    _ unclear: UnclearDevices
  ) throws -> Signal<Advertisement> {
    let bound = try filter.target.map { target -> BluetoothAddress in
      guard case .address(let address)? = bindings[target] else {
        throw unbound(placed, "the target '\(target)' is not bound to an address")
      }
      return address
    }
    let own = ScanFilter(address: filter.address ?? bound, rssi: filter.rssi)
    return runner.makeService(.any).scan(own).filter { device in
      let matches = filter.matches(device, bound: bound)
      if matches == nil { unclear.add(device.address) }
      return matches == true
    }
  }
}

/// The devices of a scan whose advertised data is not known.
private final class UnclearDevices: Sendable {
  static let meaning =
    "what it advertises cannot be known, because bluetoothd has read its services and reports these"

  private let addresses = Guarded<[BluetoothAddress]>([])

  /// In the order in which they were received.
  var all: [BluetoothAddress] { addresses.withLock { $0 } }

  func add(_ address: BluetoothAddress) {
    addresses.withLock { if !$0.contains(address) { $0.append(address) } }
  }
}
