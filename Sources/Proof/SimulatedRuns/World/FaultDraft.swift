// Draws the disturbances of a world, with their times.

import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices

struct FaultDraft {
  /// The kinds of disturbances. Most end after a while, the others at the healing.
  enum Episode: CaseIterable {
    case loseLink, absence, service, faults, power, unplug, crash, treatment, leave
  }

  /// The kinds, each as often as its weight.
  private static let weighted: [Episode] =
    [.loseLink, .loseLink, .loseLink, .absence, .absence, .service, .faults, .faults, .faults]
    + [.power, .unplug, .crash, .treatment, .treatment, .treatment, .leave]

  /// The methods whose calls may be delayed or dropped.
  private static let members = [
    "Connect", "Disconnect", "ReadValue", "WriteValue", "StartNotify", "StopNotify",
    "AcquireNotify", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter", "Pair",
    "RemoveDevice", "GetManagedObjects", "RegisterAgent",
  ]

  let devices: [DeviceDefinition]
  /// The number of programs.
  let programs: Int

  /// Draws all disturbances, in the order of time.
  func draw(_ generator: inout SeededGenerator) -> [TimedDisturbance] {
    var all: [TimedDisturbance] = []
    for _ in 0..<generator.pick([0, 1, 1, 2, 2, 3, 5, 8]) { all += episode(&generator) }
    return all.enumerated()
      .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }

  private func episode(_ generator: inout SeededGenerator) -> [TimedDisturbance] {
    // Most begin early, while the chains run.
    let begin = generator.milliseconds(0...generator.pick([1_000, 5_000, 15_000, 60_000]))
    let length = generator.milliseconds(0...generator.pick([100, 3_000, 20_000]))
    let device = devices[Int.random(in: 0..<devices.count, using: &generator)]
    let address = device.address
    let actions: [TimedAction]
    switch generator.pick(Self.weighted) {
    case .loseLink: actions = NamedFault.linkLost.actions(on: [address])
    case .absence: actions = NamedFault.outOfRange.actions(on: [address], for: length)
    case .service:
      let service = generator.pick(device.services).uuid
      actions = NamedFault.serviceMissing.actions(on: [address], service: service, for: length)
    case .faults:
      let rules = (0..<generator.pick([1, 1, 2, 4])).map { _ in Self.rule(&generator) }
      actions = [
        TimedAction(.device(address, .rules(rules))),
        TimedAction(after: length, .device(address, .rules([]))),
      ]
    case .power: actions = NamedFault.adapterOff.actions(for: length)
    case .unplug:
      let number = generator.pick([0, 0, 1])
      actions = NamedFault.adapterRenumbered.actions(number: number, for: length)
    case .crash:
      let fault = generator.hits(1, in: 2) ? NamedFault.daemonCrash : .daemonRestart
      actions = fault.actions(for: length)
    case .treatment:
      let calls = CallSelection.member(generator.pick(Self.members))
      actions = [
        TimedAction(.calls(calls, Self.treatment(&generator))),
        TimedAction(after: length, .calls(calls, .take)),
      ]
    case .leave:
      let others = programs > 1 ? Int.random(in: 1..<programs, using: &generator) : nil
      return others.map { [TimedDisturbance(at: begin, disturbance: .leave($0))] } ?? []
    }
    return actions.map {
      TimedDisturbance(at: begin + $0.delay, disturbance: .fault($0.action))
    }
  }

  private static func treatment(_ generator: inout SeededGenerator) -> CallTreatment {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: .ignore
    case 1: .loseAnswer
    default: .delay(.milliseconds(generator.pick([1, 20, 900, 4_000, 12_000])))
    }
  }

  private static func rule(_ generator: inout SeededGenerator) -> FaultRule {
    // Listed by name, so that a new kind does not change existing seeds.
    let kinds: [FaultKind] = [.connect, .discover, .read, .write, .subscribe, .disconnect, .any]
    let kind = generator.pick(kinds)
    let actions: [OperationFault] = [
      .refuse(.unlikelyError), .refuse(ATTErrorCode(rawValue: 0x80)), .loseLinkBefore,
      .loseLinkAfter, .neverAnswer, .refuseConnection, .vanish, .slow(.seconds(3)),
      .slow(.seconds(200)),
    ]
    let action = generator.pick(actions.filter { $0.applies(to: kind) })
    let number = Int.random(in: 1...3, using: &generator)
    let occurrence: FaultOccurrence =
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: .nth(number)
      case 1: .every(number)
      default: .probability(0.3)
      }
    return FaultRule(on: kind, occurrence: occurrence, action: action)
  }
}
