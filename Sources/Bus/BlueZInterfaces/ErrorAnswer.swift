// The error replies of bluetoothd: name and text, as sent on the bus.
//
// Data only. Refusal tells them apart; the client decides what they mean to a user.

package import Bluetooth
package import DBus

/// One error reply: the D-Bus error name and its text.
///
/// The texts are part of the interface in practice: half of bluetoothd's failures have the name
/// `org.bluez.Error.Failed` and differ only in the text.
package struct ErrorAnswer: Error, Hashable, Sendable {
  /// The D-Bus error name.
  package let name: String
  /// The text, exactly as bluetoothd sends it.
  package let text: String

  package init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
  }

  /// `org.bluez.Error.Failed` with a text.
  package static func failed(_ text: String) -> ErrorAnswer {
    ErrorAnswer(BlueZErrorName.failed, text)
  }

  /// Whether only the text identifies the error.
  package var isFailed: Bool { name == BlueZErrorName.failed }
}

// MARK: Errors with a fixed text

/// - Source: BlueZ 5.66, `src/error.c`; the lines marked "seen" were recorded from bluetoothd 5.66.
extension ErrorAnswer {
  package static let invalidArguments = ErrorAnswer(
    BlueZErrorName.invalidArguments, "Invalid arguments in method call"
  )
  package static let inProgress = ErrorAnswer(BlueZErrorName.inProgress, "In Progress")
  /// Seen: StartDiscovery of a client that already discovers.
  package static let operationInProgress = ErrorAnswer(
    BlueZErrorName.inProgress, "Operation already in progress"
  )
  package static let alreadyExists = ErrorAnswer(BlueZErrorName.alreadyExists, "Already Exists")
  package static let alreadyPaired = ErrorAnswer(BlueZErrorName.alreadyExists, "Already Paired")
  /// Seen: ConnectProfile with a name that is no profile's, since 5.80.
  package static let invalidProfile = ErrorAnswer(
    BlueZErrorName.invalidArguments, "br-connection-invalid-argument"
  )
  package static let notSupported = ErrorAnswer(
    BlueZErrorName.notSupported, "Operation is not supported"
  )
  package static let notConnected = ErrorAnswer(BlueZErrorName.notConnected, "Not Connected")
  package static let alreadyConnected = ErrorAnswer(
    BlueZErrorName.alreadyConnected, "Already Connected"
  )
  package static let notAvailable = ErrorAnswer(
    BlueZErrorName.notAvailable, "Operation currently not available"
  )
  package static let doesNotExist = ErrorAnswer(BlueZErrorName.doesNotExist, "Does Not Exist")
  package static let notAuthorized = ErrorAnswer(
    BlueZErrorName.notAuthorized, "Operation Not Authorized"
  )
  package static let noSuchAdapter = ErrorAnswer(BlueZErrorName.noSuchAdapter, "No such adapter")
  package static let agentNotAvailable = ErrorAnswer(
    BlueZErrorName.agentNotAvailable, "Agent Not Available"
  )
  package static let notReady = ErrorAnswer(BlueZErrorName.notReady, "Resource Not Ready")
  /// A change of the same setting is in progress. bluetoothd sends the name without a text.
  package static let busy = ErrorAnswer(BlueZErrorName.busy, "")
  package static let notPowered = failed("Not Powered")
  package static let authenticationCanceled = ErrorAnswer(
    BlueZErrorName.authenticationCanceled, "Authentication Canceled"
  )
  package static let authenticationFailed = ErrorAnswer(
    BlueZErrorName.authenticationFailed, "Authentication Failed"
  )
  package static let authenticationRejected = ErrorAnswer(
    BlueZErrorName.authenticationRejected, "Authentication Rejected"
  )
  package static let authenticationTimeout = ErrorAnswer(
    BlueZErrorName.authenticationTimeout, "Authentication Timeout"
  )
  package static let pageTimeout = ErrorAnswer(
    BlueZErrorName.connectionAttemptFailed, "Page Timeout"
  )
  /// Seen: StopDiscovery of a client that does not discover.
  package static let noDiscoveryStarted = failed("No discovery started")
  /// Seen: Connect while another is pending, up to 5.80.
  package static let connectPending = failed("Operation already in progress")
  /// Seen: Connect on an adapter that is off, and right after a Disconnect.
  package static let inputOutputError = failed("Input/output error")
}

// MARK: GATT

/// - Source: BlueZ 5.66, `src/gatt-client.c`.
extension ErrorAnswer {
  package static let readNotPermitted = notPermitted("Read not permitted")
  package static let writeNotPermitted = notPermitted("Write not permitted")
  package static let notPaired = notPermitted("Not paired")
  package static let writeAcquired = notPermitted("Write acquired")
  package static let notifyAcquired = notPermitted("Notify acquired")
  package static let invalidOffset = ErrorAnswer(BlueZErrorName.invalidArguments, "Invalid offset")
  package static let invalidLength = ErrorAnswer(BlueZErrorName.invalidArguments, "Invalid Length")
  /// Seen: a read or write without a connection. Not the name NotConnected.
  package static let gattNotConnected = failed("Not connected")
  package static let noTransport = failed("No ATT transport")
  /// Seen: a command longer than the MTU allows.
  package static let writeNotInitiated = failed("Failed to initiate write")
  /// Seen: StopNotify without a session.
  package static let noNotifySession = failed("No notify session started")
  package static let operationFailed = failed("Operation failed")

  /// `org.bluez.Error.NotPermitted` with a text.
  package static func notPermitted(_ text: String) -> ErrorAnswer {
    ErrorAnswer(BlueZErrorName.notPermitted, text)
  }
}

// MARK: The object layer

/// - Source: BlueZ 5.66, `gdbus/object.c`; libdbus for the first two.
extension ErrorAnswer {
  /// A call to an unknown object. The text ends in a newline.
  package static func unknownObject(
    method: String, signature: String, interface: String
  ) -> ErrorAnswer {
    ErrorAnswer(
      BlueZErrorName.Bus.unknownObject,
      "Method \"\(method)\" with signature \"\(signature)\" on interface \"\(interface)\" "
        + "doesn't exist\n"
    )
  }

  /// The reply that a caller gets if the callee disconnects from the bus.
  ///
  /// - Source: dbus-daemon, `bus/connection.c`.
  package static let recipientLeft = ErrorAnswer(
    BlueZErrorName.Bus.noReply, "Message recipient disconnected from message bus without replying"
  )
}

extension ErrorAnswer {
  /// The error as it is sent.
  package var dbusError: DBusError {
    DBusError(name: DBusError.Name(rawValue: name), message: text)
  }

  /// The error as it was received.
  package init(_ error: DBusError) {
    self.init(error.name.rawValue, error.message)
  }
}

// MARK: ATT error codes

extension ErrorAnswer {
  private static let attPrefix = "Operation failed with ATT error: 0x"

  /// The error reply to a request that the peer refused with an ATT error code.
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

  /// The code in a text of `Failed`; nil for any other text.
  static func attErrorCode(inFailed text: String) -> ATTErrorCode? {
    guard text.hasPrefix(attPrefix) else { return nil }
    return UInt8(text.dropFirst(attPrefix.count), radix: 16).map { ATTErrorCode(rawValue: $0) }
  }
}
