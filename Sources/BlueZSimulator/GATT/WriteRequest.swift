// How bluetoothd decides what kind of write a WriteValue is.

import BlueZInterfaces
import Bluetooth

/// A write as it goes to the device.
enum WriteRequest: Hashable, Sendable {
  /// Without an answer of the device.
  case command
  case request

  /// Decides, or says why not.
  ///
  /// A kind that was asked for is tried even where the characteristic does not offer it: the device
  /// decides.
  ///
  /// - Source: BlueZ 5.66, `src/gatt-client.c` (characteristic_write_value).
  static func decide(
    _ value: [UInt8],
    _ options: AccessOptions,
    _ properties: CharacteristicProperties,
    mtu: Int
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
