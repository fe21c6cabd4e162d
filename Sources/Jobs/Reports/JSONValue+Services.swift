// Services as JSON.

import Bluetooth

extension JSONValue {
  /// A service with its characteristics.
  init(_ service: GATTService) {
    let name = AssignedNumbers.serviceIdentifier(service.uuid)
    self = .object([
      ("uuid", .string(service.uuid.text)),
      ("name", name.map { .string($0) } ?? .null),
      ("handle", JSONValue(Int(service.handle))),
      ("primary", .boolean(service.isPrimary)),
      ("characteristics", .array(service.characteristics.map { JSONValue($0) })),
    ])
  }

  private init(_ characteristic: GATTCharacteristic) {
    let name = AssignedNumbers.characteristicIdentifier(characteristic.uuid)
    self = .object([
      ("uuid", .string(characteristic.uuid.text)),
      ("name", name.map { .string($0) } ?? .null),
      ("handle", JSONValue(Int(characteristic.handle))),
      ("flags", .array(characteristic.properties.flags.map { .string($0) })),
      (
        "descriptors",
        .array(
          characteristic.descriptors.map { descriptor in
            .object([
              ("uuid", .string(descriptor.uuid.text)),
              ("handle", JSONValue(Int(descriptor.handle))),
            ])
          }
        )
      ),
    ])
  }
}
