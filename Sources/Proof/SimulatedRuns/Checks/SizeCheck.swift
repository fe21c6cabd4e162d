// No value exceeds the maximum length of an attribute.

import BlueZInterfaces
import Bluetooth
import Signals

/// Checks the length of the values that steps send.
struct SizeCheck: Check {
  private(set) var problems: [BrokenRule] = []

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    guard case .stepValue(let id, let number, let value) = sighting else { return }
    let lengths: [Int]
    switch value {
    case .octets(let octets): lengths = [octets.count]
    case .events(let events):
      lengths = events.map { event in
        if case .value(let notification) = event { notification.value.count } else { 0 }
      }
    case .nothing, .origin: lengths = []
    }
    guard let longest = lengths.max(), longest > GattCharacteristic1.longestValue else { return }
    problems.append(
      BrokenRule(
        rule: "A value that is too long is refused",
        detail: "\(id) step \(number) sends \(longest) bytes", at: now
      )
    )
  }

  mutating func finish(at now: Instant) {}
}
