// The advertisements of a device in a device file, and its address.

import Bluetooth
import Documents

extension DeviceReader {
  static let advertisementShape = Shape.mapping(advertisementForm).named("advertisement")
    .beforeReading {
      $0.knownVariables = $0.advertisedVariables
    }

  /// The variables that advertised data may use without `with`: those of the machines, and those of
  /// every advertisement.
  private var advertisedVariables: KnownVariables {
    var names = machineVariables
    names.add(KnownVariables([("uptime", .number), ("sent", .number)]))
    return names
  }

  /// Changes an advertisement by the keys of a node. The data may use the advertisement's views
  /// without `with`.
  static func readAdvertisement(
    _ node: Node, into advertisement: inout AdvertisementDefinition, _ reader: inout DeviceReader
  ) {
    reader.knownVariables = reader.advertisedVariables
    reader.knownVariables.add(View.variables(advertisement.views))
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

  /// A mapping from a company or service to its data.
  private static func advertisedData(
    _ field: @escaping @Sendable (inout DeviceReader, Node.Entry) -> TemplateData.Field?
  ) -> DeviceShape<[TemplateData]> {
    let data = Schema.any([
      octetsText, ValueSchemas.templatePart, .list(of: ValueSchemas.templatePart),
    ])
    .named("dataField")
    return DeviceShape("a mapping", schema: .map(of: data)) { node, reader in
      reader.entries(node).compactMap { entry in
        guard let field = field(&reader, entry), let data = reader.data(entry.value) else {
          return nil
        }
        return TemplateData(field: field, value: data)
      }
    }
  }

  private static let octetsText = Schema([
    "type": ["string", "integer"], "description": "Pairs of hexadecimal digits: \"01 ff\".",
  ]).named("octets")

  /// Reads bytes as hexadecimal text, or as a value.
  private mutating func data(_ node: Node) -> ValueTemplate? {
    let isValue = node.mapping != nil || node.sequence?.first?.mapping != nil
    return isValue ? template(node, knownVariables) : hex(node).map { .octets($0) }
  }

  /// Reports advertisements that do not fit into a packet.
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

  /// The key of an entry as a node: a text, also where it is `null`.
  func name(_ entry: Node.Entry) -> Node {
    Node(.scalar(entry.key, isPlain: false), at: entry.keyPlace, path: entry.value.path)
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
        "who can resolve the address: paired hosts, or no host"
      ),
      DeviceKey(
        "every", \.every, .duration(.seconds(1)...FileLimits.period.upperBound), isRequired: true,
        "how long each address lasts"
      ),
    ]
  )
}

extension AdvertisementDefinition {
  /// Adds data: constant data as bytes, the rest as templates.
  fileprivate mutating func add(_ data: [TemplateData]) {
    for part in data {
      switch (part.field, part.value.fixedOctets) {
      case (.manufacturer(let company), let octets?):
        manufacturerData.append(ManufacturerData(company: company, octets: octets))
      case (.service(let service), let octets?):
        serviceData.append(ServiceData(service: service, octets: octets))
      case (.manufacturer, nil), (.service, nil): templates.append(part)
      }
    }
  }
}

extension ValueTemplate {
  /// The bytes of a value without variables; nil if it has variables.
  var fixedOctets: [UInt8]? {
    var all: [UInt8] = []
    for part in parts {
      guard case .octets(let octets) = part else { return nil }
      all += octets
    }
    return all
  }
}
