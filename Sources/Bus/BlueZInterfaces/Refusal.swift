// The errors of bluetoothd and of the bus, told apart: names and texts are compared here alone.
//
// The client decides the meaning of an error for a user, and whether another attempt is worthwhile.

package import Bluetooth
package import DBus

/// The kinds of error replies, as far as they differ in meaning.
package enum Refusal: Hashable, Sendable {
  // MARK: The bus

  /// org.bluez has no owner, and the bus cannot start one.
  case daemonMissing
  /// bluetoothd left the bus before it replied.
  case daemonLeft
  case noReply
  /// The connection to the bus has ended.
  case busLost
  case busDenied
  /// The bus has reached one of its limits.
  case busExhausted
  case unknownObject
  /// bluetoothd has no such method, interface or property.
  case unknownCall
  /// The signature of the arguments is another one.
  case malformedCall

  // MARK: The adapter and the device

  case notReady
  case blocked
  case noSuchAdapter
  case doesNotExist
  case notConnected
  case inProgress
  /// Another operation must end first: `Busy`, `NotAvailable`.
  case busy
  case alreadyExists
  case alreadyConnected
  case notSupported
  case notAuthorized
  /// `NotPermitted`, without a text that is known.
  case notPermitted
  case invalidArguments
  case noDiscovery

  // MARK: Connecting

  case connection(ConnectionText)
  /// Another Connect is pending, up to 5.80.
  case connectPending
  /// The adapter is off, or still ending the last connection: `Input/output error`.
  case notSettled
  /// The connection ended while it was made, in the words of `strerror`.
  case connectionAborted
  /// There was no connection to make, in the words of `strerror`.
  case connectionRefused
  /// BR/EDR only.
  case pageTimeout

  // MARK: Attributes

  /// The device refused the request.
  case att(ATTErrorCode)
  /// Sent for the device's refusal, and for reasons of bluetoothd.
  case invalidLength
  /// A read, write or subscription without a connection: `Failed: Not connected`.
  case gattNotConnected
  case noTransport
  case writeAcquired
  case notifyAcquired
  case writeNotInitiated
  case noNotifySession
  case operationFailed

  // MARK: Pairing

  case authenticationFailed
  case authenticationRejected
  case authenticationCanceled
  case authenticationTimeout
  case noAgent
  /// `Failed: Not paired`.
  case unpaired

  // MARK: Texts of the kernel, as strerror words them

  case resourceBusy
  case networkDown
  case denied

  // MARK: Others

  /// `Failed`, with a text that is not known.
  case failed
  /// A name that is not known.
  case unknown
}

extension Refusal {
  /// The kind of an error reply.
  ///
  /// The text of a failed connection says more than the name beside it, unless it is a new one.
  package init(_ answer: ErrorAnswer) {
    if let ofBus = Self.ofBus(answer) {
      self = ofBus
    } else if let text = ConnectionText(parsing: answer.text), text.isKnown || answer.isFailed {
      self = .connection(text)
    } else {
      self = answer.isFailed ? Self.failed(answer.text) : Self.named(answer)
    }
  }

  private static func ofBus(_ answer: ErrorAnswer) -> Self? {
    switch answer.name {
    case BlueZErrorName.Bus.serviceUnknown, BlueZErrorName.Bus.nameHasNoOwner: .daemonMissing
    // The bus sends this for a callee that left; our own deadlines have no D-Bus name.
    case BlueZErrorName.Bus.noReply: answer == .recipientLeft ? .daemonLeft : .noReply
    case BlueZErrorName.Bus.timeout, BlueZErrorName.Bus.timedOut: .noReply
    case BlueZErrorName.Bus.disconnected, BlueZErrorName.Bus.noServer,
      BlueZErrorName.Bus.noNetwork, BlueZErrorName.Bus.ioError:
      .busLost
    case BlueZErrorName.Bus.accessDenied, BlueZErrorName.Bus.authFailed: .busDenied
    case BlueZErrorName.Bus.limitsExceeded, BlueZErrorName.Bus.noMemory: .busExhausted
    case BlueZErrorName.Bus.unknownObject: .unknownObject
    case BlueZErrorName.Bus.unknownMethod, BlueZErrorName.Bus.unknownInterface,
      BlueZErrorName.Bus.unknownProperty, BlueZErrorName.Bus.propertyReadOnly,
      BlueZErrorName.Bus.invalidSignature, BlueZErrorName.Bus.inconsistentMessage:
      .unknownCall
    case BlueZErrorName.Bus.invalidArguments: .malformedCall
    // open: names of errors
    default: answer.name.hasPrefix(BlueZErrorName.Bus.spawnPrefix) ? .daemonMissing : nil
    }
  }

