// The error codes of suites, and the failures that they stand for.

public import Bluetooth
import Jobs

/// The failures that an error code of a suite means.
///
/// bluetoothd reports several codes as one error, and some only by a name. Codes that cannot be told apart
/// count as equal. A write that the characteristic does not support is not sent; it counts as 3, which the
/// device would answer. Besides ATT error codes, 133 is any failure without a code, and 8, 19 and 22 also
/// stand for a lost connection.
///
/// - Source: BlueZ, `src/gatt-client.c` (create_gatt_dbus_error); Android,
///   `stack/include/gatt_api.h`.
struct ErrorCode {
  /// The matching ATT error codes, if the device's answer is known.
  let att: [Int]
  /// The matching failures, if the answer is not known; nil for any failure.
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

  /// Whether the code stands for a failure.
  func includes(_ failure: DeviceFailure) -> Bool {
    if let answer = failure.att { return att.contains(Int(answer.rawValue)) }
    return failures?.contains(failure.code) ?? true
  }

  /// The names of the failures in a chain; nil if it has no names for them.
  var names: [String]? {
    guard let failures, att.allSatisfy({ (1...255).contains($0) }) else { return nil }
    let reported = att.map { ATTErrorCode(rawValue: UInt8($0)) }
      .filter { ExpectedFailure.Name.unreported[$0] == nil }
    return reported.map(\.identifier) + failures.map(\.rawValue)
  }
}

extension DeviceFailure.Code {
  /// A target of a suite is not bound to a device.
  public static let targetNotBound = Self(rawValue: "target-not-bound")
}
