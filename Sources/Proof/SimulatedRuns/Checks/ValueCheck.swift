// Reported values are those that the device sent, complete and in order.

import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices

/// Compares the values that steps report with the events at the devices.
struct ValueCheck: Check {
  /// A value that an attribute had from an instant on.
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
    /// The number of values notified when the step began.
    let notified: Int
  }

  private struct StepID: Hashable {
    let chain: ChainID
    let number: Int
  }

  private(set) var problems: [BrokenRule] = []
  private let addresses: [BluetoothAddress]
  /// The value history of characteristics that store writes.
  private var kept: [Attribute: [Held]] = [:]
  private var notified: [Attribute: [Held]] = [:]
  private var steps: [StepID: Step] = [:]
  private var plans: [ChainID: ChainPlan] = [:]
  /// Another program runs: bluetoothd signals a value that it reads to the subscribers of all.
  private let hasOthers: Bool

  init(_ world: World) {
    addresses = world.devices.map(\.address)
    hasOthers = world.programs.count > 1
    for (device, definition) in world.devices.enumerated() {
      for characteristic in definition.services.flatMap(\.characteristics) {
        let attribute = Attribute(device: device, uuid: characteristic.uuid)
        notified[attribute] = []
        // A write that is refused for lack of a key has still reached the device.
        guard characteristic.security == AttributeSecurity() else { continue }
        switch characteristic.behaviour {
        case .constant(let octets): kept[attribute] = [Held(at: .start, octets: octets)]
        case .echo: kept[attribute] = [Held(at: .start, octets: [])]
        case .moving, .response: break
        }
      }
    }
  }

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .requested(let id, let plan): plans[id] = plan
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
      // Values notified in this same instant may still be in transit.
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
        addProblem("A read gives what the device held", "\(id) \(step.step): \(octets)", now)
      }
    case .write(let uuid, let octets, let kind):
      let attribute = Attribute(device: step.device, uuid: uuid)
      guard value == .nothing, kind == .request || kind == .automatic,
        let history = kept[attribute]
      else { return }
      if !history.contains(where: { $0.at >= step.began && $0.octets == octets }) {
        addProblem("A write that succeeded has reached the device", "\(id) \(step.step)", now)
      }
    case .notify(let uuid, _, _):
      guard case .events(let events) = value else { return }
      checkStream(id, step, Attribute(device: step.device, uuid: uuid), events, now)
    case .connect, .disconnect, .services, .mtu, .readDescriptor, .exchange, .pair, .unpair, .scan,
      .rest, .within:
      break
    }
  }

  /// Checks that the received values are the notified ones, with omissions only at a reported gap.
  private mutating func checkStream(
    _ id: ChainID, _ step: Step, _ attribute: Attribute, _ events: [NotificationEvent],
    _ now: Instant
  ) {
    if hasOthers, kept[attribute] != nil { return }
    let sent = (notified[attribute] ?? [])[step.notified...]
    // Values of this instant may precede the subscription or not.
    let early = sent.prefix { $0.at <= step.began }.count
    let candidates = (0...early).map {
      difference(of: events, from: sent.dropFirst($0).map(\.octets)[...])
    }
    // Report the difference to the complete sequence.
    if candidates.allSatisfy({ $0 != nil }), let problem = candidates.first ?? nil {
      addProblem("No notified value is lost or made up", "\(id) \(step.step): \(problem)", now)
    }
  }

  /// The first received value that does not fit the sent ones; nil if all do.
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
      // bluetoothd signals each value once per subscribed program.
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

  private mutating func addProblem(_ rule: String, _ detail: String, _ now: Instant) {
    problems.append(BrokenRule(rule: rule, detail: detail, at: now))
  }
}
