// Why something failed, for code that decides: one enumeration, and the one mapping to it.

public import Signals

/// Why an operation on a device failed. It is exhaustive: a `switch` over it needs no `default`.
///
/// ```swift
/// do {
///   print(try await thermometer.session { thermometer.read(.batteryLevel) }.first(within: .seconds(5)))
/// } catch {
///   switch FailureKind(error) {
///   case .timedOut(let deadline): print("\(deadline.limitOf ?? "") passed in \(deadline.operation)")
///   case .refused(let att?): print("the device answered \(att)")
///   case .link(_, let end): print("no connection: \(end?.meaning ?? "")")
///   case .host(let trouble): print("this host: \(trouble)")
///   case let other: print(other.class)
///   }
/// }
/// ```
public enum FailureKind: Hashable, Sendable {
  /// A deadline passed: whose, how long it was, and what it cut short. The same for a deadline of one
  /// wait, of an operator `timeout`, of a turn, and of a call's `within`.
  case timedOut(TimedOut)
  /// The work was cancelled.
  case cancelled
  /// There is no connection: which trouble, and who ended it where that is known.
  case link(Link, LinkEnd?)
  /// The device refused the request, with this ATT error where bluetoothd reports one.
  case refused(ATTErrorCode?)
  /// The device does not permit the access.
  case notPermitted(ATTErrorCode?)
  /// The device requires a bond, or a better one.
  case notPaired
  /// Pairing was rejected, or not completed.
  case pairingFailed
  /// The device, or bluetoothd, does not offer the operation.
  case notSupported
  /// Another program, or another run, uses a resource that the operation needs.
  case busy
  /// No matching device is in range.
  case notFound
  /// Several devices or attributes match.
  case ambiguous
  /// The device does not have the attribute.
  case missing(Attribute)
  /// A value has a length or a format that is not accepted: by the device, or in decoding.
  case invalidValue(ValueError?)
  /// This host cannot do it now, and why.
  case host(Host)
  /// Values arrived faster than they were consumed; this many were waiting.
  case valuesLost(bound: Int?)
  /// A signal completed without the value that was asked for.
  case noValue
  /// The work succeeded, and something could not be released.
  case cleanUpFailed
  /// The program uses the library in a way that cannot work.
  case misuse(Misuse)
  /// Anything else: an error of the program, or one that is not known.
  case other

  /// A failure of a connection.
  public enum Link: Hashable, Sendable, CaseIterable {
    /// There was none when the operation began.
    case notConnected
    /// It could not be made.
    case notMade
    /// It dropped.
    case lost
  }

  /// An attribute that a device does not have.
  public enum Attribute: Hashable, Sendable, CaseIterable {
    /// A service.
    case service
    /// A characteristic.
    case characteristic
    /// A descriptor of a characteristic.
    case descriptor
  }

  /// A requirement that the host does not meet.
  public enum Host: Hashable, Sendable, CaseIterable {
    /// The message bus cannot be reached.
    case busUnreachable
    /// The connection to the message bus ended.
    case busLost
    /// bluetoothd does not run.
    case daemonMissing
    /// There is no adapter, or not the wanted one.
    case adapterMissing
    /// Powered off, or blocked.
    case adapterOff
    /// This process, or its user, may not do it.
    case permissionMissing
    /// Something else on this host: the `code` of the failure names it.
    case other
  }

  /// A use of the library that cannot work.
  public enum Misuse: Hashable, Sendable, CaseIterable {
    /// Work belongs to a turn that has ended.
    case turnEnded
    /// An operation of another scheduler inside a turn.
    case otherScheduler
    /// A blocking call where blocking could never end.
    case blockedInsideLoop
    /// A signal was run on no loop.
    case notOnLoop
    /// A virtual-time loop that is not driven, has no events left, or has events without end.
    case virtualLoop
    /// A connection in no turn.
    case connectOutsideTurn
    /// An operation that would end the subscription whose value it handles.
    case insideSubscription
  }
}

/// An error that knows its kind.
public protocol KnownFailure: Error {
  /// The kind, for decisions of a program.
  var kind: FailureKind { get }
}

