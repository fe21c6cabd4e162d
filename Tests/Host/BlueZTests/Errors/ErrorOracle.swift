// Every error reply in every situation, and its meaning, compared with Tests/Golden/errors.txt.

import BlueZInterfaces
import Bluetooth
import DBus
import Fixtures
import Foundation
import Testing

@testable import BlueZ

@Suite("Recorded meanings of errors")
struct ErrorOracleTests {
  @Test(
    "each error in each situation has the recorded meaning; UPDATE_GENERATED=1 records them again")
  func recorded() throws {
    let path = projectFolder + "/Tests/Golden/errors.txt"
    let made = ErrorOracle.text()
    if ProcessInfo.processInfo.environment["UPDATE_GENERATED"] != nil {
      return try made.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let found = made.split(separator: "\n")
    #expect(found.count == lines.count)
    for (found, recorded) in zip(found, lines) where found != recorded {
      #expect(found == recorded)
    }
  }
}

enum ErrorOracle {
  /// The names of bluetoothd whose text does not matter.
  private static let names = [
    "InvalidArguments", "InProgress", "AlreadyExists", "NotSupported", "NotConnected",
    "AlreadyConnected", "NotAvailable", "DoesNotExist", "NotAuthorized", "NotPermitted",
    "NoSuchAdapter", "AgentNotAvailable", "NotReady", "Failed", "Blocked", "Busy", "InvalidLength",
    "InvalidValueLength", "InvalidOffset", "AuthenticationCanceled", "AuthenticationFailed",
    "AuthenticationRejected", "AuthenticationTimeout", "ConnectionAttemptFailed", "Rejected",
    "Canceled", "BREDR.ProfileUnavailable", "NotInAnyRelease",
  ]

  private static let busNames = [
    "Failed", "NoReply", "Timeout", "TimedOut", "Disconnected", "ServiceUnknown", "NameHasNoOwner",
    "UnknownObject", "UnknownInterface", "UnknownMethod", "UnknownProperty", "PropertyReadOnly",
    "InvalidArgs", "InvalidSignature", "AccessDenied", "AuthFailed", "LimitsExceeded", "NoMemory",
    "NoServer", "NoNetwork", "IOError", "InconsistentMessage", "Spawn.ChildExited",
    "NotInAnyRelease",
  ]

  /// The texts of `Failed`.
  private static let texts = [
    "Not connected", "No ATT transport", "Operation already in progress", "Input/output error",
    "Failed to initiate write", "No discovery started", "No notify session started", "Not Powered",
    "Not paired", "Operation failed", "Host is down", "No route to host", "Connection timed out",
    "Software caused connection abort", "Connection refused", "Connection reset by peer",
    "Transport endpoint is not connected", "Device or resource busy", "Operation now in progress",
    "Resource temporarily unavailable", "Network is down", "No such device",
    "Operation not permitted", "Permission denied", "Operation failed with ATT error: 0x",
    "Operation failed with ATT error: 0x100", "Not in any release",
  ]

  private static let reasons = [
    "invalid-arguments", "adapter-not-powered", "not-supported", "already-connected", "bad-socket",
    "memory-allocation", "busy", "refused", "create-socket", "timeout",
    "concurrent-connection-limit", "abort-by-remote", "abort-by-local",
    "link-layer-protocol-error", "gatt-browsing", "key-missing", "unknown", "canceled",
    "profile-unavailable", "page-timeout", "sdp-search", "not-in-any-release",
  ]

