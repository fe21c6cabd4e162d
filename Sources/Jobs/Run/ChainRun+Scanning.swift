// Runs a scan: keeps the last advertisement of each device.

import Bluetooth
import Signals

extension ChainRun {
  func scan(
    _ scanning: Scanning,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    var received = ReceivedDevices()
    defer { outcome = .scanned(received.all) }
    awaits(placed, limit: scanning.duration)
    try await scanning.listen(with: runner.service, into: &received)
    let found = received.all
    capture(Scanning.value(of: found), as: placed.step.capture)
    let rate = Double(found.count) / max(scanning.duration.seconds, .ulpOfOne)
    for expectation in placed.step.expectations {
      try expectation.check(count: found.count, rate: rate)
    }
  }
}

extension Scanning {
  /// Scans, and keeps the last advertisement of each device, in the order of the first ones.
  ///
  /// Its time begins when the scan is active, and ends it; a scan that finds no device succeeds.
  func listen(
    with service: any DeviceService,
    into received: inout ReceivedDevices
  ) async throws {
    let loop = service.scheduler.loop
    let duration = duration
    let over = Signal<Void> { _ in try await loop.sleep(for: duration) }
    try await service.startScan(filter).flattenMap { $0.takeUntil(over) }.run { received.take($0) }
  }
}
