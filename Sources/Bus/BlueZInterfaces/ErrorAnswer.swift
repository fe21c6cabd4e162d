// The error replies of bluetoothd: name and text, as sent on the bus.
//
// Data only. What they mean to a user is decided by the client's error mapping.

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

  /// What a caller receives when the callee left the bus.
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
