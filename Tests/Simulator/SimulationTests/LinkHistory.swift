// The connections to one device, derived from the simulator's events.

import BlueZSimulator

/// Links one after the other: events in; the requests of each link, and the violations, out.
struct LinkHistory {
  /// The requests of each link, in order.
  private(set) var links: [[SimulatorEvent]] = []
  private(set) var isUp = false
  /// A link within a link, an end without one, a request outside one.
  private(set) var violations: [String] = []
  /// Scans that began within a link: none, unless a StartDiscovery was handled late.
  private(set) var scansInLinks: [String] = []

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
    case .read, .written, .subscribed, .unsubscribed, .notified, .paired, .securityRequested:
      guard isUp else { return violations.append("event \(index): \(event) outside a link") }
      if case .notified(let address, let uuid, _) = event,
        !links[links.count - 1].contains(.subscribed(address, uuid))
      {
        violations.append("event \(index): \(event), for which this link did not subscribe")
      }
      links[links.count - 1].append(event)
    case .scanning(let isOn):
      if isOn, isUp { scansInLinks.append("event \(index): \(event) within a link") }
    }
  }
}
