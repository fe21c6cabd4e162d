// Selects the kind of a write as bluetoothd does.

import BlueZInterfaces
import Bluetooth

/// A write as it is sent to the device.
enum WriteRequest: Hashable, Sendable {
  case command
  case request

  /// Selects the kind, or returns the error.
  ///
  /// A requested kind is used even if the characteristic does not list it: the device decides.
  ///
  /// - Source: BlueZ 5.66, `src/gatt-client.c` (characteristic_write_value).
  static func decide(
    _ value: [UInt8], _ options: AccessOptions, _ properties: CharacteristicProperties, mtu: Int
  ) -> Result<WriteRequest, ErrorAnswer> {
    let kind: WriteRequest
    switch options.type {
    case GattCharacteristic1.WriteType.command?: kind = .command
    case GattCharacteristic1.WriteType.request?, GattCharacteristic1.WriteType.reliable?:
      kind = .request
    case .some: return .failure(.notSupported)
    case nil:
      if !properties.isDisjoint(with: [.reliableWrite, .write]) {
        kind = .request
      } else if properties.contains(.writeWithoutResponse) {
        kind = .command
      } else {
        return .failure(.notSupported)
      }
    }
    switch kind {
    case .command:
      if options.offset != 0 { return .failure(.notSupported) }
      if value.count > mtu - 3 { return .failure(.writeNotInitiated) }
    case .request:
      if value.count > GattCharacteristic1.longestValue {
        return .failure(.invalidLength)
      }
    }
    return .success(kind)
  }
}
