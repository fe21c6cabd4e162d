// The links to one device, told apart from what the simulator saw.

import BlueZSimulator

/// Links one after the other: events in, what was done in each link and what may not be out.
struct LinkLedger {
  /// The requests of each link, in order.
  private(set) var links: [[SimulatorEvent]] = []
  private(set) var isUp = false
  /// A link within a link, an end without one, a request outside one.
  private(set) var violations: [String] = []

  init(_ events: [SimulatorEvent]) {
    for (index, event) in events.enumerated() { take(event, index) }
  }

  private mutating func take(_ event: SimulatorEvent, _ index: Int) {
    switch event {
    case .linkUp:
      if isUp { violations.append("event \(index): \(event) while one was") }
      isUp = true
      links.append([])
    case .linkDown:
      if !isUp { violations.append("event \(index): \(event) while none was up") }
      isUp = false
    case .read, .written, .subscribed, .unsubscribed, .notified:
      if isUp {
        links[links.count - 1].append(event)
      } else {
        violations.append("event \(index): \(event) outside a link")
      }
    case .scanning(let isOn):
      if isOn, isUp { violations.append("event \(index): \(event) within a link") }
    }
  }
}
