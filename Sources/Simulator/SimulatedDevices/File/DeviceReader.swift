// The state of reading device and scenario files, and the top of a device file.
//
// The Form of each mapping describes its keys; this keeps the results that later keys need.

import Bluetooth
import Documents

typealias DeviceKey<Payload> = Key<Payload, DeviceReader>
typealias DeviceShape<Value> = Shape<Value, DeviceReader>
typealias DeviceForm<Payload> = Form<Payload, DeviceReader>

/// Creates definitions from nodes, and collects the problems.
///
/// A part with a problem is replaced by a harmless value, so that reading continues. The
/// definitions are valid only if there are no problems.
struct DeviceReader: Reading {
  var problems: [Problem] = []
  /// Warnings: valid parts that are probably mistakes.
  var warnings: [Problem] = []
  /// References to characteristics of the current device, checked at its end.
  var references: [Reference] = []
  /// The services that others of the current device include, checked at its end.
  var inclusions: [(service: BluetoothUUID, included: BluetoothUUID, node: Node)] = []
  var service = BluetoothUUID(short: 0)
  /// The number of characteristics of the current device.
  var characteristicCount = 0
  /// The variables that values may use.
  var knownVariables = KnownVariables()
  /// The value description of the current characteristic or descriptor.
  var described: ValueDescription?
  /// The variables of all machines of the current device.
  var machineVariables = KnownVariables()
  /// The names for UUIDs.
  var attributeNames = AttributeNames.assigned
  var machine = MachineScope()
  var scenario = ScenarioScope()

  mutating func devices(_ root: Node) -> [DeviceDefinition] {
    guard root.value(of: "devices") != nil else { return copies(root) }
    let all = Self.devicesForm.read(root, &self)
    var devices: [DeviceDefinition] = []
    var addresses: Set<BluetoothAddress> = []
    for found in all {
      if let taken = found.value.first(where: { !addresses.insert($0.address).inserted }) {
        problems.append(found.node.problem("another device has the address \(taken.address)"))
      }
      devices += found.value
    }
    if devices.count > FileLimits.devices {
      problems.append(root.problem("the file has more than \(FileLimits.devices) devices"))
    }
    return devices
  }

  /// The keys of one device, with the number of its copies.
  struct DeviceEntry: Sendable {
    var device = DeviceDefinition(address: BluetoothAddress(number: 0))
    var count: Int?
  }

  mutating func entry(_ node: Node) -> DeviceEntry {
    references = []
    inclusions = []
    characteristicCount = 0
    let outer = attributeNames
    defer { attributeNames = outer }
    machineVariables = Self.machineVariables(in: node)
    var entry = Self.deviceForm.read(node, &self)
    entry.device.names = attributeNames
    if characteristicCount > FileLimits.characteristics {
      problems.append(
        node.problem("the device has more than \(FileLimits.characteristics) characteristics")
      )
    }
    checkReferences(in: entry.device)
    checkInclusions(in: entry.device)
    checkFirmware(in: entry.device, node)
    return entry
  }

  // MARK: Descriptions

  /// A device, or several copies of one.
  static let deviceShape = DeviceShape<[DeviceDefinition]>(
    "a device", schema: deviceForm.schema.named("device")
  ) { node, reader in reader.copies(node) }

  /// The devices of one file, each with its node.
  static let devicesForm = DeviceForm<[Located<[DeviceDefinition]>]>(
    "Several devices.",
    [],
    [
      namesKey("names for UUIDs, which all devices of the file may use"),
      DeviceKey(
        "devices",
        deviceShape.checked.list(
          of: "devices", 1...FileLimits.devices, none: "the list of devices is empty"
        ),
        isRequired: true, "the devices"
      ) { devices, all, _ in devices = all },
    ]
  )

