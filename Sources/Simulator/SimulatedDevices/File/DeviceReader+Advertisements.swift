// The advertisements of a device in a device file, and its address.

import Bluetooth
import Documents

extension DeviceReader {
  static let advertisementShape = Shape.mapping(advertisementForm).named("advertisement").after {
    $0.names = $0.advertisedNames
  }

  /// The names that advertised data may use without `with`: the variables of the machines, and those that
  /// every advertisement has.
  private var advertisedNames: KnownNames {
    var names = machineVariables
    names.add(KnownNames([("uptime", .number), ("sent", .number)]))
    return names
  }

  /// Reads keys of an advertisement into one. Names that it has may be used without `with`.
  static func readAdvertisement(
    _ node: Node, into advertisement: inout AdvertisementDefinition, _ reader: inout DeviceReader
  ) {
    reader.names = reader.advertisedNames
    reader.names.add(View.names(advertisement.views))
    advertisementForm.read(node, into: &advertisement, &reader)
  }

  static let advertisementForm = DeviceForm<AdvertisementDefinition>(
    "What it advertises.",
    AdvertisementDefinition(),
    [
      DeviceKey("name", \.includesName, .truth, "whether name and appearance are in it"),
      DeviceKey(
        "services",
        \.services,
        DeviceShape<BluetoothUUID>.service.list(of: "services", 0...FileLimits.services),
        "names or UUIDs of services"
      ),
      DeviceKey(
        "with", \.views, .views, usual: "",
        "names for values of the device, for the data: see [Values with names](#values-with-names)"
      ),
      DeviceKey(
        "manufacturer-data",
        advertisedData { reader, entry in reader.company(entry).map { .manufacturer($0) } },
        usual: "none", "company identifier to bytes: `{ 0x004c: \"02 15\" }`, or to a value"
      ) { advertisement, data, _ in advertisement.add(data) },
      DeviceKey(
        "service-data",
        advertisedData { reader, entry in
          reader.uuid(reader.name(entry), of: .service).map { .service($0) }
        },
        usual: "none", "service to bytes: `{ battery: \"57\" }`, or to a value"
      ) { advertisement, data, _ in advertisement.add(data) },
      DeviceKey(
        "tx-power", \.txPower, .integer(strengths), usual: "not advertised",
        "the advertised TX power, dBm"
      ),
      DeviceKey(
        "rssi", \.signal, .signal, usual: "-60",
        "its RSSI, dBm; or how its RSSI changes: see [Strength](#strength)"
      ),
      DeviceKey(
        "rssi-spread",
        \.rssiSpread,
        .integer(0...60),
        "the random deviation of each RSSI to either side, dB"
      ),
      DeviceKey(
        "interval",
        \.interval,
        .duration(.milliseconds(20) ... .milliseconds(10_240)),
        "the advertising interval"
      ),
      DeviceKey("connectable", \.isConnectable, .truth, "whether it accepts connections"),
      DeviceKey(
        "extended", \.isExtended, .truth,
        "whether it is an extended advertisement, of up to 1650 bytes; others have 31, and 31 in the scan response"
      ),
    ]
  )

  /// A mapping of whose data to the data itself.
  private static func advertisedData(
    _ field: @escaping @Sendable (inout DeviceReader, Node.Entry) -> LiveData.Field?
  ) -> DeviceShape<[LiveData]> {
    let data = Schema.any([
      octetsText, ValueSchemas.templatePart, .list(of: ValueSchemas.templatePart),
    ])
    .named("dataField")
    return DeviceShape("a mapping", schema: .map(of: data)) { node, reader in
      reader.entries(node).compactMap { entry in
        guard let field = field(&reader, entry), let data = reader.data(entry.value) else {
          return nil
        }
        return LiveData(field: field, value: data)
      }
    }
  }

  private static let octetsText = Schema([
    "type": ["string", "integer"], "description": "Pairs of hexadecimal digits: \"01 ff\".",
  ]).named("octets")

  /// Octets as text of pairs of digits, or a value.
  private mutating func data(_ node: Node) -> ValueTemplate? {
    let isValue = node.mapping != nil || node.sequence?.first?.mapping != nil
    return isValue ? template(node, names) : hex(node).map { .octets($0) }
  }

  /// Complains of the advertisements of a device that no packets hold.
  mutating func checkSizes(of device: DeviceDefinition, _ node: Node) {
    let nodes = (node.value(of: "advertisements") ?? node.value(of: "advertisement"))?.several
    for (index, advertisement) in device.advertisements.enumerated() {
      let isListed = nodes?.indices.contains(index) == true
      checkSize(of: advertisement, of: device, isListed ? nodes?[index] ?? node : node)
    }
  }

  mutating func checkSize(
    of advertisement: AdvertisementDefinition, of device: DeviceDefinition, _ node: Node
  ) {
    guard let problem = AdvertisementSize(advertisement, of: device).problem else { return }
    problems.append(node.problem(problem.message, expected: problem.expected))
  }

  /// The key of an entry as a node.
  func name(_ entry: Node.Entry) -> Node {
    Node(.scalar(entry.key, isPlain: true), at: entry.keyPlace, path: entry.value.path)
  }

  private mutating func company(_ entry: Node.Entry) -> UInt16? {
    let isPrefixed = entry.key.lowercased().hasPrefix("0x")
    let company =
      isPrefixed ? UInt16(entry.key.dropFirst(2), radix: 16) : UInt16(entry.key)
    if company == nil {
      problems.append(
        name(entry).problem(
          "invalid company identifier '\(entry.key)'", expected: "a number from 0 to 0xffff"
        )
      )
    }
    return company
  }

  // MARK: Address

  /// `private-address: { kind: resolvable, every: 15m }`.
  static let privateAddressForm = DeviceForm<PrivateAddress>(
    "Addresses that hide who it is.",
    PrivateAddress(every: .seconds(900)),
    [
      DeviceKey(
        "kind",
        \.kind,
        .word,
        "who can resolve the address: paired hosts, or nobody"
      ),
      DeviceKey(
        "every", \.every, .duration(.seconds(1)...FileLimits.period.upperBound), isRequired: true,
        "how long each address lasts"
      ),
    ]
  )
}

extension AdvertisementDefinition {
  /// Adds data: that without any names stays as it is.
  fileprivate mutating func add(_ data: [LiveData]) {
    for part in data {
      switch (part.field, part.value.fixedOctets) {
      case (.manufacturer(let company), let octets?):
        manufacturerData.append(ManufacturerData(company: company, octets: octets))
      case (.service(let service), let octets?):
        serviceData.append(ServiceData(service: service, octets: octets))
      case (.manufacturer, nil), (.service, nil): live.append(part)
      }
    }
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
