// The error replies of bluetoothd: name and text, as sent on the bus.
//
// Data only. What they mean to a user is decided by the client's error mapping.

public import DBus

/// One error reply: the D-Bus error name and its text.
///
/// The texts are part of the interface in practice: half of bluetoothd's failures have the name
/// `org.bluez.Error.Failed` and differ only in the text.
public struct ErrorAnswer: Error, Hashable, Sendable {
  /// The D-Bus error name.
  public let name: String
  /// The text, exactly as bluetoothd sends it.
  public let text: String

  public init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
  }

  /// `org.bluez.Error.Failed` with a text.
  public static func failed(_ text: String) -> ErrorAnswer {
    ErrorAnswer(BlueZErrorName.failed, text)
  }
}

// MARK: Errors with a fixed text

/// - Source: BlueZ 5.66, `src/error.c`; the lines marked "seen" were recorded from bluetoothd 5.66.
extension ErrorAnswer {
  public static let invalidArguments = ErrorAnswer(
    BlueZErrorName.invalidArguments,
    "Invalid arguments in method call"
  )
  public static let inProgress = ErrorAnswer(BlueZErrorName.inProgress, "In Progress")
  /// Seen: StartDiscovery of a client that already discovers.
  public static let operationInProgress = ErrorAnswer(
    BlueZErrorName.inProgress,
    "Operation already in progress"
  )
  public static let alreadyExists = ErrorAnswer(BlueZErrorName.alreadyExists, "Already Exists")
  public static let alreadyPaired = ErrorAnswer(BlueZErrorName.alreadyExists, "Already Paired")
  public static let notSupported = ErrorAnswer(
    BlueZErrorName.notSupported,
    "Operation is not supported"
  )
  public static let notConnected = ErrorAnswer(BlueZErrorName.notConnected, "Not Connected")
  public static let alreadyConnected = ErrorAnswer(
    BlueZErrorName.alreadyConnected,
    "Already Connected"
  )
  public static let notAvailable = ErrorAnswer(
    BlueZErrorName.notAvailable,
    "Operation currently not available"
  )
  public static let doesNotExist = ErrorAnswer(BlueZErrorName.doesNotExist, "Does Not Exist")
  public static let notAuthorized = ErrorAnswer(
    BlueZErrorName.notAuthorized,
    "Operation Not Authorized"
  )
  public static let noSuchAdapter = ErrorAnswer(BlueZErrorName.noSuchAdapter, "No such adapter")
  public static let agentNotAvailable = ErrorAnswer(
    BlueZErrorName.agentNotAvailable,
    "Agent Not Available"
  )
  public static let notReady = ErrorAnswer(BlueZErrorName.notReady, "Resource Not Ready")
  /// A change of the same setting is in progress. bluetoothd sends the name without a text.
  public static let busy = ErrorAnswer(BlueZErrorName.busy, "")
  public static let notPowered = failed("Not Powered")
  public static let authenticationCanceled = ErrorAnswer(
    BlueZErrorName.authenticationCanceled,
    "Authentication Canceled"
  )
  public static let authenticationFailed = ErrorAnswer(
    BlueZErrorName.authenticationFailed,
    "Authentication Failed"
  )
  public static let authenticationRejected = ErrorAnswer(
    BlueZErrorName.authenticationRejected,
    "Authentication Rejected"
  )
  public static let authenticationTimeout = ErrorAnswer(
    BlueZErrorName.authenticationTimeout,
    "Authentication Timeout"
  )
  public static let pageTimeout = ErrorAnswer(
    BlueZErrorName.connectionAttemptFailed,
    "Page Timeout"
  )
  /// Seen: StopDiscovery of a client that does not discover.
  public static let noDiscoveryStarted = failed("No discovery started")
  /// Seen: Connect while another is pending, up to 5.80.
  public static let connectPending = failed("Operation already in progress")
  /// Seen: Connect on an adapter that is off, and right after a Disconnect.
  public static let inputOutputError = failed("Input/output error")
}

// MARK: GATT

/// - Source: BlueZ 5.66, `src/gatt-client.c`.
extension ErrorAnswer {
  public static let readNotPermitted = notPermitted("Read not permitted")
  public static let writeNotPermitted = notPermitted("Write not permitted")
  public static let notPaired = notPermitted("Not paired")
  public static let writeAcquired = notPermitted("Write acquired")
  public static let notifyAcquired = notPermitted("Notify acquired")
  public static let invalidOffset = ErrorAnswer(
    BlueZErrorName.invalidArguments,
    "Invalid offset"
  )
  public static let invalidLength = ErrorAnswer(
    BlueZErrorName.invalidArguments,
    "Invalid Length"
  )
  /// Seen: a read or write without a connection. Not the name NotConnected.
  public static let gattNotConnected = failed("Not connected")
  public static let noTransport = failed("No ATT transport")
  /// Seen: a command longer than the MTU allows.
  public static let writeNotInitiated = failed("Failed to initiate write")
  /// Seen: StopNotify without a session.
  public static let noNotifySession = failed("No notify session started")
  public static let operationFailed = failed("Operation failed")

  /// `org.bluez.Error.NotPermitted` with a text.
  public static func notPermitted(_ text: String) -> ErrorAnswer {
    ErrorAnswer(BlueZErrorName.notPermitted, text)
  }
}

// MARK: The object layer

/// - Source: BlueZ 5.66, `gdbus/object.c`; libdbus for the first two.
extension ErrorAnswer {
  /// A call to an unknown object. The text ends in a newline.
  public static func unknownObject(
    method: String,
    signature: String,
    interface: String
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
  public static let recipientLeft = ErrorAnswer(
    BlueZErrorName.Bus.noReply,
    "Message recipient disconnected from message bus without replying"
  )
}

extension ErrorAnswer {
  /// The error as it is sent.
  public var dbusError: DBusError {
    DBusError(name: DBusError.Name(rawValue: name), message: text)
  }

  /// The error as it was received.
  public init(_ error: DBusError) {
    self.init(error.name.rawValue, error.message)
  }
}
