// What goes wrong in a world, and when, at random.

import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices

/// The drawing of what befalls a world.
struct BlowDraft {
  /// The kinds of what may befall it. Most are over after a time, the rest at the healing.
  enum Episode: CaseIterable {
    case loseLink, absence, service, faults, power, unplug, crash, treatment, leave
  }

  /// How often each kind is drawn.
  private static let weighted: [Episode] =
    [.loseLink, .loseLink, .loseLink, .absence, .absence, .service, .faults, .faults, .faults]
    + [.power, .unplug, .crash, .treatment, .treatment, .treatment, .leave]

  /// The calls that are treated.
  private static let members = [
    "Connect", "Disconnect", "ReadValue", "WriteValue", "StartNotify", "StopNotify",
    "AcquireNotify", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter", "Pair",
    "RemoveDevice", "GetManagedObjects", "RegisterAgent",
  ]

  let devices: [DeviceDefinition]
  /// How many programs there are.
  let programs: Int

  /// The blows of a run, in the order of time.
  func draw(_ generator: inout SeededGenerator) -> [TimedBlow] {
    var blows: [TimedBlow] = []
    for _ in 0..<generator.pick([0, 1, 1, 2, 2, 3, 5, 8]) { blows += episode(&generator) }
    return blows.enumerated()
      .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }

  private func episode(_ generator: inout SeededGenerator) -> [TimedBlow] {
    // Most fall early, where the chains are.
    let begin = generator.milliseconds(0...generator.pick([1_000, 5_000, 15_000, 60_000]))
    let end = begin + generator.milliseconds(0...generator.pick([100, 3_000, 20_000]))
    let device = Int.random(in: 0..<devices.count, using: &generator)
    func from(_ first: Blow, to last: Blow) -> [TimedBlow] {
      [TimedBlow(at: begin, blow: first), TimedBlow(at: end, blow: last)]
    }
    switch generator.pick(Self.weighted) {
    case .loseLink: return [TimedBlow(at: begin, blow: .loseLink(device))]
    case .absence: return from(.vanish(device), to: .appear(device))
    case .service:
      let service = generator.pick(devices[device].services).uuid
      return from(.offer(device, service, false), to: .offer(device, service, true))
    case .faults:
      let rules = (0..<generator.pick([1, 1, 2, 4])).map { _ in Self.rule(&generator) }
      return from(.faults(device, rules), to: .faults(device, []))
    case .power: return from(.power(false), to: .power(true))
    case .unplug: return from(.unplug, to: .plugIn(generator.pick([0, 0, 1])))
    case .crash: return from(generator.hits(1, in: 2) ? .crash : .terminate, to: .start)
    case .treatment:
      let member = generator.pick(Self.members)
      return from(.treat(member, Self.treatment(&generator)), to: .treat(member, .take))
    case .leave:
      let others = programs > 1 ? Int.random(in: 1..<programs, using: &generator) : nil
      return others.map { [TimedBlow(at: begin, blow: .leave($0))] } ?? []
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
    // Named, so that a new kind moves no seed.
    let kinds: [FaultKind] = [.connect, .discover, .read, .write, .subscribe, .disconnect, .any]
    let kind = generator.pick(kinds)
    let actions: [FaultAction] = [
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
