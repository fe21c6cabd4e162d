// What the answers to reads, writes and subscriptions mean.

import BlueZInterfaces
import Bluetooth

extension ErrorMapping {
  /// `NotPermitted`: five different things, told apart by the text.
  static func notPermitted(_ text: String, _ situation: ErrorSituation) -> Explanation {
    switch ErrorAnswer.notPermitted(text) {
    case .readNotPermitted: return refusal(ATTErrorCode(rawValue: 0x02))
    case .writeNotPermitted: return refusal(ATTErrorCode(rawValue: 0x03))
    case .notPaired: return .notPaired
    case .writeAcquired, .notifyAcquired:
      let what = text == ErrorAnswer.writeAcquired.text ? "writing" : "notifications"
      return .passing(
        .busy,
        situation.isWriterHere
          ? "a writer of this program has acquired this characteristic for writing"
          : "the characteristic is acquired by another program for \(what)",
        hint: situation.isWriterHere
          ? "write with that writer, or end it first"
          : "close the other program, or disconnect the device; if there is none, bluetoothd before "
            + "5.84 has kept an attempt that failed, and forgets it when the device is unpaired"
      )
    default:
      return .definite(
        .notPermitted,
        "bluetoothd does not permit this",
        hint: "see its log (journalctl -u bluetooth) for more"
      )
    }
  }

  /// `InvalidArguments` and its kin: offsets and lengths.
  static func invalid(_ text: String, _ situation: ErrorSituation) -> Explanation {
    switch text {
    case ErrorAnswer.invalidLength.text: return refusal(ATTErrorCode(rawValue: 0x0D))
    case ErrorAnswer.invalidOffset.text: return refusal(ATTErrorCode(rawValue: 0x07))
    default:
      return .definite(
        .invalidValue,
        "bluetoothd does not accept the arguments",
        hint: situation.call == .discovery
          ? "check the scan's filter" : "check the value and the options of the step"
      )
    }
  }

  /// The peer refused with an ATT error code.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.4.1.1 (Error codes); Core Specification
  ///   Supplement 11, Part B (Common profile and service error codes).
  static func refusal(_ code: ATTErrorCode) -> Explanation {
    switch code.rawValue {
    case 0x02:
      return .definite(
        .notPermitted,
        "the device does not let this attribute be read",
        hint: "blerun inspect shows what each characteristic offers"
      )
    case 0x03:
      return .definite(
        .notPermitted,
        "the device does not let this attribute be written",
        hint: "blerun inspect shows what each characteristic offers"
      )
    case 0x05, 0x0c, 0x0f:
      return .notPaired
    case 0x07:
      return .definite(
        .invalidValue,
        "the offset lies beyond the end of the value",
        hint: "read or write from the start of the value"
      )
    case 0x0b:
      return .definite(
        .refused,
        "the value fits into one answer, and this device lets only longer ones be read from an "
          + "offset",
        hint: "read it from the start"
      )
    case 0x0d:
      return .definite(
        .invalidValue,
        "the value has a length that the attribute does not accept",
        hint: "a value has at most 512 octets; see the device's documentation for its own limit"
      )
    case 0x0e:
      return .passing(
        .refused,
        "the device met an unlikely error, or did not answer within 30 s",
        hint:
          "try again; if it stays, restart the device; a protected attribute wants the device to be "
          + "paired first: a pair step, or blerun pair"
      )
    case 0x11, 0xfe:
      return .passing(
        .busy,
        "the device cannot do this now: \(code.meaning)",
        hint: "wait a moment and try again"
      )
    case 0x80...0x9f:
      return .definite(
        .refused,
        "the device refused with an error of its own application: \(code.meaning)",
        hint: "see the device's documentation for this code"
      )
    default:
      return .definite(
        .refused,
        "the device refused: \(code.meaning)",
        hint: "check the value and the order of the steps against the device's documentation"
      )
    }
  }
}
