// Why an operation on a device failed.

public import Signals

/// Whether another attempt may succeed.
public enum FailureClass: String, Hashable, Sendable, CaseIterable {
  /// Transient: not found, connection lost, busy, timed out.
  case passing
  /// Permanent: another attempt fails the same way.
  case definite
  /// This host cannot do it now: no bus, no adapter, no permission.
  case unavailable
}

/// The error that BlueZ returned.
public struct BlueZAnswer: Hashable, Sendable, CustomStringConvertible {
  /// The D-Bus error name.
  public let name: String
  /// The text.
  public let text: String

  /// An error reply of bluetoothd.
  public init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  /// "org.bluez.Error.Failed: Operation failed"; the name alone without a text.
  public var description: String { text.isEmpty ? name : "\(name): \(text)" }
}

/// One failed operation: what, on which device, why, and what to try.
public struct DeviceFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure, stable in output.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code as output names it: "link-lost".
    public let rawValue: String

    /// The code that output names so.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// The kind of failure, stable in output: `.linkLost`.
  public let code: Code
  /// The class: transient, permanent, or of this host.
  public let `class`: FailureClass
  /// Whether another attempt may succeed.
  ///
  /// ```swift
  /// let policy = RetryPolicy(attempts: 3) { ($0 as? DeviceFailure)?.isTransient == true }
  /// ```
  public var isTransient: Bool { `class` == .passing }
  /// The operation: "reading battery-level".
  public let operation: String
  /// The device, as its service describes it.
  public private(set) var device: String?
  /// The attribute, if the operation was about one.
  public let attribute: String?
  /// The error of bluetoothd, if it replied with one.
  public let bluez: BlueZAnswer?
  /// The error of the device, if it refused the request.
  public let att: ATTErrorCode?
  /// The cause of the end of the connection, where that is known.
  public private(set) var linkEnd: LinkEnd?
  /// The deadline that passed, if that is the cause: whose it was, and what it cut short.
  public let timedOut: TimedOut?
  /// The cause, as a clause: "the link was lost".
  public private(set) var meaning: String
  /// A hint, in words for the library and for the command.
  public private(set) var advice: Hint

  /// A failure in its parts.
  public init(
    code: Code, class: FailureClass, operation: String, device: String? = nil,
    attribute: String? = nil, bluez: BlueZAnswer? = nil, att: ATTErrorCode? = nil,
    timedOut: TimedOut? = nil, meaning: String, hint: Hint
  ) {
    self.code = code
    self.class = `class`
    self.operation = operation
    self.device = device
    self.attribute = attribute
    self.bluez = bluez
    self.att = att
    self.timedOut = timedOut
    self.meaning = meaning
    advice = hint
  }

  /// A hint in the words of the library; may be empty.
  ///
  /// ```swift
  /// do {
  ///   let level = try await connection.read(.batteryLevel)
  ///   print(level, "%")
  /// } catch let failure as DeviceFailure where !failure.hint.isEmpty {
  ///   print("try:", failure.hint)
  /// }
  /// ```
  public var hint: String { advice.text }

  /// The operation and its device: "connecting to Thermo-1".
  ///
  /// ```swift
  /// do {
  ///   try await connection.write("high alert", to: .alertLevel)
  /// } catch let failure as DeviceFailure {
  ///   print(failure.what, "failed:", failure.meaning)  // writing alert-level to Key-1 failed: …
  /// }
  /// ```
  public var what: String { device.map { "\(operation) \(preposition) \($0)" } ?? operation }

  private var preposition: String {
    switch operation {
    case "connecting": "to"
    case "disconnecting": "from"
    default: "on"
    }
  }

  /// Returns the failure for an operation on `device`.
  public func on(_ device: String) -> DeviceFailure {
    var failure = self
    failure.device = device
    return failure
  }

  /// Returns the failure with another meaning.
  public func with(meaning: String) -> DeviceFailure {
    var failure = self
    failure.meaning = meaning
    return failure
  }

  /// Returns the failure with the cause of the end of the connection.
  public func ended(by end: LinkEnd, meaning: String) -> DeviceFailure {
    var failure = self
    failure.linkEnd = end
    failure.meaning = meaning
    return failure
  }

  /// Returns the failure with a further hint.
  public func adding(hint: Hint) -> DeviceFailure {
    var failure = self
    failure.advice = advice.isEmpty ? hint : advice + "; " + hint
    return failure
  }

  /// The operation, the cause, the error of BlueZ and the hint, on one line.
  public var description: String {
    var text = "\(what): \(meaning)"
    if let bluez { text += " (BlueZ reported \(bluez))" }
    return hint.isEmpty ? text : text + ". Try: \(hint)"
  }
}

extension DeviceFailure.Code {
  /// The device is not in range, does not advertise, or has another name.
  public static let notFound = Self(rawValue: "not-found")
  /// No connection could be made.
  public static let connectFailed = Self(rawValue: "connect-failed")
  /// The connection dropped.
  public static let linkLost = Self(rawValue: "link-lost")
  /// Another program is using the device or the characteristic.
  public static let busy = Self(rawValue: "busy")
  /// The deadline passed.
  public static let timedOut = Self(rawValue: "timed-out")
  /// The device refused, with an ATT error.
  public static let refused = Self(rawValue: "refused")
  /// The characteristic does not allow the operation.
  public static let notPermitted = Self(rawValue: "not-permitted")
  /// The device or this host does not support the operation.
  public static let notSupported = Self(rawValue: "not-supported")
  /// There is no connection.
  public static let notConnected = Self(rawValue: "not-connected")
  /// The device does not have the service.
  public static let serviceMissing = Self(rawValue: "service-missing")
  /// The device does not have the characteristic or descriptor.
  public static let characteristicMissing = Self(rawValue: "characteristic-missing")
  /// The characteristic has no such descriptor.
  public static let descriptorMissing = Self(rawValue: "descriptor-missing")
  /// Several devices or characteristics match.
  public static let ambiguous = Self(rawValue: "ambiguous")
  /// This host has no adapter, or not that one.
  public static let adapterMissing = Self(rawValue: "adapter-missing")
  /// The adapter is not powered.
  public static let adapterOff = Self(rawValue: "adapter-off")
  /// The system bus cannot be reached.
  public static let busUnreachable = Self(rawValue: "bus-unreachable")
  /// The connection to the bus ended.
  public static let busLost = Self(rawValue: "bus-lost")
  /// bluetoothd is not running.
  public static let daemonMissing = Self(rawValue: "daemon-missing")
  /// The connection would belong to no turn.
  public static let connectOutsideTurn = Self(rawValue: "connect-outside-turn")
  /// The operation would end the subscription in which it runs.
  public static let insideSubscription = Self(rawValue: "inside-subscription")
  /// The length or format of the value is invalid.
  public static let invalidValue = Self(rawValue: "invalid-value")
  /// The attribute requires pairing.
  public static let notPaired = Self(rawValue: "not-paired")
  /// The device was not paired.
  public static let pairingFailed = Self(rawValue: "pairing-failed")
  /// The work was cancelled.
  public static let cancelled = Self(rawValue: "cancelled")
  /// Values arrived faster than they were consumed.
  public static let valuesLost = Self(rawValue: "values-lost")
  /// The work succeeded, but not the disconnect.
  public static let cleanUpFailed = Self(rawValue: "clean-up-failed")
  /// An undocumented error of bluetoothd.
  public static let unknown = Self(rawValue: "unknown")
}
