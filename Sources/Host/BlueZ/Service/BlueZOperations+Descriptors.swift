// Reading and writing descriptors.

import BlueZInterfaces
import Bluetooth
import DBus

extension BlueZOperations {
  func readDescriptor(_ selector: DescriptorSelector) async throws -> [UInt8] {
    try await explaining(.read, "reading \(selector)", attribute: selector.description) {
      let (view, calls) = try descriptor(selector)
      let reply = try await calls.call(.bluez(view.path, GattDescriptor1.readValue, [:]))
      return try CharacteristicChannel.checked(reply.output(of: GattDescriptor1.readValue))
    }
  }

  func writeDescriptor(_ value: [UInt8], to selector: DescriptorSelector) async throws {
    try await explaining(.write, "writing \(selector)", attribute: selector.description) {
      guard value.count <= GattCharacteristic1.longestValue else {
        throw Cause.tooLong(octets: value.count)
      }
      let (view, calls) = try descriptor(selector)
      guard view.uuid != .clientCharacteristicConfiguration else {
        throw Cause.configurationWrite(view.characteristic)
      }
      _ = try await calls.call(.bluez(view.path, GattDescriptor1.writeValue, (value, [:])))
    }
  }

  private func descriptor(
    _ selector: DescriptorSelector
  ) throws -> (DescriptorView, AttributeCalls) {
    let device = try linkedDevice()
    let view = try client.look { try selector.resolved(in: $0, of: device) }
    return (view, link(to: device).calls)
  }
}

extension Cause {
  /// - Source: BlueZ, `src/gatt-client.c` (descriptor_write_value).
  static func configurationWrite(_ characteristic: CharacteristicView) -> Cause {
    permanent(
      .notPermitted,
      "bluetoothd manages the Client Characteristic Configuration, and rejects writes to it",
      hint: "subscribe (\(.subscribe)): that writes it, for notifications or indications as the "
        + "characteristic offers"
    )
  }
}
