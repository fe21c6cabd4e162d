// Changes of a running device, in the notation of a device file: an added fault, or a new
// advertisement.

package import Bluetooth
import Descriptions
public import Documents

extension DeviceFile {
  /// Parses a fault to add to a running device: a rule, or a named fault such as
  /// `{ fault: slow, on: read, by: 3s }` or `{ fault: lost-notifications, for: 3s }`.
  ///
  /// - Parameters:
  ///   - text: The rule, in YAML.
  ///   - device: The device that gets the fault.
  /// - file: The name of the text in error messages.
  /// - Returns: The actions that add the fault, with their delays from now.
  /// - Throws: `Problem` with all mistakes in the text, including a characteristic or a service
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

  /// Parses a change of a device's advertisement, such as
  /// `{ rssi: -70, manufacturer-data: { 0x004c: "02 15" } }`.
  ///
  /// - Parameters:
  ///   - text: Keys of an advertisement, in YAML. Fields without a key stay as they are.
  ///   - advertisement: The current advertisement.
  ///   - device: The advertising device.
  ///   - file: The name of the text in error messages.
  /// - Returns: The changed advertisement, and whether the text sets the RSSI or its spread.
  /// - Throws: `Problem` with all mistakes in the text.
  public static func parseAdvertisement(
    _ text: String, changing advertisement: AdvertisementDefinition, of device: DeviceDefinition,
    file: String = "advertisement"
  ) throws(Problem) -> (advertisement: AdvertisementDefinition, setsRSSI: Bool) {
    try readAdvertisement(request(text, file), changing: advertisement, of: device)
  }

  /// Reads a change of an advertisement from a node.
  static func readAdvertisement(
    _ root: Node, changing advertisement: AdvertisementDefinition, of device: DeviceDefinition
  ) throws(Problem) -> (advertisement: AdvertisementDefinition, setsRSSI: Bool) {
    var changed = advertisement
    if root.value(of: "manufacturer-data") != nil {
      changed.manufacturerData = []
      changed.templates.removeAll { if case .manufacturer = $0.field { true } else { false } }
    }
    if root.value(of: "service-data") != nil {
      changed.serviceData = []
      changed.templates.removeAll { if case .service = $0.field { true } else { false } }
    }
    try read(of: device) { reader in
      DeviceReader.readAdvertisement(root, into: &changed, &reader)
      reader.checkSize(of: changed, of: device, root)
    }
    return (changed, ["rssi", "rssi-spread"].contains { root.value(of: $0) != nil })
  }

  /// Encodes the fields of a described value, such as `{ sequence: 7, flags.tamper: true }`.
  ///
  /// - Parameters:
  ///   - text: The fields, in YAML or JSON. Those that are not given stay as they are.
  ///   - value: The value now.
  ///   - characteristic: The characteristic, whose values the device's names or a specification
  ///     describe.
  /// - Throws: `Problem` for a value that is not described, and for wrong fields.
  package static func parseFields(
    _ text: String, changing value: [UInt8], of characteristic: BluetoothUUID,
    at device: DeviceDefinition
  ) throws(Problem) -> [UInt8] {
    guard let description = device.names.description(of: characteristic) else {
      throw Problem("the values of the characteristic have no described fields")
    }
    let root = try request(text, "fields")
    let given = DecodedValue(written: root)
    let now = try? description.decode(value)
    return try description.octets(of: now?.changed(by: given) ?? given, in: root)
  }

  /// The fields of a value that the names of a device describe, as JSON; nil for values that they
  /// do not describe, and for one that cannot be decoded.
  package static func fields(
    of value: [UInt8], _ characteristic: BluetoothUUID, at device: DeviceDefinition
  ) -> String? {
    guard let description = device.names.description(of: characteristic), description.isOfUser,
      let decoded = try? description.decode(value)
    else { return nil }
    return JSONValue(decoded: decoded).text
  }

  private static func request(_ text: String, _ file: String) throws(Problem) -> Node {
    do throws(DocumentErrors) {
      return try Document.parse(text, file: file)
    } catch {
      throw Problem(allOf: error)
    }
  }

  /// Reads a part of the definition of an existing device.
  private static func read<Value>(
    of device: DeviceDefinition, _ body: (inout DeviceReader) -> Value
  ) throws(Problem) -> Value {
    var reader = DeviceReader(attributeNames: device.names)
    reader.machineVariables = KnownVariables(
      device.machines.flatMap(\.variables).map { ($0.name, $0.initial.kind) }
    )
    let value = body(&reader)
    reader.checkReferences(in: device)
    guard reader.problems.isEmpty else { throw Problem(allOf: DocumentErrors(reader.problems)) }
    return value
  }
}

extension Problem {
  /// Joins all problems of a text on one line.
  fileprivate init(allOf errors: DocumentErrors) {
    self.init(errors.problems.map(\.description).joined(separator: "; "))
  }
}

extension DecodedValue {
  /// The value with some of its fields replaced, also inside groups.
  fileprivate func changed(by given: DecodedValue) -> DecodedValue {
    guard case .fields(var fields) = self, case .fields(let new) = given else { return given }
    for field in new {
      if let index = fields.firstIndex(where: { $0.name == field.name }) {
        fields[index] = Field(field.name, fields[index].value.changed(by: field.value))
      } else {
        fields.append(field)
      }
    }
    return .fields(fields)
  }
}
