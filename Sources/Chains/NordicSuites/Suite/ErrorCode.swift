// The error codes of suites.

public import Bluetooth

/// The failures that an error code of a suite means.
///
/// bluetoothd reports several codes as one, and others only by a name: codes that cannot be
/// distinguished count as equal. A write that the characteristic does not offer is not sent: it counts
/// as 3, which the device would answer. Beyond ATT error codes, 133 is any failure without a code, and
/// 8, 19 and 22 are also a lost connection.
///
/// - Source: BlueZ, `src/gatt-client.c` (create_gatt_dbus_error); Android,
///   `stack/include/gatt_api.h`.
struct ErrorCode {
  /// What the device answered, where that is known.
  let att: [Int]
  /// The failures where it is not; nil for any.
  let failures: [DeviceFailure.Code]?

  init(_ code: Int) {
    att = [5, 12, 15].contains(code) ? [5, 12, 15] : [code]
    failures =
      switch code {
      case 5, 12, 15: [.notPaired]
      case 3, 6: [.notSupported]
      case 8: [.notPermitted, .linkLost]
      case 13: [.invalidValue]
      case 19, 22: [.linkLost]
      case 133: nil
      default: []
      }
  }

  /// Whether a failure has the code.
  func includes(_ failure: DeviceFailure) -> Bool {
    if let answer = failure.att { return att.contains(Int(answer.rawValue)) }
    return failures?.contains(failure.code) ?? true
  }

  /// The names of the failures in a chain; nil where it has none for them.
  var names: [String]? {
    guard let failures, att.allSatisfy({ (1...255).contains($0) }) else { return nil }
    return att.map { ATTErrorCode(rawValue: UInt8($0)).identifier } + failures.map(\.rawValue)
  }
}

extension DeviceFailure.Code {
  /// A target of a suite that is not bound to a device.
  public static let targetNotBound = Self(rawValue: "target-not-bound")
}