  /// Every error reply that bluetoothd or the bus is known to send, and some that neither sends.
  static let answers: [ErrorAnswer] = {
    var all = names.map { ErrorAnswer("org.bluez.Error.\($0)", "") }
    all += names.map { ErrorAnswer("org.bluez.Error.\($0)", "a text") }
    all += busNames.map { ErrorAnswer("org.freedesktop.DBus.Error.\($0)", "a text") }
    all += [.recipientLeft, ErrorAnswer("com.example.Error", "")]
    all += texts.map { .failed($0) }
    for reason in reasons {
      all += [.failed("le-connection-\(reason)"), .failed("br-connection-\(reason)")]
    }
    all += [
      .invalidProfile,
      ErrorAnswer("org.bluez.Error.BREDR.ProfileUnavailable", "br-connection-profile-unavailable"),
    ]
    // As bluetoothd words the errors of BR/EDR connections, and as a later release may.
    for (name, reason) in [
      ("AlreadyConnected", "already-connected"), ("InProgress", "busy"),
      ("NotReady", "adapter-not-powered"), ("NotSupported", "not-supported"),
      ("ConnectionAttemptFailed", "page-timeout"),
    ] {
      all += [reason, "not-in-any-release"].map {
        ErrorAnswer("org.bluez.Error.\(name)", "br-connection-\($0)")
      }
    }
    for text in ["Read not permitted", "Write not permitted", "Not paired"] {
      all.append(.notPermitted(text))
    }
    all += [.writeAcquired, .notifyAcquired]
    for name in ["InvalidArguments", "InvalidLength", "InvalidValueLength", "InvalidOffset"] {
      all += ["Invalid offset", "Invalid Length"].map { ErrorAnswer("org.bluez.Error.\(name)", $0) }
    }
    let unnamed: [UInt8] = [0x00, 0x14, 0x7f, 0x80, 0x9f, 0xa0, 0xfb]
    all += (ATTErrorCode.named.map(\.rawValue) + unnamed).map { code in
      let digits = String(code, radix: 16)
      return .failed(
        "Operation failed with ATT error: 0x\(digits.count < 2 ? "0" : "")\(digits)")
    }
    return all
  }()

  static let calls: [ErrorSituation.Call] = [
    .connect, .disconnect, .discovery, .read, .write, .notify, .pair, .acquireNotify, .acquireWrite,
    .objects,
  ]

  /// The situations in which the same error may have different causes.
  static let situations: [ErrorSituation] = calls.flatMap { call in
    (0..<16).map { flags in
      var situation = ErrorSituation(
        call, isLinkDown: flags & 1 != 0, isAdapterOff: flags & 8 != 0)
      situation.wasDisconnected = flags & 2 != 0
      situation.isWriteAcquiredLocally = flags & 4 != 0
      return situation
    }
  }

  /// The causes with their numbers; then for each error what Connect does after it, with the adapter
  /// on and off, and the number of its cause in each situation. `7*16` is 16 situations with cause 7.
  static func text() -> String {
    var numbers: [String: Int] = [:]
    var causes: [String] = []
    var lines: [String] = []
    for answer in answers {
      var runs: [(number: Int, count: Int)] = []
      for situation in situations {
        let cause = ErrorMapping.explain(answer, situation)
        let text =
          "\(cause.code.rawValue) \(cause.failureClass.rawValue) | \(cause.meaning) | \(cause.hint)"
        let number = numbers[text] ?? causes.count
        if number == causes.count {
          numbers[text] = number
          causes.append(text)
        }
        if runs.last?.number == number {
          runs[runs.count - 1].count += 1
        } else {
          runs.append((number, 1))
        }
      }
      let attempts = [false, true].map {
        "\(ConnectAttempts.Failing(answer.dbusError, isAdapterOff: $0))"
      }
      let code = answer.refusal.attErrorCode.map { "\($0.rawValue)" } ?? "-"
      lines.append(
        "\(answer.name) \"\(answer.text)\" | \(attempts[0]) \(attempts[1]) | \(code) | "
          + runs.map { $0.count > 1 ? "\($0.number)*\($0.count)" : "\($0.number)" }
          .joined(separator: " ")
      )
    }
    let numbered = causes.enumerated().map { "\($0.offset) \($0.element)" }
    return (numbered + [""] + lines).joined(separator: "\n") + "\n"
  }
}
