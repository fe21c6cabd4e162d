// The names of the errors that bluetoothd returns.

/// Names of D-Bus errors returned by bluetoothd, and by the bus on its behalf.
///
/// - Source: BlueZ 5.66, `src/error.c`, `src/error.h`; D-Bus specification for those of the bus.
package enum BlueZErrorName {
  private static let prefix = "org.bluez.Error."

  package static let invalidArguments = prefix + "InvalidArguments"
  package static let inProgress = prefix + "InProgress"
  package static let alreadyExists = prefix + "AlreadyExists"
  package static let notSupported = prefix + "NotSupported"
  package static let notConnected = prefix + "NotConnected"
  package static let alreadyConnected = prefix + "AlreadyConnected"
  package static let notAvailable = prefix + "NotAvailable"
  package static let doesNotExist = prefix + "DoesNotExist"
  package static let notAuthorized = prefix + "NotAuthorized"
  package static let notPermitted = prefix + "NotPermitted"
  package static let noSuchAdapter = prefix + "NoSuchAdapter"
  package static let agentNotAvailable = prefix + "AgentNotAvailable"
  package static let notReady = prefix + "NotReady"
  package static let failed = prefix + "Failed"
  package static let blocked = prefix + "Blocked"
  package static let busy = prefix + "Busy"
  package static let invalidLength = prefix + "InvalidLength"
  /// Only in the documentation; bluetoothd sends ``invalidArguments`` with "Invalid Length".
  package static let invalidValueLength = prefix + "InvalidValueLength"
  /// Only in the documentation; bluetoothd sends ``invalidArguments`` with "Invalid offset".
  package static let invalidOffset = prefix + "InvalidOffset"
  package static let authenticationCanceled = prefix + "AuthenticationCanceled"
  package static let authenticationFailed = prefix + "AuthenticationFailed"
  package static let authenticationRejected = prefix + "AuthenticationRejected"
  package static let authenticationTimeout = prefix + "AuthenticationTimeout"
  package static let connectionAttemptFailed = prefix + "ConnectionAttemptFailed"
  /// An agent rejects the request.
  package static let rejected = prefix + "Rejected"
  /// An agent cancels the request.
  package static let canceled = prefix + "Canceled"
  /// Since 5.84.
  package static let profileUnavailable = prefix + "BREDR.ProfileUnavailable"

  /// Names of errors from the bus, libdbus or bluetoothd's object layer.
  package enum Bus {
    private static let prefix = "org.freedesktop.DBus.Error."

    package static let failed = prefix + "Failed"
    package static let noReply = prefix + "NoReply"
    package static let timeout = prefix + "Timeout"
    package static let timedOut = prefix + "TimedOut"
    package static let disconnected = prefix + "Disconnected"
    package static let serviceUnknown = prefix + "ServiceUnknown"
    package static let nameHasNoOwner = prefix + "NameHasNoOwner"
    package static let unknownObject = prefix + "UnknownObject"
    package static let unknownInterface = prefix + "UnknownInterface"
    package static let unknownMethod = prefix + "UnknownMethod"
    package static let unknownProperty = prefix + "UnknownProperty"
    package static let propertyReadOnly = prefix + "PropertyReadOnly"
    package static let invalidArguments = prefix + "InvalidArgs"
    package static let invalidSignature = prefix + "InvalidSignature"
    package static let accessDenied = prefix + "AccessDenied"
    package static let authFailed = prefix + "AuthFailed"
    package static let limitsExceeded = prefix + "LimitsExceeded"
    package static let noMemory = prefix + "NoMemory"
    package static let noServer = prefix + "NoServer"
    package static let noNetwork = prefix + "NoNetwork"
    package static let ioError = prefix + "IOError"
    /// The prefix of every name that reports why the bus could not start bluetoothd.
    package static let spawnPrefix = prefix + "Spawn."
    package static let inconsistentMessage = prefix + "InconsistentMessage"
  }
}
