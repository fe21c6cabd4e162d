// One operation of a test.

public import Documents

/// What the operation does, to which device, within which time, and with which expected result.
public struct Operation: Hashable, Sendable {
  /// The name of the element: `assert-service`.
  public let name: String
  /// The description, else the name.
  public let title: String
  public let place: Place
  /// The target; nil for that of the test.
  public let target: String?
  /// The timeout; nil for the default. Zero means no timeout, for waits that allow it.
  public let timeout: Duration?
  public let expected: Expected
  public let action: Action

  public init(
    name: String,
    title: String,
    place: Place,
    target: String? = nil,
    timeout: Duration? = nil,
    expected: Expected = Expected(),
    action: Action
  ) {
    self.name = name
    self.title = title
    self.place = place
    self.target = target
    self.timeout = timeout
    self.expected = expected
    self.action = action
  }

  /// The kinds of operation.
  public indirect enum Action: Hashable, Sendable {
    case scan(AdvertisementFilter)
    /// Ends at the first match, and binds a target to it.
    case scanFor(AdvertisementFilter, bind: String?)
    case connect
    case discoverServices
    case refresh
    case disconnect
    case bond
    case unbond
    case assertService(ServiceAssertion)
    case read(AttributePath, ValueAssertion?)
    /// - Parameter isCommand: Whether it is a Write Command, without response.
    case write(AttributePath, [UInt8], isCommand: Bool)
    case beginReliableWrite
    case executeReliableWrite
    case abortReliableWrite
    /// Performs the trigger, if there is one, and waits for the next notification or indication.
    case awaitNotification(AttributePath, trigger: Operation?, ValueAssertion?)
    case readRSSI(StrengthAssertion?)
    case requestMTU(Int)
    case sleep
    /// Waits while the last known value equals this one, or until it does.
    case sleepWhile(AttributePath, [UInt8], isEqual: Bool)
    /// An operation that this host cannot do.
    case unsupported(Unsupported)
  }
}

/// The reason why this host cannot do an operation.
public struct Unsupported: Hashable, Sendable {
  /// A clause: "Linux has no call that requests another PHY".
  public let reason: String
  /// What to do instead; may be empty.
  public let hint: String

  public init(reason: String, hint: String = "") {
    self.reason = reason
    self.hint = hint
  }
}

extension Operation {
  /// The attribute; nil for operations without one.
  public var path: AttributePath? {
    switch action {
    case .read(let path, _), .write(let path, _, _), .awaitNotification(let path, _, _),
      .sleepWhile(let path, _, _):
      path
    case .scan, .scanFor, .connect, .discoverServices, .refresh, .disconnect, .bond, .unbond,
      .assertService, .beginReliableWrite, .executeReliableWrite, .abortReliableWrite, .readRSSI,
      .requestMTU, .sleep, .unsupported:
      nil
    }
  }
}
