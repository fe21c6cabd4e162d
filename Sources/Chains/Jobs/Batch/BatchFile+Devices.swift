// The `devices` key of a batch file: a list, a table, or a scan.
//
// It reads names only; the plans of the devices are created in Batch+File.swift.

import Bluetooth
import Documents

extension BatchFile {
  /// The devices as the batch file gives them.
  enum Devices: Hashable, Sendable {
    case list([NamedDevice])
    case table(DeviceTable)
    case scan(FoundDevices)
  }

  /// A device by address or name, before it has a plan.
  struct NamedDevice: Hashable, Sendable {
    let node: Node
    let target: DeviceTarget
    var isUnique = false
    var choice: Duration?
    var bindings = Bindings()
    var placement = Placement()
  }
}

extension Shape where Value == BatchFile.Devices {
  static var devices: Self {
    Shape(
      "a list of devices, { csv: FILE, address: COLUMN }, or { scan: … }",
      schema: .anyOf([.reference("list"), .reference("table"), .reference("found")])
    ) { node, reader in
      if let nodes = node.sequence { return .list(nodes.compactMap { reader.listed($0) }) }
      guard node.mapping != nil else { return nil }
      if node.value(of: "scan") != nil {
        return FoundDevices.read(node, &reader).map { .scan($0) }
      }
      let before = reader.problems.count
      let table = DeviceTable.read(node, &reader)
      return reader.problems.count == before ? table.map { .table($0) } : nil
    }
  }
}

// MARK: One by one

/// A device in a list that is written as a mapping: `{ address: …, with: { level: 5 } }`.
struct ListedDevice: Described {
  var keys = DeviceKeys()
  var bindings = Bindings()
  var placement = Placement()

  static let keys: [Key<Self>] =
    DeviceKeys.keys.map { $0.of(\.keys) } + [
      Key(
        "with", \.bindings, .bindings, default: Bindings(),
        "values for the variables of this device"
      )
    ] + Placement.keys.map { $0.of(\.placement) }
  static let rules = DeviceKeys.rules
}

extension StepReader {
  mutating func listed(_ node: Node) -> BatchFile.NamedDevice? {
    if node.text != nil {
      guard let target = parsed(node, { try DeviceTarget(parsing: $0) }) else { return nil }
      // `*` would match any device, but an entry must name one.
      if target != .any { return .init(node: node, target: target) }
      let expected = "{ scan: … } instead of the list"
      complain(node, Problem("'*' matches any device", expected: expected))
      return nil
    }
    let before = problems.count
    let expected = "an address, a name, or \(DeviceKeys.expected)"
    guard let device = ListedDevice.read(node, &self, expected: expected) else { return nil }
    guard let target = device.keys.target else {
      if problems.count == before {
        complain(node, Problem("no device is named", expected: DeviceKeys.expected))
      }
      return nil
    }
    return .init(
      node: node, target: target, isUnique: device.keys.isUnique, choice: device.keys.choice,
      bindings: device.bindings, placement: device.placement
    )
  }
}

// MARK: A table

/// A CSV table with one device for each row, whose columns are variables: `{ csv: devices.csv,
/// address: mac }`.
struct DeviceTable: Described {
  var file = ""
  /// The names of the columns, by key.
  var columns: [String: String] = [:]

  /// The key that names the column with the devices.
  var naming: DeviceColumn? { DeviceColumn.allCases.first { columns[$0.rawValue] != nil } }

  static let keys: [Key<Self>] =
    [
      Key("csv", \.file, .file("a table"), "the path of the table, below the folder of the batch")
    ]
    + (DeviceColumn.allCases.map { ($0.rawValue, $0.documentation) }
    + Placement.keys.map { ($0.name, $0.description.documentation) }).map { name, documentation in
      Key(name, \.columns[name], .text("the name of a column"), "the column with \(documentation)")
    }
  static let rules: [KeyRule] = [
    .one(
      of: DeviceColumn.allCases.map(\.rawValue), "a device is identified by exactly one key",
      expected: "one of address, name and alias, with the name of its column"
    )
  ]
}

/// A key that names the column with the devices.
enum DeviceColumn: String, CaseIterable {
  case address, name, alias

  fileprivate var documentation: String {
    switch self {
    case .address: "the address"
    case .name: "the name"
    case .alias: "the name on this host"
    }
  }
}

// MARK: A scan

/// A scan that finds the devices: the keys of a `scan` step, with a minimum and a maximum number.
/// `{ scan: 10s, name: "Thermo*", at-least: 3 }`
struct FoundDevices: Described {
  var scanning = ScanStep()
  var least = 1
  /// The maximum number of devices; nil for ``PlanLimits/devices``.
  var most: Int?

  static let keys: [Key<Self>] =
    ScanStep.keys.map { $0.of(\.scanning) } + [
      Key(
        "at-least", \.least, .deviceCount, default: 1,
        "with fewer devices no chain begins; 1 when it is not set"
      ),
      Key("at-most", \.most, .deviceCount, "with more devices, the first ones found are used"),
    ]
  static let rules = ScanStep.rules

  func problemAcrossKeys(timeout limit: Duration?) -> KeyRule.KeyProblem? {
    guard let most, most < least else { return nil }
    return ([], Problem("at-most is below at-least"))
  }
}

extension Shape where Value == Int {
  fileprivate static var deviceCount: Self {
    .integer("a number of devices", "devices") { 1...$0.devices }
  }
}
