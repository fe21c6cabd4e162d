// Final state: programs leave no scan, link, subscription or pairable adapter behind.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Checks the adapter and the devices at the end, and the subscriptions of the plain chains.
struct Leftovers: Check {
  private(set) var problems: [BrokenRule] = []
  private var isScanning = false
  private var isPairable = false
  /// Members with lost calls or replies: the programs are not to blame for what remains.
  private var lost: Set<String> = []
  /// A StopDiscovery was ignored: bluetoothd then scans until the program leaves the bus.
  private var isStopIgnored = false
  private var isHealed = false
  /// The planned chains that are still running.
  private var open: Set<ChainID> = []
  private var up: [BluetoothAddress] = []
  /// Subscriptions made, by device, while no running chain could have made them.
  private var subscribed: [BluetoothAddress: [BluetoothUUID]] = [:]
  private var leavesLink = false
  /// Pending calls that subscribe.
  private var starting = 0
  private var lateCalls: Set<String> = []
  private static let beginning: Set<String> = ["StartNotify", "AcquireNotify"]

  /// The characteristic that the plain chains subscribe to.
  private static let plainCharacteristic = DeviceDraft.alertLevel

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .device(.scanning(let isOn)): isScanning = isOn
    case .device(.linkUp(let address)): up.append(address)
    case .device(.linkDown(let address)):
      up.removeAll { $0 == address }
      addSubscriptionProblems(of: address, now)
    case .device(.subscribed(let address, let uuid)):
      // bluetoothd restores a session's subscription on each new link until the session is ended. A
      // session ended meanwhile is gone once the device has answered.
      guard isHealed, open.isEmpty, starting == 0, uuid != Self.plainCharacteristic,
        lost.isDisjoint(with: Self.listening)
      else { return }
      subscribed[address, default: []].append(uuid)
    case .device(.unsubscribed(let address, let uuid)):
      subscribed[address]?.removeAll { $0 == uuid }
    case .treated(let call, let treatment):
      guard let member = call.member else { return }
      if treatment == .ignore || treatment == .loseAnswer { lost.insert(member) }
      if treatment == .ignore, member == Adapter1.stopDiscovery.name { isStopIgnored = true }
    case .healed: isHealed = true
    case .disturbance(.leave): leavesLink = true
    case .requested(let id, let plan):
      if id.number < Liveness.firstPlainNumber { open.insert(id) }
      if plan.keepsLink { leavesLink = true }
    case .ended(let id, let ending):
      open.remove(id)
      if ending.reportsCleanUp { leavesLink = true }
    case .message(let message) where message.kind == .signal: apply(message)
    case .message(let message):
      // A subscription begun late is ended once its reply arrives.
      if message.kind == .methodCall, Self.beginning.contains(message.member ?? "") {
        starting += 1
        lateCalls.insert("\(message.sender ?? "") \(message.serial)")
      } else if let serial = message.replySerial,
        lateCalls.remove("\(message.destination ?? "") \(serial)") != nil
      {
        starting -= 1
      }
    case .device, .disturbance, .joined, .turnBegan, .turnEnded, .stepBegan, .stepValue, .stepEnded,
      .cancelled:
      break
    }
  }

  private static let listening: Set<String> = ["StartNotify", "StopNotify"]

  private mutating func apply(_ message: Message) {
    switch message.member {
    case StandardInterface.propertiesChanged.name:
      guard message.body.first?.asString == Adapter1.interface, message.body.count > 1,
        let changed = message.body[1].asPropertyMap,
        let isOn = changed[Adapter1.pairable]
      else { return }
      isPairable = isOn
    case StandardInterface.interfacesRemoved.name:
      guard message.body.last?.asStrings?.contains(Adapter1.interface) == true else { return }
      isPairable = false
    case "NameOwnerChanged":
      if message.body.first?.asString == OrgBlueZ.busName {
        isPairable = false
      }
    default: break
    }
  }

  mutating func finish(at now: Instant) {
    if isScanning, !isStopIgnored {
      addProblem("A scan ends with those who wanted it", "the adapter scans", now)
    }
    if isPairable, lost.isDisjoint(with: ["RegisterAgent", "UnregisterAgent"]) {
      addProblem("An agent is registered no longer than it is needed", "one is", now)
    }
    if !leavesLink, lost.isDisjoint(with: ["Connect", "Disconnect", "RemoveDevice", "Pair"]) {
      for address in up { addProblem("No link is left up", "that to \(address)", now) }
    }
    for address in up { addSubscriptionProblems(of: address, now) }
  }

  private mutating func addSubscriptionProblems(of address: BluetoothAddress, _ now: Instant) {
    for uuid in subscribed.removeValue(forKey: address) ?? [] {
      addProblem("A subscription ends with its step", "\(uuid) of \(address)", now)
    }
  }

  private mutating func addProblem(_ rule: String, _ detail: String, _ now: Instant) {
    problems.append(BrokenRule(rule: rule, detail: detail, at: now))
  }
}
