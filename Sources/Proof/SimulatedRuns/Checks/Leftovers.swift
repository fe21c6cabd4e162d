// What is left when everything is at rest: nothing of any program's.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Looks at the adapter and the devices at the end, and at the subscriptions of the plain chains.
struct Leftovers: Check {
  private(set) var violations: [Violation] = []
  private var isScanning = false
  private var isPairable = false
  /// Members whose calls, or answers, were lost: what they leave behind is nobody's fault.
  private var lost: Set<String> = []
  /// A StopDiscovery was not taken: a scan that bluetoothd does not end lasts as long as its program.
  private var isStopIgnored = false
  private var isHealed = false
  /// Whether a chain that was drawn still runs.
  private var open: Set<ChainID> = []
  private var up: [BluetoothAddress] = []
  /// What was subscribed to, by device, while no chain ran that may do so.
  private var subscribed: [BluetoothAddress: [BluetoothUUID]] = [:]
  private var leavesLink = false
  /// Calls that subscribe and have not been answered.
  private var starting = 0
  private var lateCalls: Set<String> = []
  private static let beginning: Set<String> = ["StartNotify", "AcquireNotify"]

  /// What the plain chains subscribe to.
  private static let plain = DeviceDraft.alertLevel

  mutating func take(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .device(.scanning(let isOn)): isScanning = isOn
    case .device(.linkUp(let address)): up.append(address)
    case .device(.linkDown(let address)):
      up.removeAll { $0 == address }
      complainOfSubscriptions(to: address, now)
    case .device(.subscribed(let address, let uuid)):
      // bluetoothd subscribes again, with each link, for a session that nobody has ended. One that
      // is ended meanwhile ends as soon as the device has answered.
      guard isHealed, open.isEmpty, starting == 0, uuid != Self.plain,
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
    case .asked(let id, let plan):
      if id.number < Liveness.plain { open.insert(id) }
      if plan.keepsLink { leavesLink = true }
    case .ended(let id, let ending):
      open.remove(id)
      if ending.reportsCleanUp { leavesLink = true }
    case .message(let message) where message.kind == .signal: take(message)
    case .message(let message):
      // A subscription that was begun late is ended as soon as it is answered.
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

  private mutating func take(_ message: Message) {
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
      complain("A scan ends with those who wanted it", "the adapter scans", now)
    }
    if isPairable, lost.isDisjoint(with: ["RegisterAgent", "UnregisterAgent"]) {
      complain("An agent is registered no longer than it is needed", "one is", now)
    }
    if !leavesLink, lost.isDisjoint(with: ["Connect", "Disconnect", "RemoveDevice", "Pair"]) {
      for address in up { complain("No link is left up", "that to \(address)", now) }
    }
    for address in up { complainOfSubscriptions(to: address, now) }
  }

  private mutating func complainOfSubscriptions(to address: BluetoothAddress, _ now: Instant) {
    for uuid in subscribed.removeValue(forKey: address) ?? [] {
      complain("A subscription ends with its step", "\(uuid) of \(address)", now)
    }
  }

  private mutating func complain(_ rule: String, _ what: String, _ now: Instant) {
    violations.append(Violation(rule: rule, what: what, at: now))
  }
}
