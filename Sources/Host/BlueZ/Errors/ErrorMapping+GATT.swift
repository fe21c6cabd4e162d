// The meanings of error replies to reads, writes and subscriptions.

import BlueZInterfaces
import Bluetooth

extension ErrorMapping {
  /// `NotPermitted`: five different errors, distinguished by the text.
  static func notPermitted(_ text: String, _ situation: ErrorSituation) -> Cause {
    switch ErrorAnswer.notPermitted(text) {
    case .readNotPermitted: return refusal(ATTErrorCode(rawValue: 0x02))
    case .writeNotPermitted: return refusal(ATTErrorCode(rawValue: 0x03))
    case .notPaired: return .notPaired
    case .writeAcquired, .notifyAcquired:
      let what = text == ErrorAnswer.writeAcquired.text ? "writing" : "notifications"
      return .transient(
        .busy,
        situation.isWriterHere
          ? "a writer of this program has acquired this characteristic for writing"
          : "the characteristic is acquired by another program for \(what)",
        hint: situation.isWriterHere
          ? "write with that writer, or end it first"
          : "close the other program, or disconnect the device; if there is none, bluetoothd "
            + "before 5.84 has kept a failed attempt: unpair the device to clear it"
      )
    // open: texts of bluetoothd
    default:
      return .permanent(
        .notPermitted, "bluetoothd does not permit this",
        hint: "see its log (journalctl -u bluetooth) for more"
      )
    }
  }

  /// `InvalidArguments` and related errors: offsets and lengths.
  static func invalid(_ text: String, _ situation: ErrorSituation) -> Cause {
    switch text {
    case ErrorAnswer.invalidLength.text: return refusal(ATTErrorCode(rawValue: 0x0D))
    case ErrorAnswer.invalidOffset.text: return refusal(ATTErrorCode(rawValue: 0x07))
    default:
      return .permanent(
        .invalidValue, "bluetoothd does not accept the arguments",
        hint: situation.call == .discovery
          ? "check the scan's filter" : "check the value and the options of the \(.step)"
      )
    }
  }

  /// The device does not know the attribute that bluetoothd has read from it.
  private static func staleCache(_ code: ATTErrorCode) -> Cause {
    .permanent(
      .refused, "the device refused: \(code.meaning)",
      hint:
        "if its firmware has changed, bluetoothd uses the services that it has cached: \(.fresh)"
    )
  }

  /// A subscription writes the configuration, which is what the device does not permit.
  static let configurationNotPermitted = Cause.permanent(
    .notPermitted,
    "the device does not permit writing the configuration that enables its notifications",
    hint: "\(.inspect) shows the descriptors: where a characteristic has no Client Characteristic "
      + "Configuration, bluetoothd takes its only descriptor for one"
  )

  /// The peer returned an ATT error code.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.4.1.1 (Error codes); Core Specification
  ///   Supplement 11, Part B (Common profile and service error codes).
  static func refusal(_ code: ATTErrorCode) -> Cause {
    switch code.rawValue {
    case 0x01, 0x12: return staleCache(code)
    case 0x02:
      return .permanent(
        .notPermitted, "the device does not permit reading this attribute",
        hint: "\(.inspect) shows what each characteristic offers"
      )
    case 0x03:
      return .permanent(
        .notPermitted, "the device does not permit writing this attribute",
        hint: "\(.inspect) shows what each characteristic offers"
      )
    case 0x05, 0x0c, 0x0f:
      return .notPaired
    case 0x07:
      return .permanent(
        .invalidValue, "the offset lies beyond the end of the value",
        hint: "read or write from the start of the value"
      )
    case 0x0b:
      return .permanent(
        .refused,
        "the value fits into one response; this device reads only longer values from an "
          + "offset",
        hint: "read it from the start"
      )
    case 0x0d:
      return .permanent(
        .invalidValue, "the value has a length that the attribute does not accept",
        hint: "a value has at most 512 bytes; see the device's documentation for its limit"
      )
    case 0x0e:
      return .transient(
        .refused, "the device reported an unlikely error, or did not respond within 30 s",
        hint:
          "try again; if it persists, restart the device; a protected attribute requires pairing "
          + "first: \(.pair)"
      )
    case 0x11, 0xfe:
      return .transient(
        .busy, "the device cannot do this now: \(code.meaning)",
        hint: "wait a moment and try again"
      )
    case 0x80...0x9f:
      return .permanent(
        .refused, "the device returned \(code.meaning)",
        hint: "see the device's documentation for this code"
      )
    default:
      return .permanent(
        .refused, "the device refused: \(code.meaning)",
        hint: "check the value and the order of the \(.step)s against the device's documentation"
      )
    }
  }
}
