// Changes of a device that runs, written as in a device file: a fault, or what it advertises.

public import Documents

extension DeviceFile {
  /// Reads a fault to add to a device that runs: a rule, or a named fault such as
  /// `{ fault: slow, on: read, by: 3s }` or `{ fault: lost-notifications, for: 3s }`.
  ///
  /// - Parameters:
  ///   - text: The rule, in YAML.
  ///   - device: The device that gets the fault.
  ///   - file: What the text is called in complaints.
  /// - Returns: The actions that add it, with their delays from now on.
  /// - Throws: `Problem` with everything that is wrong, also with a characteristic or a service
  ///   that the device does not have.
  public static func parseFault(
    _ text: String, of device: DeviceDefinition, file: String = "fault"
  ) throws(Problem) -> [TimedAction] {
    let root = try request(text, file)
    return try read(of: device) { reader in
      reader.scenario.devices = [device]
      reader.scenario.targets = [0]
      return reader.fault(root, in: .request)?.actions(on: device.address) ?? []
    }
  }

  /// Reads a change of what a device advertises, such as
  /// `{ rssi: -70, manufacturer-data: { 0x004c: "02 15" } }`.
  ///
  /// - Parameters:
  ///   - text: Keys of an advertisement, in YAML. What a key is not given for stays as it is.
  ///   - advertisement: What the device advertises now.
  ///   - device: The device that advertises it.
  ///   - file: The name of the text in error messages.
  /// - Returns: The changed advertisement, and whether the text sets the RSSI or its spread.
  /// - Throws: `Problem` with everything that is wrong.
  public static func parseAdvertisement(
    _ text: String, changing advertisement: AdvertisementDefinition, of device: DeviceDefinition,
    file: String = "advertisement"
  ) throws(Problem) -> (advertisement: AdvertisementDefinition, setsRSSI: Bool) {
    try readAdvertisement(request(text, file), changing: advertisement, of: device)
  }

  /// Reads the same of a node.
  static func readAdvertisement(
    _ root: Node, changing advertisement: AdvertisementDefinition, of device: DeviceDefinition
  ) throws(Problem) -> (advertisement: AdvertisementDefinition, setsRSSI: Bool) {
    var changed = advertisement
    if root.value(of: "manufacturer-data") != nil {
      changed.manufacturerData = []
      changed.live.removeAll { if case .manufacturer = $0.field { true } else { false } }
    }
    if root.value(of: "service-data") != nil {
      changed.serviceData = []
      changed.live.removeAll { if case .service = $0.field { true } else { false } }
    }
    try read(of: device) { reader in
      DeviceReader.readAdvertisement(root, into: &changed, &reader)
      reader.checkSize(of: changed, of: device, root)
    }
    return (changed, ["rssi", "rssi-spread"].contains { root.value(of: $0) != nil })
  }

  private static func request(_ text: String, _ file: String) throws(Problem) -> Node {
    do throws(DocumentErrors) {
      return try Document.parse(text, file: file)
    } catch {
      throw Problem(allOf: error)
    }
  }

  /// Reads something about a device that is there already.
  private static func read<Value>(
    of device: DeviceDefinition, _ body: (inout DeviceReader) -> Value
  ) throws(Problem) -> Value {
    var reader = DeviceReader(attributeNames: device.names)
    reader.machineVariables = KnownNames(
      device.machines.flatMap(\.variables).map { ($0.name, $0.initial.kind) }
    )
    let value = body(&reader)
    reader.checkReferences(in: device)
    guard reader.problems.isEmpty else { throw Problem(allOf: DocumentErrors(reader.problems)) }
    return value
  }
}

extension Problem {
  /// Everything that is wrong with a text, on one line.
  fileprivate init(allOf errors: DocumentErrors) {
    self.init(errors.problems.map(\.description).joined(separator: "; "))
  }
}
