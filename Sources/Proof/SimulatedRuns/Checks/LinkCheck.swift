// Link events at the devices: links do not overlap, and requests occur only within one.

import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices

struct LinkCheck: Check {
  private(set) var problems: [BrokenRule] = []
  private var isUp: [BluetoothAddress: Bool] = [:]

  init(_ world: World) {
    for device in world.devices { isUp[device.address] = false }
  }

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    guard case .device(let event) = sighting else { return }
    switch event {
    case .linkUp(let address):
      if isUp[address] == true {
        addProblem("A device has one link", "\(address) has another", now)
      }
      isUp[address] = true
    case .linkDown(let address):
      if isUp[address] != true {
        addProblem("A link that ends was there", "\(address)", now)
      }
      isUp[address] = false
    case .read(let address, _), .written(let address, _, _), .subscribed(let address, _),
      .unsubscribed(let address, _), .notified(let address, _, _), .paired(let address, _),
      .securityRequested(let address):
      if isUp[address] != true {
        addProblem("Nothing is done without a link", "\(event)", now)
      }
    case .scanning: break
    }
  }

  mutating func finish(at now: Instant) {}

  private mutating func addProblem(_ rule: String, _ detail: String, _ now: Instant) {
    problems.append(BrokenRule(rule: rule, detail: detail, at: now))
  }
}
