// One operation of a test.

public import Documents

/// What is done, to which device, within which time, and what is expected of it.
public struct Operation: Hashable, Sendable {
  /// The name of the element: `assert-service`.
  public let name: String
  /// What people call it: its description, else its name.
  public let title: String
  public let place: Place
  /// The target it names; nil: that of the test.
  public let target: String?
  /// How long it may take; nil: the usual time. Zero, for the waits that allow it: without end.
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
    /// - Parameter isCommand: Without an answer of the device.
    case write(AttributePath, [UInt8], isCommand: Bool)
    case beginReliableWrite
    case executeReliableWrite
    case abortReliableWrite
    /// Waits for the next notification or indication, after the trigger where there is one.
    case awaitNotification(AttributePath, trigger: Operation?, ValueAssertion?)
    case readRSSI(StrengthAssertion?)
    case requestMTU(Int)
    case sleep
    /// Waits while the last known value is this one, or until it is.
    case sleepWhile(AttributePath, [UInt8], isEqual: Bool)
    /// What this host has no way of doing.
    case unsupported(Unsupported)
  }
}

/// What is not done here, and why.
public struct Unsupported: Hashable, Sendable {
  /// As a clause: "Linux has no call that asks for another PHY".
  public let reason: String
  /// What to do instead; may be empty.
  public let hint: String

  public init(reason: String, hint: String = "") {
    self.reason = reason
    self.hint = hint
  }
}
