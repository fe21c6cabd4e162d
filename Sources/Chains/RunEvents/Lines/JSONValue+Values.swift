// The JSON of values and services of devices.

public import Bluetooth
import Descriptions
public import Documents

extension JSONValue {
  /// Creates the JSON of a decoded value: fields as an object, bytes as hexadecimal digits.
  ///
  /// ```swift
  /// let report = try await plan.run(on: sensor)
  /// for (name, value) in report.captured { print(name, JSONValue(value).text) }
  /// ```
  public init(_ value: DecodedValue) { self.init(decoded: value) }
}

extension JSONValue {
  package init(_ service: GATTService, _ names: AttributeNames) {
    self.init([
      "uuid": service.uuid.text, "name": names.name(of: service.uuid, .service),
      "handle": service.handle, "primary": service.isPrimary,
      "characteristics": service.characteristics.map { JSONValue($0, names) },
    ])
  }

  private init(_ characteristic: GATTCharacteristic, _ names: AttributeNames) {
    self.init([
      "uuid": characteristic.uuid.text,
      "name": names.name(of: characteristic.uuid, .characteristic),
      "handle": characteristic.handle, "flags": characteristic.properties.flags,
      "descriptors": characteristic.descriptors.map {
        JSONValue(["uuid": $0.uuid.text, "handle": $0.handle])
      },
    ])
  }
}
