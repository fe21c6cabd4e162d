// What happens at the devices: links one after the other, and nothing outside them.

import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices

/// Watches the links to each device.
struct LinkCheck: Check {
  private(set) var violations: [Violation] = []
  private var isUp: [BluetoothAddress: Bool] = [:]

  init(_ world: World) {
    for device in world.devices { isUp[device.address] = false }
  }

  mutating func take(_ sighting: Sighting, at now: Instant) {
    guard case .device(let event) = sighting else { return }
    switch event {
    case .linkUp(let address):
      if isUp[address] == true {
        complain("A device has one link", "\(address) has another", now)
      }
      isUp[address] = true
    case .linkDown(let address):
      if isUp[address] != true {
        complain("A link that ends was there", "\(address)", now)
      }
      isUp[address] = false
    case .read(let address, _), .written(let address, _, _), .subscribed(let address, _),
      .unsubscribed(let address, _), .notified(let address, _, _), .paired(let address, _):
      if isUp[address] != true {
        complain("Nothing is done without a link", "\(event)", now)
      }
    case .scanning: break
    }
  }

  mutating func finish(at now: Instant) {}

  private mutating func complain(_ rule: String, _ what: String, _ now: Instant) {
    violations.append(Violation(rule: rule, what: what, at: now))
  }
}
