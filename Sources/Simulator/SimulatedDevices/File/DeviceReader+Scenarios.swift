// The top of a scenario file: name, seed, host, devices.

import Bluetooth
import Documents

/// The state of reading one scenario.
struct ScenarioScope {
  var devices: [DeviceDefinition] = []
  var addresses: Set<BluetoothAddress> = []
  /// The adapters of the host, which faults may name.
  var adapters = [AdapterSettings()]
  /// The indices of the devices that the current fault affects.
  var targets: [Int] = []
}

extension DeviceReader {
  mutating func scenario(_ root: Node) -> ScenarioDefinition {
    var scenario = Self.scenarioForm.read(root, &self)
    if self.scenario.devices.count > FileLimits.devices {
      problems.append(root.problem("the scenario has more than \(FileLimits.devices) devices"))
    }
    scenario.devices = self.scenario.devices
    return scenario
  }

  static let scenarioForm = DeviceForm<ScenarioDefinition>(
    "Devices, a host, a seed and faults.",
    ScenarioDefinition(),
    [
      DeviceKey(
        "scenario", \.name, .text("what it is about"), isRequired: true,
        "what it is about; it makes the file a scenario"
      ),
      namesKey("names for UUIDs, for the devices and faults of this file"),
      DeviceKey(
        "seed", \.seed,
        DeviceShape(
          "a whole number from 0", schema: Schema(["type": "integer", "minimum": 0])
        ) { node, _ in node.text.flatMap { UInt64($0) } },
        usual: "0", "the seed of its randomness; `--seed` overrides it"
      ),
      DeviceKey(
        "host", \.host,
        Shape.mapping(hostForm).named("host").afterReading { host, _, reader in
          if !host.adapters.isEmpty { reader.scenario.adapters = host.adapters }
        },
        usual: "", "the simulated host, see below"
      ),
      DeviceKey(
        "devices", scenarioDevice.list(of: "devices", 0...FileLimits.devices), isRequired: true,
        "devices as above, and those of other files"
      ) { _, _, _ in },
      DeviceKey(
        "faults", scenarioFault.list(of: "faults", 0...FileLimits.faults), usual: "none",
        "what goes wrong"
      ) { scenario, faults, _ in scenario.faults = faults.compactMap(\.self) },
    ]
  )

  // MARK: Devices

  /// A device, its copies, or the device of another file. They are also added to the state of the
  /// reader, since faults change their definitions.
  private static let scenarioDevice = DeviceShape<[DeviceDefinition]>(
    "a device", schema: .any([usedForm.schema.named("used"), deviceShape.schema])
  ) { node, reader in
    if let file = node.text {
      let use = file.hasSuffix(".yaml") ? file : "FILE.yaml"
      reader.problems.append(node.problem(expected: "a device, or { use: \(use) }"))
      return nil
    }
    let before = reader.problems.count
    let isUse = node.value(of: "use") != nil
    let found = isUse ? reader.used(node) : reader.copies(node)
    guard reader.problems.count == before else { return [] }
    for device in found {
      if reader.scenario.addresses.insert(device.address).inserted {
        reader.scenario.devices.append(device)
      } else {
        reader.problems.append(
          node.problem(
            "another device has the address \(device.address)",
            expected: isUse ? "an 'address' of its own" : nil
          )
        )
      }
    }
    return found
  }

  struct UsedEntry: Sendable {
    var file: Node?
    var count: Int?
    var name: String?
    var address: BluetoothAddress?
  }

  /// `{ use: heart-rate.yaml, count: 5, name: "Strap-#", address: C0:FF:EE:01:00:00 }`
  static let usedForm = DeviceForm<UsedEntry>(
    "A device of a file.",
    UsedEntry(),
    [
      DeviceKey(
        "use", \.file, .later("the name of a file", fileName), isRequired: true,
        "a device file, relative to this file"
      ),
      DeviceKey(
        "count", \.count, .integer(1...FileLimits.devices), usual: "1",
        "how many copies, at addresses that count up"
      ),
      DeviceKey(
        "name", \.name, .name(FileLimits.name - digits), usual: "its own",
        "another name; `#` is the number"
      ),
      DeviceKey("address", \.address, .address, usual: "its own", "another address"),
    ]
  )

  private mutating func used(_ node: Node) -> [DeviceDefinition] {
    let entry = Self.usedForm.read(node, &self)
    guard let file = entry.file, let path = file.text else {
      if let file = entry.file { problems.append(file.problem(expected: "the name of a file")) }
      return []
    }
    let all = read(file, path)
    guard entry.count != nil || entry.name != nil || entry.address != nil else { return all }
    guard var device = all.first, all.count == 1 else {
      if all.count > 1 {
        problems.append(
          file.problem("'\(path)' has \(all.count) devices: the other keys need a file with one")
        )
      }
      return []
    }
    device.address = entry.address ?? device.address
    device.name = entry.name ?? device.name
    if let count = entry.count { return copies(of: device, count: count, node) }
    checkSizes(of: device, node)
    return [device]
  }

  private mutating func read(_ node: Node, _ name: String) -> [DeviceDefinition] {
    let path = TextFile.path(name, beside: node.place.file)
    guard let text = text(of: path, node) else { return [] }
    do throws(DocumentErrors) {
      return try DeviceFile.parse(text, file: path)
    } catch {
      problems += error.problems
      return []
    }
  }
}
