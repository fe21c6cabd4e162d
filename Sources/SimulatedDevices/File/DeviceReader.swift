// The top of a device file: devices, advertisements, links.

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
  /// Characteristics of the present device.
  var count = 0

  mutating func devices(_ root: Node) -> [DeviceDefinition] {
    guard root.mapping?.contains(where: { $0.key == "devices" }) == true else {
      return [device(root)]
    }
    var keys = MappingReader(root)
    let nodes = list(keys.optional("devices"), "devices", atMost: FileLimits.devices)
    problems += keys.finish()
    var devices: [DeviceDefinition] = []
    for node in nodes {
      let problemsBefore = problems.count
      let device = device(node)
      if problems.count == problemsBefore, devices.contains(where: { $0.address == device.address })
      {
        problems.append(node.problem("another device has the address \(device.address)"))
      }
      devices.append(device)
    }
    if nodes.isEmpty { problems.append(root.problem("there is no device here")) }
    return devices
  }

  private mutating func device(_ node: Node) -> DeviceDefinition {
    references = []
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
    if let node = keys.optional("advertisement") { device.advertisement = advertisement(node) }
    if let node = keys.optional("link") { device.link = link(node) }
    if let node = keys.optional("security") { device.pairing = pairing(node) }
    let services = list(keys.optional("services"), "services", atMost: FileLimits.services)
    device.services = services.map { service($0) }
    let faults = list(keys.optional("faults"), "faults", atMost: FileLimits.faults)
    device.faults = faults.compactMap { fault($0) }
    problems += keys.finish()
    if count > FileLimits.characteristics {
      problems.append(
        node.problem("the device has more than \(FileLimits.characteristics) characteristics")
      )
    }
    checkReferences(in: device)
    return device
  }

  private mutating func advertisement(_ node: Node) -> AdvertisementDefinition {
    var keys = MappingReader(node)
    var result = AdvertisementDefinition()
    let services = list(keys.optional("services"), "services", atMost: FileLimits.services)
    result.services = services.compactMap { serviceUUID($0) }
    for entry in keys.optional("manufacturer-data").map({ entries($0) }) ?? [] {
      if let company = company(entry), let octets = hex(entry.value) {
        result.manufacturerData.append(ManufacturerData(company: company, octets: octets))
      }
    }
    for entry in keys.optional("service-data").map({ entries($0) }) ?? [] {
      let name = Node(
        .scalar(entry.key, isPlain: true),
        at: entry.keyPlace,
        path: entry.value.path
      )
      if let service = serviceUUID(name), let octets = hex(entry.value) {
        result.serviceData.append(ServiceData(service: service, octets: octets))
      }
    }
    let strengths = -127...20
    result.txPower = integer(&keys, "tx-power", in: strengths)
    result.rssi = integer(&keys, "rssi", in: strengths) ?? result.rssi
    result.rssiSpread = integer(&keys, "rssi-spread", in: 0...60) ?? result.rssiSpread
    let intervals = Duration.milliseconds(20)...Duration.milliseconds(10_240)
    result.interval =
      duration(&keys, "interval", in: intervals, "20ms to 10240ms") ?? result.interval
    result.isDiscoverable = truth(&keys, "discoverable") ?? result.isDiscoverable
    result.isConnectable = truth(&keys, "connectable") ?? result.isConnectable
    problems += keys.finish()
    return result
  }

  private mutating func company(_ entry: Node.Entry) -> UInt16? {
    let isPrefixed = entry.key.lowercased().hasPrefix("0x")
    let company =
      isPrefixed ? UInt16(entry.key.dropFirst(2), radix: 16) : UInt16(entry.key)
    if company == nil {
      problems.append(
        DocumentProblem(
          entry.keyPlace,
          path: entry.value.path,
          "'\(entry.key)' is no company identifier",
          expected: "a number from 0 to 0xffff"
        )
      )
    }
    return company
  }

  private mutating func link(_ node: Node) -> LinkDefinition {
    var keys = MappingReader(node)
    var link = LinkDefinition()
    link.mtu = integer(&keys, "mtu", in: 23...517) ?? link.mtu
    link.connectTime = delay(&keys, "connect-time") ?? link.connectTime
    link.discoveryTime = delay(&keys, "discovery-time") ?? link.discoveryTime
    link.latency = delay(&keys, "latency") ?? link.latency
    problems += keys.finish()
    return link
  }
}
