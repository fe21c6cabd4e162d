// Draws random calls, most of them almost valid.

import BlueZInterfaces
import DBus
import Signals

/// A method of org.bluez, with its parameters.
struct CallDraft {
  /// The meaning of a parameter.
  enum Argument {
    case options, bytes, path, string, interface, property, variant
  }

  let interface: String
  let member: String
  let takes: [Argument]

  init(_ interface: String, _ member: String, _ takes: [Argument] = []) {
    self.interface = interface
    self.member = member
    self.takes = takes
  }

  static let all: [CallDraft] =
    [
      CallDraft(Adapter1.interface, "StartDiscovery"),
      CallDraft(Adapter1.interface, "StopDiscovery"),
      CallDraft(Adapter1.interface, "SetDiscoveryFilter", [.options]),
      CallDraft(Adapter1.interface, "RemoveDevice", [.path]),
      CallDraft(Adapter1.interface, "GetDiscoveryFilters"),
      CallDraft(GattDescriptor1.interface, "ReadValue", [.options]),
      CallDraft(GattDescriptor1.interface, "WriteValue", [.bytes, .options]),
      CallDraft("org.bluez.AgentManager1", "RegisterAgent", [.path, .string]),
      CallDraft("org.bluez.AgentManager1", "UnregisterAgent", [.path]),
      CallDraft("org.bluez.AgentManager1", "RequestDefaultAgent", [.path]),
      CallDraft("org.bluez.AdvertisementMonitorManager1", "RegisterMonitor", [.path]),
      CallDraft("org.bluez.AdvertisementMonitorManager1", "UnregisterMonitor", [.path]),
      CallDraft("org.bluez.GattManager1", "RegisterApplication", [.path, .options]),
      CallDraft("org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", [.path, .options]),
      CallDraft(StandardInterface.properties, "Get", [.interface, .property]),
      CallDraft(StandardInterface.properties, "GetAll", [.interface]),
      CallDraft(StandardInterface.properties, "Set", [.interface, .property, .variant]),
      CallDraft(StandardInterface.introspectable, "Introspect"),
      CallDraft(StandardInterface.objectManager, "GetManagedObjects"),
      CallDraft("org.freedesktop.DBus.Peer", "Ping"),
      CallDraft("org.freedesktop.DBus.Peer", "GetMachineId"),
      CallDraft("blerun.Simulator1", "Restart", [.string]),
      CallDraft("x.y", "Z", [.variant]),
    ] + ofDevices + ofDevices

  private static let ofDevices =
    [
      CallDraft(Device1.interface, "Connect"),
      CallDraft(Device1.interface, "Disconnect"),
      CallDraft(Device1.interface, "ConnectProfile", [.string]),
      CallDraft(Device1.interface, "DisconnectProfile", [.string]),
      CallDraft(Device1.interface, "Pair"),
      CallDraft(Device1.interface, "CancelPairing"),
      CallDraft(GattCharacteristic1.interface, "ReadValue", [.options]),
      CallDraft(GattCharacteristic1.interface, "WriteValue", [.bytes, .options]),
      CallDraft(GattCharacteristic1.interface, "StartNotify"),
      CallDraft(GattCharacteristic1.interface, "StopNotify"),
    ] + acquiring

  /// Calls whose replies contain descriptors.
  static let acquiring = [
    CallDraft(GattCharacteristic1.interface, "AcquireWrite", [.options]),
    CallDraft(GattCharacteristic1.interface, "AcquireNotify", [.options]),
  ]

  private static let properties = [
    "Alias", "Powered", "Discoverable", "DiscoverableTimeout", "Pairable", "PairableTimeout",
    "Discovering", "UUIDs", "Trusted", "Blocked", "WakeAllowed", "Connected", "RSSI", "Value",
    "Notifying", "MTU", "Percentage", "PreferredBearer", "ManufacturerData", "",
  ]

  private static let interfaces = [
    Adapter1.interface, Device1.interface, GattCharacteristic1.interface, Battery1.interface,
    GattService1.interface, StandardInterface.properties, "org.bluez.Nothing", "", "x",
  ]

  /// A call of this method, valid or damaged; nil if the bus cannot send it at all.
  func message(to objects: [ObjectPath: [String]], _ draw: inout Draw) -> Message? {
    let proper = draw.paths.filter { objects[$0]?.contains(interface) == true }
    let path =
      proper.isEmpty || draw.generator.hits(1, in: 5) ? draw.path() : draw.generator.pick(proper)
    var body = takes.map { argument($0, on: objects[path] ?? [], &draw) }
    switch draw.generator.index(14) {
    case 0: body.append(draw.value())
    case 1: if !body.isEmpty { body.removeLast() }
    case 2: if !body.isEmpty { body[draw.generator.index(body.count)] = draw.value() }
    case 3: body = (0..<draw.generator.index(5)).map { _ in draw.value() }
    default: break
    }
    let other = draw.generator.pick(Self.all)
    return try? Message.methodCall(
      destination: OrgBlueZ.busName, path: path,
      interface: draw.generator.hits(1, in: 12)
        ? draw.generator.pick([nil, other.interface]) : interface,
      member: draw.generator.hits(1, in: 25) ? other.member : member, body: body,
      noReplyExpected: draw.generator.hits(1, in: 15)
    )
  }

  private func argument(
    _ argument: Argument, on interfaces: [String], _ draw: inout Draw
  ) -> DBusValue {
    switch argument {
    case .options: draw.options()
    case .bytes: draw.bytes()
    case .path: .objectPath(draw.path())
    case .string: .string(draw.string())
    case .interface: .string(draw.generator.pick(interfaces + Self.interfaces))
    case .property: .string(draw.generator.pick(Self.properties))
    case .variant:
      .variant(of: draw.generator.hits(1, in: 2) ? .boolean(true) : draw.value())
    }
  }
}