extension FailureKind {
  /// The kind of any error: of the library, of a cancelled task, or of something else (`other`).
  ///
  /// ```swift
  /// do {
  ///   try await connection.write("high alert", to: .alertLevel)
  /// } catch {
  ///   if FailureKind(error) == .notPaired { print("pair first") } else { throw error }
  /// }
  /// ```
  public init(_ error: any Error) {
    switch error {
    case let failure as any KnownFailure: self = failure.kind
    case let failed as FailedWithCleanUp: self = failed.cause.map { Self($0) } ?? .cleanUpFailed
    case let timedOut as TimedOut: self = .timedOut(timedOut)
    case is CancellationError, is LoopShutDown: self = .cancelled
    case _ as NoValue: self = .noValue
    case let overflow as BufferOverflow: self = .valuesLost(bound: overflow.bound)
    case let error as ValueError: self = .invalidValue(error)
    case let code as ATTErrorCode: self = .refused(code)
    case is TurnEnded: self = .misuse(.turnEnded)
    case is OtherScheduler: self = .misuse(.otherScheduler)
    case is BlockedInsideLoop: self = .misuse(.blockedInsideLoop)
    case is NotOnLoop: self = .misuse(.notOnLoop)
    case is LoopNotDriven, is LoopIdle, is EventLimitReached: self = .misuse(.virtualLoop)
    default: self = .other
    }
  }

  /// The code that reports have for the kind, where the error has none of its own.
  public var code: DeviceFailure.Code {
    switch self {
    case .timedOut: .timedOut
    case .cancelled: .cancelled
    case .link(.notConnected, _): .notConnected
    case .link(.notMade, _): .connectFailed
    case .link(.lost, _): .linkLost
    case .refused: .refused
    case .notPermitted: .notPermitted
    case .notPaired: .notPaired
    case .pairingFailed: .pairingFailed
    case .notSupported: .notSupported
    case .busy: .busy
    case .notFound: .notFound
    case .ambiguous: .ambiguous
    case .missing(.service): .serviceMissing
    case .missing(.characteristic): .characteristicMissing
    case .missing(.descriptor): .descriptorMissing
    case .invalidValue: .invalidValue
    case .host(.busUnreachable): .busUnreachable
    case .host(.busLost): .busLost
    case .host(.daemonMissing): .daemonMissing
    case .host(.adapterMissing): .adapterMissing
    case .host(.adapterOff): .adapterOff
    case .host(.permissionMissing): .capabilityMissing
    case .valuesLost: .valuesLost
    case .cleanUpFailed: .cleanUpFailed
    case .misuse(.connectOutsideTurn): .connectOutsideTurn
    case .misuse(.insideSubscription): .insideSubscription
    case .misuse(.turnEnded), .misuse(.otherScheduler), .misuse(.blockedInsideLoop),
      .misuse(.notOnLoop), .misuse(.virtualLoop), .host(.other), .noValue, .other:
      .unknown
    }
  }

  /// Whether another attempt may succeed, where the error itself does not state it.
  ///
  /// ```swift
  /// let patient = thermometer.session { thermometer.read(.batteryLevel) }
  ///   .retry(RetryPolicy(attempts: 3, backoff: .seconds(2)) { FailureKind($0).class == .passing })
  /// ```
  public var `class`: FailureClass {
    switch self {
    case .timedOut, .link, .busy, .notFound: .passing
    case .host: .unavailable
    case .cancelled, .refused, .notPermitted, .notPaired, .pairingFailed, .notSupported,
      .ambiguous, .missing, .invalidValue, .valuesLost, .noValue, .cleanUpFailed, .misuse, .other:
      .definite
    }
  }
}

extension DeviceFailure: KnownFailure {
  /// The kind: what a program decides by.
  public var kind: FailureKind {
    switch FailureKind.byCode[code] {
    case .timedOut?: .timedOut(timedOut ?? TimedOut(operation: operation, after: nil))
    case .link(let link, _)?: .link(link, linkEnd)
    case .refused?: .refused(att)
    // One code for a device that does not permit the access, and for a bus.
    case .notPermitted? where self.class == .unavailable: .host(.permissionMissing)
    case .notPermitted?: .notPermitted(att)
    case let kind?: kind
    case nil: self.class == .unavailable ? .host(.other) : .other
    }
  }
}

extension FailureKind {
  /// The kinds that have a code of their own, without details.
  fileprivate static let byCode: [DeviceFailure.Code: FailureKind] = {
    let kinds: [FailureKind] =
      [
        .timedOut(TimedOut(operation: "", after: nil)), .cancelled, .refused(nil),
        .notPermitted(nil), .notPaired, .pairingFailed, .notSupported, .busy, .notFound, .ambiguous,
        .invalidValue(nil), .valuesLost(bound: nil), .cleanUpFailed,
      ] + Link.allCases.map { .link($0, nil) } + Attribute.allCases.map { .missing($0) }
      + Host.allCases.map { .host($0) } + Misuse.allCases.map { .misuse($0) }
    let coded = kinds.filter { $0.code != .unknown }
    return Dictionary(uniqueKeysWithValues: coded.map { ($0.code, $0) })
  }()
}
