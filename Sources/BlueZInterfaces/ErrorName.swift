// The names of the errors that bluetoothd returns.

/// Names of D-Bus errors returned by bluetoothd, and by the bus on its behalf.
///
/// - Source: BlueZ 5.66, `src/error.c`, `src/error.h`; D-Bus specification for those of the bus.
public enum BlueZErrorName {
  private static let prefix = "org.bluez.Error."

  public static let invalidArguments = prefix + "InvalidArguments"
  public static let inProgress = prefix + "InProgress"
  public static let alreadyExists = prefix + "AlreadyExists"
  public static let notSupported = prefix + "NotSupported"
  public static let notConnected = prefix + "NotConnected"
  public static let alreadyConnected = prefix + "AlreadyConnected"
  public static let notAvailable = prefix + "NotAvailable"
  public static let doesNotExist = prefix + "DoesNotExist"
  public static let notAuthorized = prefix + "NotAuthorized"
  public static let notPermitted = prefix + "NotPermitted"
  public static let noSuchAdapter = prefix + "NoSuchAdapter"
  public static let agentNotAvailable = prefix + "AgentNotAvailable"
  public static let notReady = prefix + "NotReady"
  public static let failed = prefix + "Failed"
  public static let blocked = prefix + "Blocked"
  public static let busy = prefix + "Busy"
  public static let invalidLength = prefix + "InvalidLength"
  /// Only in the documentation; bluetoothd sends ``invalidArguments`` with "Invalid Length".
  public static let invalidValueLength = prefix + "InvalidValueLength"
  /// Only in the documentation; bluetoothd sends ``invalidArguments`` with "Invalid offset".
  public static let invalidOffset = prefix + "InvalidOffset"
  public static let authenticationCanceled = prefix + "AuthenticationCanceled"
  public static let authenticationFailed = prefix + "AuthenticationFailed"
  public static let authenticationRejected = prefix + "AuthenticationRejected"
  public static let authenticationTimeout = prefix + "AuthenticationTimeout"
  public static let connectionAttemptFailed = prefix + "ConnectionAttemptFailed"
  /// An agent rejects the request.
  public static let rejected = prefix + "Rejected"
  /// An agent cancels the request.
  public static let canceled = prefix + "Canceled"
  /// Since 5.84.
  public static let profileUnavailable = prefix + "BREDR.ProfileUnavailable"

  /// Names of errors from the bus, libdbus or bluetoothd's object layer.
  public enum Bus {
    private static let prefix = "org.freedesktop.DBus.Error."

    public static let failed = prefix + "Failed"
    public static let noReply = prefix + "NoReply"
    public static let timeout = prefix + "Timeout"
    public static let timedOut = prefix + "TimedOut"
    public static let disconnected = prefix + "Disconnected"
    public static let serviceUnknown = prefix + "ServiceUnknown"
    public static let nameHasNoOwner = prefix + "NameHasNoOwner"
    public static let unknownObject = prefix + "UnknownObject"
    public static let unknownInterface = prefix + "UnknownInterface"
    public static let unknownMethod = prefix + "UnknownMethod"
    public static let unknownProperty = prefix + "UnknownProperty"
    public static let propertyReadOnly = prefix + "PropertyReadOnly"
    public static let invalidArguments = prefix + "InvalidArgs"
    public static let invalidSignature = prefix + "InvalidSignature"
    public static let accessDenied = prefix + "AccessDenied"
    public static let authFailed = prefix + "AuthFailed"
    public static let limitsExceeded = prefix + "LimitsExceeded"
    public static let noMemory = prefix + "NoMemory"
    public static let noServer = prefix + "NoServer"
    public static let noNetwork = prefix + "NoNetwork"
    public static let ioError = prefix + "IOError"
    /// The prefix of every name that reports why the bus could not start bluetoothd.
    public static let spawnPrefix = prefix + "Spawn."
    public static let inconsistentMessage = prefix + "InconsistentMessage"
  }
}