  static let deviceForm = DeviceForm<DeviceEntry>(
    "A simulated device.", DeviceEntry(),
    [
      namesKey(
        "names for UUIDs, `soil-moisture: 0000a001-…`, as in [chains](../docs/chains.md#names)"
      ),
      DeviceKey(
        "name", \.device.name, .name, usual: "no name",
        "its name, in advertisements and as Device Name"
      ),
      DeviceKey(
        "gap-name", \.device.gapName, .name, usual: "`name`",
        "another Device Name: what a host reads when it has connected, and then shows"
      ),
      DeviceKey(
        "count", \.count, .integer(1...FileLimits.devices), usual: "1",
        "how many copies: `#` in the name is replaced by the number, addresses count up"
      ),
      DeviceKey("address", \.device.address, .address, isRequired: true, "its Bluetooth address"),
      DeviceKey("address-type", \.device.addressType, .word, "the kind of address"),
      DeviceKey(
        "private-address", \.device.privateAddress, Shape.mapping(privateAddressForm),
        usual: "its own address",
        "other addresses to advertise under, see [below](#private-address)"
      ),
      DeviceKey(
        "appearance", \.device.appearance, .appearance, usual: "not advertised; 0 when read",
        "its Appearance, such as `0x0341`"
      ),
      DeviceKey(
        "advertisement", \.device.advertisements, advertisementShape.map { [$0] },
        usual: "an empty one", "what it advertises, see [below](#advertisement)"
      ),
      DeviceKey(
        "advertisements", \.device.advertisements,
        advertisementShape.list(
          of: "advertisements", 1...FileLimits.advertisements,
          none: "there is at least one advertisement"
        ),
        usual: "", "several advertisements"
      ),
      DeviceKey(
        "link", \.device.link, Shape.mapping(linkForm).named("link"), usual: "",
        "the timing and limits of its connections, see [below](#link)"
      ),
      DeviceKey(
        "security", \.device.pairing, pairingShape, usual: "just-works",
        "how it pairs, see [below](#security)"
      ),
      DeviceKey(
        "services", \.device.services, serviceShape.list(of: "services", 0...FileLimits.services),
        usual: "none", "its services, with at most 512 characteristics in all"
      ),
      DeviceKey(
        "unrecorded", \.device.unrecorded, .word, usual: "accept, without a report",
        "a write that no rule of `responses` matches, see [below](#unrecorded-writes)"
      ),
      DeviceKey(
        "machines", \.device.machines, machineShape.list(of: "machines", 0...FileLimits.machines),
        usual: "none", "its state machines, see [State machines](#state-machines)"
      ),
      DeviceKey(
        "logic", \.device.logic, logicShape, usual: "none",
        "a program that decides in addition to the file, see [Logic](#logic)"
      ),
      DeviceKey(
        "firmware", \.device.firmware, firmwareShape, usual: "none",
        "firmware that is replaced over SMP, see [Firmware](#firmware)"
      ),
      DeviceKey(
        "faults", deviceFault.list(of: "faults", 0...FileLimits.faults), usual: "none",
        "what goes wrong with it, see [Faults of a device](#faults-of-a-device)"
      ) { entry, faults, _ in for fault in faults { fault.apply(to: &entry.device) } },
    ],
    rules: [.exclusive(["advertisement", "advertisements"])]
  )

  static let linkForm = DeviceForm<LinkDefinition>(
    "The timing and limits of its connections.",
    LinkDefinition(),
    [
      DeviceKey(
        "mtu",
        \.mtu,
        .integer(23...517),
        "the ATT MTU, in bytes; a notification holds 3 less"
      ),
      DeviceKey("connect-time", \.connectTime, .delay, "from the request to the connection"),
      DeviceKey(
        "discovery-time",
        \.discoveryTime,
        .delay,
        "from the connection to the end of service discovery"
      ),
      DeviceKey("latency", \.latency, .delay, "one attribute operation, from request to response"),
      DeviceKey(
        "latency-spread",
        \.latencySpread,
        .delay,
        "how much longer an operation may take, drawn for each"
      ),
      DeviceKey(
        "shortest-interval",
        \.shortestInterval,
        .connectionInterval,
        "the shortest connection interval that it agrees to; it refuses a host that wants a shorter one"
      ),
      DeviceKey(
        "phys", \.phys,
        DeviceShape<PHY>.word.list(
          of: "PHYs", 1...PHY.allCases.count, none: "a device has at least one PHY"
        ),
        usual: "1m, 2m, coded",
        "the PHYs that it agrees to; a connection keeps its PHY when a host wants another one"
      ),
      DeviceKey(
        "speed", \.speed, Shape.mapping(speedForm), usual: "any number of values at once",
        "when, and how fast, it carries notifications and writes, see [below](#speed)"
      ),
    ]
  )

  static let speedForm = DeviceForm<LinkSpeed>(
    "The connection interval, and the packets that fit into it.",
    LinkSpeed(interval: .milliseconds(30)),
    [
      DeviceKey(
        "interval", \.interval, .connectionInterval,
        "the connection interval, which `connection-parameters` reads"
      ),
      DeviceKey(
        "phy", \.phy, .word,
        "the PHY with which a connection begins: 1 or 2 Mbit/s, or coded with 125 kbit/s"
      ),
      DeviceKey(
        "packets", \.packets, .integer(1...100), usual: "as many as the PHY has time for",
        "the most packets, of 251 bytes, that each side sends in an interval"
      ),
    ]
  )
}
