// How bluetoothd words the ATT error codes that a peer returns.

package import Bluetooth

extension ErrorAnswer {
  private static let attPrefix = "Operation failed with ATT error: 0x"

  /// The answer to a request that the peer refused with an ATT error code.
  ///
  /// - Source: BlueZ 5.66, `src/gatt-client.c` (create_gatt_dbus_error); recorded from bluetoothd.
  package static func refused(by code: ATTErrorCode) -> ErrorAnswer {
    switch code.rawValue {
    case 0x00: return operationFailed
    case 0x02: return readNotPermitted
    case 0x03: return writeNotPermitted
    case 0x05, 0x0c, 0x0f: return notPaired
    case 0x06: return notSupported
    case 0x07: return invalidOffset
    case 0x08: return notAuthorized
    case 0x0d: return invalidLength
    default:
      let digits = String(code.rawValue, radix: 16)
      return failed(attPrefix + (digits.count < 2 ? "0" : "") + digits)
    }
  }

  /// The ATT error code behind an error reply to a GATT call; nil when the reply carries none.
  ///
  /// `Not paired` is the text for three codes; this returns Insufficient Authentication. A reply
  /// that bluetoothd also sends for reasons of its own, such as `Operation is not supported`, is
  /// not read as a code.
  package var attErrorCode: ATTErrorCode? {
    switch self {
    case .readNotPermitted: return ATTErrorCode(rawValue: 0x02)
    case .writeNotPermitted: return ATTErrorCode(rawValue: 0x03)
    case .notPaired: return ATTErrorCode(rawValue: 0x05)
    case .invalidOffset: return ATTErrorCode(rawValue: 0x07)
    // open: errors of bluetoothd
    default:
      guard name == BlueZErrorName.failed, text.hasPrefix(Self.attPrefix) else { return nil }
      return UInt8(text.dropFirst(Self.attPrefix.count), radix: 16)
        .flatMap { ATTErrorCode(rawValue: $0) }
    }
  }
}
