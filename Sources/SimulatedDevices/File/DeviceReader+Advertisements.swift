// What a device file says that a device sends to everybody, and under which address.

import Bluetooth
import Documents

extension DeviceReader {
  /// `advertisement`, or `advertisements`, of a device.
  mutating func advertisements(_ keys: inout MappingReader) -> [AdvertisementDefinition] {
    let one = keys.optional("advertisement")
    let several = keys.optional("advertisements")
    if let one, several != nil {
      problems.append(one.problem("'advertisement' and 'advertisements' exclude each other"))
    }
    if let one { return [advertisement(one)] }
    guard let several else { return [AdvertisementDefinition()] }
    let nodes = list(several, "advertisements", atMost: FileLimits.advertisements)
    if several.isNull || several.sequence?.isEmpty == true {
      problems.append(several.problem("there is at least one advertisement"))
    }
    let found = nodes.map { advertisement($0) }
    return found.isEmpty ? [AdvertisementDefinition()] : found
  }

  private mutating func advertisement(_ node: Node) -> AdvertisementDefinition {
    var keys = MappingReader(node)
    var result = AdvertisementDefinition()
    result.includesName = truth(&keys, "name") ?? result.includesName
    let services = list(keys.optional("services"), "services", atMost: FileLimits.services)
    result.services = services.compactMap { serviceUUID($0) }
    result.views = views(keys.optional("with"))
    var names = KnownNames([("uptime", .number), ("sent", .number)])
    names.add(View.names(result.views))
    for entry in keys.optional("manufacturer-data").map({ entries($0) }) ?? [] {
      guard let company = company(entry), let data = data(entry.value, names) else { continue }
      if let octets = data.fixedOctets {
        result.manufacturerData.append(ManufacturerData(company: company, octets: octets))
      } else {
        result.live.append(LiveData(.manufacturer(company), value: data))
      }
    }
    for entry in keys.optional("service-data").map({ entries($0) }) ?? [] {
      let name = Node(
        .scalar(entry.key, isPlain: true),
        at: entry.keyPlace,
        path: entry.value.path
      )
      guard let service = serviceUUID(name), let data = data(entry.value, names) else { continue }
      if let octets = data.fixedOctets {
        result.serviceData.append(ServiceData(service: service, octets: octets))
      } else {
        result.live.append(LiveData(.service(service), value: data))
      }
    }
    let strengths = -127...20
    result.txPower = integer(&keys, "tx-power", in: strengths)
    if let node = keys.optional("rssi") { strength(node, &result) }
    result.rssiSpread = integer(&keys, "rssi-spread", in: 0...60) ?? result.rssiSpread
    let intervals = Duration.milliseconds(20)...Duration.milliseconds(10_240)
    result.interval =
      duration(&keys, "interval", in: intervals, "20ms to 10240ms") ?? result.interval
    result.isDiscoverable = truth(&keys, "discoverable") ?? result.isDiscoverable
    result.isConnectable = truth(&keys, "connectable") ?? result.isConnectable
    problems += keys.finish()
    return result
  }

  /// Octets as text of pairs of digits, or a value.
  private mutating func data(_ node: Node, _ names: KnownNames) -> ValueTemplate? {
    let isValue = node.mapping != nil || node.sequence?.first?.mapping != nil
    return isValue ? template(node, names) : hex(node).map { .octets($0) }
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

  // MARK: Address

  /// `private-address: { kind: resolvable, every: 15m }`.
  mutating func privateAddress(_ node: Node) -> PrivateAddress {
    var keys = MappingReader(node)
    let kind: PrivateAddress.Kind? = keys.optional("kind").flatMap { node in
      word(node, PrivateAddress.Kind.allCases.map(\.rawValue))
    }
    let every = keys.required("every", expected: "a duration from 1s to 24h") { node in
      node.duration.flatMap { (.seconds(1)...FileLimits.period.upperBound).contains($0) ? $0 : nil }
    }
    problems += keys.finish()
    return PrivateAddress(kind ?? .resolvable, every: every ?? .seconds(900))
  }
}

extension ValueTemplate {
  /// The octets of a value without any names; nil with some.
  var fixedOctets: [UInt8]? {
    var all: [UInt8] = []
    for part in parts {
      guard case .octets(let octets) = part else { return nil }
      all += octets
    }
    return all
  }
}
