// The top of a scenario file: name, seed, host, devices.

import Bluetooth
import Documents

/// Makes a scenario of nodes, and collects everything that is wrong on the way.
struct ScenarioReader {
  var reader = DeviceReader()
  private(set) var devices: [DeviceDefinition] = []
  private var addresses: Set<BluetoothAddress> = []
  /// Those of the host, as faults may name them.
  private(set) var adapters = [HostDefinition.Adapter()]

  var problems: [DocumentProblem] { reader.problems }

  mutating func scenario(_ root: Node) -> ScenarioDefinition {
    var keys = MappingReader(root)
    let name = keys.required("scenario", expected: "what it is about") { $0.text }
    let seed = keys.optional("seed", expected: "a whole number from 0") { node in
      node.text.flatMap { UInt64($0) }
    }
    let host = keys.optional("host").map { self.host($0) } ?? HostDefinition()
    if !host.adapters.isEmpty { adapters = host.adapters }
    let nodes = reader.list(
      keys.required("devices", expected: "a list such as [{ use: thermometer.yaml }]"),
      "devices",
      atMost: FileLimits.devices
    )
    for node in nodes { add(node) }
    if devices.count > FileLimits.devices {
      reader.problems.append(
        root.problem("the scenario has more than \(FileLimits.devices) devices")
      )
    }
    let faults = reader.list(keys.optional("faults"), "faults", atMost: FileLimits.faults)
    let blows = faults.compactMap { fault($0) }
    reader.problems += keys.finish()
    return ScenarioDefinition(
      name: name ?? "",
      seed: seed,
      host: host,
      devices: devices,
      blows: blows
    )
  }

  // MARK: Devices

  private mutating func add(_ node: Node) {
    let before = reader.problems.count
    let isUse = node.mapping?.contains { $0.key == "use" } == true
    let found = isUse ? used(node) : reader.copies(node)
    guard reader.problems.count == before else { return }
    for device in found {
      if !addresses.insert(device.address).inserted {
        reader.problems.append(
          node.problem(
            "another device has the address \(device.address)",
            expected: isUse ? "an 'address' of its own" : nil
          )
        )
      } else {
        devices.append(device)
      }
    }
  }

  /// `{ use: heart-rate.yaml, count: 5, name: "Strap-#", address: C0:FF:EE:01:00:00 }`
  private mutating func used(_ node: Node) -> [DeviceDefinition] {
    var keys = MappingReader(node)
    let file = keys.optional("use")
    let count = reader.integer(&keys, "count", in: 1...FileLimits.devices)
    let expected = "at most \(FileLimits.name) octets of text"
    let name = keys.optional("name", expected: expected) { node in
      node.text.flatMap { $0.utf8.count <= FileLimits.name - DeviceReader.digits ? $0 : nil }
    }
    let address = keys.optional("address", expected: "an address such as C0:FF:EE:01:00:00") {
      $0.text.flatMap { BluetoothAddress($0) }
    }
    reader.problems += keys.finish()
    guard let file, let path = file.text else {
      if let file { reader.problems.append(file.problem("\(file.kind) stands here")) }
      return []
    }
    let all = read(file, path)
    guard count != nil || name != nil || address != nil else { return all }
    guard let one = all.first, all.count == 1 else {
      if all.count > 1 {
        reader.problems.append(
          file.problem("'\(path)' has \(all.count) devices: they are used as they are")
        )
      }
      return []
    }
    var device = one
    device.address = address ?? one.address
    device.name = name ?? one.name
    return count.map { DeviceReader.copies(of: device, count: $0) } ?? [device]
  }

  private mutating func read(_ node: Node, _ name: String) -> [DeviceDefinition] {
    let path = TextFile.path(name, beside: node.place.file)
    let text: String
    do throws(DocumentErrors) {
      text = try TextFile.read(path)
    } catch {
      reader.problems += error.problems.map { node.problem("\(path): \($0.message)") }
      return []
    }
    do throws(DocumentErrors) {
      return try DeviceFile.parse(text, file: path)
    } catch {
      reader.problems += error.problems
      return []
    }
  }

  /// The devices that a fault is about: of a name, names with `*` behind, or addresses.
  mutating func devices(named node: Node?) -> [Int] {
    guard let node else { return Array(devices.indices) }
    return (node.sequence ?? [node]).flatMap { node -> [Int] in
      let found = devices.indices.filter { index in
        guard let text = node.text else { return false }
        let device = devices[index]
        if text.hasSuffix("*") { return device.name?.hasPrefix(text.dropLast()) == true }
        return device.name == text || BluetoothAddress(text) == device.address
      }
      if found.isEmpty {
        reader.problems.append(
          node.problem(
            "there is no device \(reader.shown(node))",
            expected: "one of " + devices.map(\.shown).joined(separator: ", ")
          )
        )
      }
      return found
    }
  }

  mutating func change(_ index: Int, _ change: (DeviceDefinition) -> DeviceDefinition) {
    devices[index] = change(devices[index])
  }
}

extension DeviceDefinition {
  fileprivate var shown: String { name ?? "\(address)" }
}
