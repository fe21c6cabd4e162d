// Invariants of the bus: every call gets exactly one reply, and a client that left sends nothing.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Matches calls with their replies.
struct AnswerCheck: Check {
  /// Identifies a call by its sender and serial.
  private struct Key: Hashable {
    let caller: String
    let serial: UInt32
  }

  private(set) var problems: [BrokenRule] = []
  private var pending: [Key: Message] = [:]
  /// Calls whose missing reply is part of the world's faults.
  private var excused: Set<Key> = []
  private var departed: Set<String> = []
  private var programs: [String] = []
  /// A device has, or may have, refused a request.
  private var isRefused = false
  /// Path suffixes of protected characteristics. bluetoothd never answers a request that waits for
  /// pairing when the link ends.
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

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .treated(let call, let treatment):
      if treatment == .ignore || treatment == .loseAnswer {
        excused.insert(Key(caller: call.sender ?? "", serial: call.serial))
      }
    case .joined(_, let name): programs.append(name)
    case .device(.linkDown(let address)): linkEnded(address)
    case .disturbance(.fault(.device(_, .rules(let rules)))):
      for rule in rules { if case .refuse = rule.action { isRefused = true } }
    case .disturbance(.leave(let program)): clientLeft(programs[program])
    case .message(let message): apply(message, now)
    case .device, .disturbance, .healed, .requested, .turnBegan, .turnEnded, .stepBegan, .stepValue,
      .stepEnded, .cancelled, .ended:
      break
    }
  }

  private mutating func apply(_ message: Message, _ now: Instant) {
    guard let sender = message.sender else { return }
    if departed.contains(sender) {
      addProblem("Nothing comes from a client that has left", message.text, now)
    }
    switch message.kind {
    case .methodCall:
      guard !message.noReplyExpected else { return }
      pending[Key(caller: sender, serial: message.serial)] = message
    case .methodReturn, .error:
      let key = Key(caller: message.destination ?? "", serial: message.replySerial ?? 0)
      if pending.removeValue(forKey: key) == nil {
        // bluetoothd left: the bus may report the lost reply.
        if excused.contains(key) || departed.contains(key.caller) { return }
        addProblem("Every call is answered once", message.text, now)
      }
    case .signal:
      if message.member == StandardInterface.interfacesRemoved.name { removed(message) }
      guard message.member == "NameOwnerChanged", sender == "org.freedesktop.DBus" else { return }
      let names = message.body.map { $0.asString ?? "" }
      guard names.count == 3, names[2].isEmpty else { return }
      if names[0] == names[1] || names[0] == OrgBlueZ.busName { clientLeft(names[1]) }
    }
  }

  /// Excuses calls of AcquireNotify that wait when the link ends: bluetoothd 5.66 does not answer
  /// them.
  private mutating func linkEnded(_ address: BluetoothAddress) {
    let device = BlueZPath.device(address, of: BlueZPath.manager).lastElement
    for (key, call) in pending
    where call.member == GattCharacteristic1.acquireNotify.name
      && call.path?.text.contains(device) == true
    {
      excused.insert(key)
    }
  }

  /// Excuses a Connect of a removed device, and requests below an unplugged adapter: bluetoothd
  /// never answers them.
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

  private mutating func clientLeft(_ name: String) {
    departed.insert(name)
    pending = pending.filter { $0.key.caller != name }
  }

  private func isExcused(_ key: Key, _ call: Message) -> Bool {
    if excused.contains(key) { return true }
    // bluetoothd 5.66 sends no reply when the device refuses.
    if call.member == GattCharacteristic1.acquireNotify.name, isRefused { return true }
    guard let path = call.path?.text else { return false }
    return protected.contains { path.contains($0) }
  }

  mutating func finish(at now: Instant) {
    for (key, call) in pending.sorted(by: { $0.key.serial < $1.key.serial })
    where !isExcused(key, call) {
      addProblem("Every call is answered", call.text, now)
    }
  }

  private mutating func addProblem(_ rule: String, _ detail: String, _ now: Instant) {
    problems.append(BrokenRule(rule: rule, detail: detail, at: now))
  }
}
