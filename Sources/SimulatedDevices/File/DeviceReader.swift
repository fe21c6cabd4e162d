// The top of a device file: devices and links.

import Bluetooth
import Documents

/// Makes definitions of nodes, and collects everything that is wrong on the way.
///
/// What is wrong is replaced by something harmless and read on; the definitions count only if there
/// are no problems.
struct DeviceReader {
  var problems: [DocumentProblem] = []
  /// Characteristics that something else in the device is to happen on, checked at its end.
  var references: [Reference] = []
  /// Services that others of the present device include, checked at its end.
  var inclusions: [(service: BluetoothUUID, included: BluetoothUUID, node: Node)] = []
  /// Characteristics of the present device.
  var count = 0

  mutating func devices(_ root: Node) -> [DeviceDefinition] {
    guard root.mapping?.contains(where: { $0.key == "devices" }) == true else {
      return copies(root)
    }
    var keys = MappingReader(root)
    let nodes = list(keys.optional("devices"), "devices", atMost: FileLimits.devices)
    problems += keys.finish()
    var devices: [DeviceDefinition] = []
    var addresses: Set<BluetoothAddress> = []
    for node in nodes {
      let problemsBefore = problems.count
      let found = copies(node)
      if problems.count == problemsBefore,
        let taken = found.first(where: { !addresses.insert($0.address).inserted })
      {
        problems.append(node.problem("another device has the address \(taken.address)"))
      }
      devices += found
    }
    if devices.count > FileLimits.devices {
      problems.append(root.problem("the file has more than \(FileLimits.devices) devices"))
    }
    if nodes.isEmpty { problems.append(root.problem("there is no device here")) }
    return devices
  }

  mutating func device(_ node: Node) -> DeviceDefinition {
    references = []
    inclusions = []
    count = 0
    var keys = MappingReader(node)
    var device = DeviceDefinition(address: BluetoothAddress(number: 0))
    device.name = keys.optional("name", expected: "at most \(FileLimits.name) octets of text") {
      $0.text.flatMap { $0.utf8.count <= FileLimits.name ? $0 : nil }
    }
    let address = keys.required("address", expected: "an address such as C0:FF:EE:00:00:01") {
      $0.text.flatMap { BluetoothAddress($0) }
    }
    if let address { device.address = address }
    device.addressType =
      keys.optional("address-type", expected: "public or random") {
        $0.text.flatMap { AddressType(rawValue: $0) }
      } ?? device.addressType
    device.appearance = keys.optional("appearance", expected: "a number from 0 to 0xffff") {
      $0.integer.flatMap { UInt16(exactly: $0) }
    }
    // Looked at by copies(_:).
    _ = keys.optional("count")
    device.advertisements = advertisements(&keys)
    device.privateAddress = keys.optional("private-address").map { privateAddress($0) }
    if let node = keys.optional("link") { device.link = link(node) }
    if let node = keys.optional("security") { device.pairing = pairing(node) }
    let services = list(keys.optional("services"), "services", atMost: FileLimits.services)
    device.services = services.map { service($0) }
    device.machines = machines(keys.optional("machines"))
    let faults = list(keys.optional("faults"), "faults", atMost: FileLimits.faults)
    device.faults = faults.compactMap { fault($0) }
    problems += keys.finish()
    if count > FileLimits.characteristics {
      problems.append(
        node.problem("the device has more than \(FileLimits.characteristics) characteristics")
      )
    }
    checkReferences(in: device)
    checkInclusions(in: device)
    checkCircles(in: device)
    return device
  }

  private mutating func link(_ node: Node) -> LinkDefinition {
    var keys = MappingReader(node)
    var link = LinkDefinition()
    link.mtu = integer(&keys, "mtu", in: 23...517) ?? link.mtu
    link.connectTime = delay(&keys, "connect-time") ?? link.connectTime
    link.discoveryTime = delay(&keys, "discovery-time") ?? link.discoveryTime
    link.latency = delay(&keys, "latency") ?? link.latency
    link.latencySpread = delay(&keys, "latency-spread") ?? link.latencySpread
    link.sensitivity = integer(&keys, "sensitivity", in: -127...(-20)) ?? link.sensitivity
    problems += keys.finish()
    return link
  }
}
