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
    let received = try advertisements(filter, placed)
      .takeUntil(Signal<Void> { _ in try await loop.sleep(for: limit) })
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
    let received = try advertisements(filter, placed)
      .takeUntil(Signal<Void> { _ in try await loop.sleep(for: limit) })
      .take(1)
    try await received.run { found = $0 }
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
  private func advertisements(
    _ filter: AdvertisementFilter,
    _ placed: PlacedOperation
  ) throws -> Signal<Advertisement> {
    let bound = try filter.target.map { target -> BluetoothAddress in
      guard case .address(let address)? = bindings[target] else {
        throw unbound(placed, "the target '\(target)' is not bound to an address")
      }
      return address
    }
    let own = ScanFilter(address: filter.address ?? bound, rssi: filter.rssi)
    return runner.makeService(.any).scan(own).filter { filter.matches($0, bound: bound) }
  }
}
