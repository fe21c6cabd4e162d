// A scan within a chain: listen for a while, keep each device as it was last heard.

import Bluetooth
import Signals

extension ChainRun {
  func scan(
    _ scanning: Scanning,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    let loop = loop
    var found: [Advertisement] = []
    defer { outcome = .scanned(found) }
    // A deadline of the chain's own ends it; silence is no failure.
    let over = Signal<Void> { _ in try await loop.sleep(for: scanning.duration) }
    try await runner.service.scan(scanning.filter).takeUntil(over).run { seen in
      if let index = found.firstIndex(where: { $0.address == seen.address }) {
        found[index] = seen
      } else {
        found.append(seen)
      }
    }
    capture(Scanning.value(of: found), as: placed.step.capture)
    let rate = Double(found.count) / max(scanning.duration.seconds, .ulpOfOne)
    for expectation in placed.step.expectations {
      try expectation.check(count: found.count, rate: rate)
    }
  }
}
