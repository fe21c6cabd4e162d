// Invariants of org.bluez at each step of time. Between two signals of one instant they may be
// broken.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Checks `Connected` and `ServicesResolved` of each device against each other and the link.
struct RestCheck: Check {
  private struct Device {
    var isConnected = false
    var isResolved = false
  }

  private(set) var problems: [BrokenRule] = []
  private let addresses: [BluetoothAddress]
  private let elements: [String]
  private var devices: [ObjectPath: Device] = [:]
  private var isUp: [Bool]
  private var last = Instant.start
  private var isDirty = false
  private var daemon: String?

  init(_ world: World) {
    addresses = world.devices.map(\.address)
    elements = addresses.map { BlueZPath.device($0, of: BlueZPath.manager).lastElement }
    isUp = addresses.map { _ in false }
  }

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    if isDirty, now > last { check(at: last) }
    last = now
    switch sighting {
    case .device(.linkUp(let address)): link(address, true)
    case .device(.linkDown(let address)): link(address, false)
    case .message(let message) where message.kind == .signal: apply(message)
    // A stalled bus reports it later.
    case .disturbance(.fault(.endDaemon)): devices = [:]
    case .message, .treated, .device, .disturbance, .healed, .joined, .requested, .turnBegan,
      .turnEnded, .stepBegan, .stepValue, .stepEnded, .cancelled, .ended:
      break
    }
  }

  mutating func finish(at now: Instant) {
    if isDirty { check(at: last) }
  }

  private mutating func link(_ address: BluetoothAddress, _ isUp: Bool) {
    guard let index = addresses.firstIndex(of: address) else { return }
    self.isUp[index] = isUp
    isDirty = true
  }

  private mutating func apply(_ message: Message) {
    // The content of an oversized change is unknown to the program.
    if message.isRefusedChange, let path = message.path { devices[path] = nil }
    switch message.member {
    case StandardInterface.propertiesChanged.name:
      guard message.body.first?.asString == Device1.interface, let path = message.path,
        message.body.count > 1, let changed = message.body[1].asPropertyMap
      else { return }
      note(changed, path)
    case StandardInterface.interfacesAdded.name:
      if message.sender != daemon { devices = [:] }
      daemon = message.sender
      guard let path = message.body.first?.asObjectPath, message.body.count > 1,
        let interfaces = message.body[1].asDictionary,
        let device = interfaces[.string(Device1.interface)]?.asPropertyMap
      else { return }
      devices[path] = Device()
      note(device, path)
    case StandardInterface.interfacesRemoved.name:
      guard let path = message.body.first?.asObjectPath,
        message.body.last?.asStrings?.contains(Device1.interface) == true
      else { return }
      devices[path] = nil
    case "NameOwnerChanged":
      let names = message.body.map { $0.asString ?? "" }
      if names.count == 3, names[0] == OrgBlueZ.busName, names[2].isEmpty { devices = [:] }
    default: break
    }
  }

  private mutating func note(_ properties: PropertyMap, _ path: ObjectPath) {
    guard devices[path] != nil else { return }
    if let isConnected = properties[Device1.connected] {
      devices[path]?.isConnected = isConnected
      isDirty = true
    }
    if let isResolved = properties[Device1.servicesResolved] {
      devices[path]?.isResolved = isResolved
      isDirty = true
    }
  }

  private mutating func check(at instant: Instant) {
    isDirty = false
    for (path, device) in devices.sorted(by: { $0.key < $1.key }) {
      if device.isResolved, !device.isConnected {
        addProblem("No services are resolved without a connection", "\(path)", instant)
      }
      guard let index = elements.firstIndex(of: path.lastElement) else { continue }
      if device.isConnected != isUp[index] {
        addProblem("Connected matches the connection", "\(path)", instant)
      }
    }
  }

  private mutating func addProblem(_ rule: String, _ detail: String, _ now: Instant) {
    problems.append(BrokenRule(rule: rule, detail: detail, at: now))
  }
}
