// Invariants of the bus: every call is answered once, and nothing comes from who has left.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Watches calls and their answers.
struct AnswerCheck: Check {
  /// A call by who made it.
  private struct Key: Hashable {
    let caller: String
    let serial: UInt32
  }

  private(set) var violations: [Violation] = []
  private var pending: [Key: Message] = [:]
  /// Calls that are not answered because the world wants it so.
  private var excused: Set<Key> = []
  private var left: Set<String> = []
  private var programs: [String] = []
  /// A device has refused something, or may have.
  private var isRefused = false
  /// The ends of the paths of protected characteristics: bluetoothd never answers a request that
  /// the device wants to be paired for, when the link ends over it.
  private let protected: [String]

  init(_ world: World) {
    protected = world.devices.flatMap { device in
      let secured = device.services.flatMap(\.characteristics)
        .filter { $0.security != AttributeSecurity() }.map(\.uuid)
      return AttributeTable(device).services.flatMap(\.characteristics)
        .filter { secured.contains($0.uuid) }
        .map {
          BlueZPath.characteristic(declaration: $0.declaration, of: BlueZPath.manager).lastElement
        }
    }
  }

  mutating func take(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .treated(let call, let treatment):
      if treatment == .ignore || treatment == .loseAnswer {
        excused.insert(Key(caller: call.sender ?? "", serial: call.serial))
      }
    case .joined(_, let name): programs.append(name)
    case .device(.linkDown(let address)): linkEnded(address)
    case .disturbance(.fault(.device(_, .rules(let rules)))):
      for rule in rules { if case .refuse = rule.action { isRefused = true } }
    case .disturbance(.leave(let program)): leave(programs[program])
    case .message(let message): take(message, now)
    case .device, .disturbance, .healed, .asked, .turnBegan, .turnEnded, .stepBegan, .stepValue,
      .stepEnded, .cancelled, .ended:
      break
    }
  }

  private mutating func take(_ message: Message, _ now: Instant) {
    guard let sender = message.sender else { return }
    if left.contains(sender) {
      complain("Nothing comes from a client that has left", message.text, now)
    }
    switch message.kind {
    case .methodCall:
      guard !message.noReplyExpected else { return }
      pending[Key(caller: sender, serial: message.serial)] = message
    case .methodReturn, .error:
      let key = Key(caller: message.destination ?? "", serial: message.replySerial ?? 0)
      if pending.removeValue(forKey: key) == nil {
        // A lost answer may be found by the bus, when bluetoothd leaves.
        if excused.contains(key) || left.contains(key.caller) { return }
        complain("Every call is answered once", message.text, now)
      }
    case .signal:
      if message.member == StandardInterface.interfacesRemoved.name { removed(message) }
      guard message.member == "NameOwnerChanged", sender == "org.freedesktop.DBus" else { return }
      let names = message.body.map { $0.asString ?? "" }
      guard names.count == 3, names[2].isEmpty else { return }
      if names[0] == names[1] || names[0] == OrgBlueZ.busName { leave(names[1]) }
    }
  }

  /// bluetoothd 5.66 does not answer an AcquireNotify that waits as the link ends.
  private mutating func linkEnded(_ address: BluetoothAddress) {
    let device = BlueZPath.device(address, of: BlueZPath.manager).lastElement
    for (key, call) in pending
    where call.member == GattCharacteristic1.acquireNotify.name
      && call.path?.text.contains(device) == true
    {
      excused.insert(key)
    }
  }

  /// A Connect is never answered whose device was removed, nor is a request to an attribute below an
  /// adapter that was pulled out.
  private mutating func removed(_ message: Message) {
    guard let interfaces = message.body.last?.asStrings,
      let path = message.body.first?.asObjectPath
    else { return }
    if interfaces.contains(Adapter1.interface) {
      let below = path.text + "/"
      for (key, call) in pending where call.interface != Device1.interface {
        if call.path?.text.hasPrefix(below) == true { excused.insert(key) }
      }
    }
    guard interfaces.contains(Device1.interface) else { return }
    for (key, call) in pending where call.path == path {
      if call.member == Device1.connect.name { excused.insert(key) }
    }
  }

  private mutating func leave(_ name: String) {
    left.insert(name)
    pending = pending.filter { $0.key.caller != name }
  }

  private func isExcused(_ key: Key, _ call: Message) -> Bool {
    if excused.contains(key) { return true }
    // bluetoothd 5.66 gives no answer when the device does not take it.
    if call.member == GattCharacteristic1.acquireNotify.name, isRefused { return true }
    guard let path = call.path?.text else { return false }
    return protected.contains { path.contains($0) }
  }

  mutating func finish(at now: Instant) {
    for (key, call) in pending.sorted(by: { $0.key.serial < $1.key.serial })
    where !isExcused(key, call) {
      complain("Every call is answered", call.text, now)
    }
  }

  private mutating func complain(_ rule: String, _ what: String, _ now: Instant) {
    violations.append(Violation(rule: rule, what: what, at: now))
  }
}
