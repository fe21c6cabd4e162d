// Promise 5: the measured values are those that the device sent, complete and in order.

import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices

/// Compares what steps send with what happened at the devices.
struct ValueCheck: Check {
  /// A value at a device from an instant on.
  private struct Held {
    let at: Instant
    let octets: [UInt8]
  }

  private struct Attribute: Hashable {
    let device: Int
    let uuid: BluetoothUUID
  }

  private struct Step {
    let step: ChainStep
    let device: Int
    let began: Instant
    /// How many values had been notified then.
    let notified: Int
  }

  private struct StepID: Hashable {
    let chain: ChainID
    let number: Int
  }

  private(set) var violations: [Violation] = []
  private let addresses: [BluetoothAddress]
  /// Characteristics that keep what is written.
  private var kept: [Attribute: [Held]] = [:]
  private var notified: [Attribute: [Held]] = [:]
  private var steps: [StepID: Step] = [:]
  private var plans: [ChainID: ChainPlan] = [:]
  /// bluetoothd shows the reads of one program to the subscribers of all.
  private let hasOthers: Bool

  init(_ world: World) {
    addresses = world.devices.map(\.address)
    hasOthers = world.programs.count > 1
    for (device, definition) in world.devices.enumerated() {
      for characteristic in definition.services.flatMap(\.characteristics) {
        let attribute = Attribute(device: device, uuid: characteristic.uuid)
        notified[attribute] = []
        // A write that is refused for want of a key has reached the device too.
        guard characteristic.security == AttributeSecurity() else { continue }
        switch characteristic.behaviour {
        case .constant(let octets): kept[attribute] = [Held(at: .start, octets: octets)]
        case .echo: kept[attribute] = [Held(at: .start, octets: [])]
        case .moving, .response: break
        }
      }
    }
  }

  mutating func take(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .asked(let id, let plan): plans[id] = plan
    case .device(.written(let address, let uuid, let octets)):
      guard let device = addresses.firstIndex(of: address) else { return }
      kept[Attribute(device: device, uuid: uuid)]?.append(Held(at: now, octets: octets))
    case .device(.notified(let address, let uuid, let octets)):
      guard let device = addresses.firstIndex(of: address) else { return }
      notified[Attribute(device: device, uuid: uuid)]?.append(Held(at: now, octets: octets))
    case .stepBegan(let id, let number, let step): began(id, number, step, now)
    case .stepValue(let id, let number, let value):
      guard let step = steps[StepID(chain: id, number: number)] else { return }
      check(id, step, value, now)
    case .message, .treated, .device, .disturbance, .healed, .joined, .turnBegan, .turnEnded,
      .stepEnded, .cancelled, .ended:
      break
    }
  }

  private mutating func began(_ id: ChainID, _ number: Int, _ step: ChainStep, _ now: Instant) {
    guard let device = plans[id]?.device else { return }
    var count = 0
    if case .notify(let uuid, _, _) = step.bare {
      // What was notified in this very instant may still be on its way.
      let before = notified[Attribute(device: device, uuid: uuid)] ?? []
      count = before.firstIndex { $0.at >= now } ?? before.count
    }
    steps[StepID(chain: id, number: number)] = Step(
      step: step.bare, device: device, began: now, notified: count
    )
  }

  private mutating func check(_ id: ChainID, _ step: Step, _ value: StepValue, _ now: Instant) {
    switch step.step {
    case .read(let uuid):
      guard case .octets(let octets) = value else { return }
      let history = kept[Attribute(device: step.device, uuid: uuid)] ?? []
      let before = history.lastIndex { $0.at <= step.began } ?? 0
      if !history.isEmpty, !history[before...].contains(where: { $0.octets == octets }) {
        complain("A read gives what the device held", "\(id) \(step.step): \(octets)", now)
      }
    case .write(let uuid, let octets, let kind):
      let attribute = Attribute(device: step.device, uuid: uuid)
      guard value == .nothing, kind == .request || kind == .automatic,
        let history = kept[attribute]
      else { return }
      if !history.contains(where: { $0.at >= step.began && $0.octets == octets }) {
        complain("A write that succeeded has reached the device", "\(id) \(step.step)", now)
      }
    case .notify(let uuid, _, _):
      guard case .events(let events) = value else { return }
      checkStream(id, step, Attribute(device: step.device, uuid: uuid), events, now)
    case .connect, .disconnect, .services, .mtu, .readDescriptor, .exchange, .pair, .unpair, .scan,
      .rest, .within:
      break
    }
  }

  /// What was received is what was notified, with nothing left out but at a gap.
  private mutating func checkStream(
    _ id: ChainID, _ step: Step, _ attribute: Attribute, _ events: [NotificationEvent],
    _ now: Instant
  ) {
    if hasOthers, kept[attribute] != nil { return }
    let sent = (notified[attribute] ?? [])[step.notified...]
    // Those of this instant may have come before the subscription, or not.
    let early = sent.prefix { $0.at <= step.began }.count
    let complaints = (0...early).map {
      difference(of: events, from: sent.dropFirst($0).map(\.octets)[...])
    }
    // The complaint about the whole is the one that is printed.
    if complaints.allSatisfy({ $0 != nil }), let complaint = complaints.first ?? nil {
      complain("No notified value is lost or made up", "\(id) \(step.step): \(complaint)", now)
    }
  }

  /// What was received and is not next in what was sent; nil for nothing.
  private func difference(
    of events: [NotificationEvent], from sent: ArraySlice<[UInt8]>
  ) -> String? {
    var rest = sent
    var mayJump = true
    var last: [UInt8]?
    for event in events {
      guard case .value(let received) = event else {
        mayJump = true
        continue
      }
      // bluetoothd signals each value once for each program that is subscribed.
      if hasOthers, received.value == last, rest.first != last { continue }
      last = received.value
      let index = mayJump ? rest.firstIndex(of: received.value) : rest.indices.first
      guard let index, rest[index] == received.value else {
        return "\(received.value) is not next in \(rest.prefix(5))"
      }
      rest = rest[(index + 1)...]
      mayJump = false
    }
    return nil
  }

  mutating func finish(at now: Instant) {}

  private mutating func complain(_ rule: String, _ what: String, _ now: Instant) {
    violations.append(Violation(rule: rule, what: what, at: now))
  }
}