  private static func named(_ answer: ErrorAnswer) -> Self {
    switch answer.name {
    case BlueZErrorName.notReady: .notReady
    case BlueZErrorName.blocked: .blocked
    case BlueZErrorName.noSuchAdapter: .noSuchAdapter
    case BlueZErrorName.doesNotExist: .doesNotExist
    case BlueZErrorName.notConnected: .notConnected
    case BlueZErrorName.inProgress: .inProgress
    case BlueZErrorName.notAvailable, BlueZErrorName.busy: .busy
    case BlueZErrorName.alreadyExists: .alreadyExists
    case BlueZErrorName.alreadyConnected: .alreadyConnected
    case BlueZErrorName.notSupported: .notSupported
    case BlueZErrorName.notAuthorized: .notAuthorized
    case BlueZErrorName.notPermitted: notPermitted(answer)
    case BlueZErrorName.invalidArguments, BlueZErrorName.invalidLength,
      BlueZErrorName.invalidValueLength, BlueZErrorName.invalidOffset:
      invalid(answer.text)
    case BlueZErrorName.profileUnavailable: .connection(.profileUnavailable)
    case BlueZErrorName.connectionAttemptFailed: .pageTimeout
    case BlueZErrorName.authenticationFailed: .authenticationFailed
    case BlueZErrorName.authenticationRejected, BlueZErrorName.rejected: .authenticationRejected
    case BlueZErrorName.authenticationCanceled, BlueZErrorName.canceled: .authenticationCanceled
    case BlueZErrorName.authenticationTimeout: .authenticationTimeout
    case BlueZErrorName.agentNotAvailable: .noAgent
    // open: names of errors
    default: .unknown
    }
  }

  /// `NotPermitted`: five different errors, distinguished by the text.
  private static func notPermitted(_ answer: ErrorAnswer) -> Self {
    switch answer {
    case .readNotPermitted: .att(.readNotPermitted)
    case .writeNotPermitted: .att(.writeNotPermitted)
    // The text for three codes.
    case .notPaired: .att(.insufficientAuthentication)
    case .writeAcquired: .writeAcquired
    case .notifyAcquired: .notifyAcquired
    // open: texts of bluetoothd
    default: .notPermitted
    }
  }

  private static func invalid(_ text: String) -> Self {
    switch text {
    case ErrorAnswer.invalidLength.text: .invalidLength
    case ErrorAnswer.invalidOffset.text: .att(.invalidOffset)
    // open: texts of bluetoothd
    default: .invalidArguments
    }
  }

  /// `Failed`: only the text identifies the error.
  private static func failed(_ text: String) -> Self {
    if let code = ErrorAnswer.attErrorCode(inFailed: text) { return .att(code) }
    switch ErrorAnswer.failed(text) {
    case .gattNotConnected: return .gattNotConnected
    case .noTransport: return .noTransport
    case .connectPending: return .connectPending
    case .inputOutputError: return .notSettled
    case .writeNotInitiated: return .writeNotInitiated
    case .noDiscoveryStarted: return .noDiscovery
    case .noNotifySession: return .noNotifySession
    case .operationFailed: return .operationFailed
    // open: texts of bluetoothd
    default: return byErrno(text)
    }
  }

  /// Before 5.62, and for errors of local sockets, the text is that of `strerror`.
  private static func byErrno(_ text: String) -> Self {
    switch text {
    case "Software caused connection abort", "Connection reset by peer", "Host is down",
      "Connection timed out", "Transport endpoint is not connected":
      .connectionAborted
    case "No route to host", "Connection refused": .connectionRefused
    case "Device or resource busy", "Resource temporarily unavailable": .resourceBusy
    case "Operation now in progress": .connectPending
    case "Network is down", "No such device": .networkDown
    case "Operation not permitted", "Permission denied": .denied
    case "Not paired": .unpaired
    // open: texts of the kernel
    default: .failed
    }
  }
}

extension Refusal {
  /// The ATT error code of the device; nil for any other error, and for one that bluetoothd also sends
  /// for reasons of its own, such as `Operation is not supported`.
  package var attErrorCode: ATTErrorCode? {
    if case .att(let code) = self { code } else { nil }
  }

  /// Whether it reports how a pairing ended.
  package var isAboutPairing: Bool {
    [
      .authenticationFailed, .authenticationRejected, .authenticationCanceled,
      .authenticationTimeout, .unpaired,
    ].contains(self)
  }
}

extension ErrorAnswer {
  /// The kind of this error reply.
  package var refusal: Refusal { Refusal(self) }
}

extension DBusError {
  /// The kind of this error reply.
  package var refusal: Refusal { ErrorAnswer(self).refusal }
}
