// What a write brings about.

public import Bluetooth

/// A control point: what is written decides what happens here or on other characteristics.
///
/// The first rule that matches decides. A write that is not refused is kept as the value, before
/// the actions of its rule.
public struct Response: Sendable, Hashable {
  /// The value before anything is written.
  public var initial: [UInt8]
  public var rules: [ResponseRule]

  public init(initial: [UInt8] = [], rules: [ResponseRule]) {
    self.initial = initial
    self.rules = rules
  }
}

/// What happens when a value is written.
public struct ResponseRule: Sendable, Hashable {
  /// Which values a rule is for.
  public enum Pattern: Sendable, Hashable {
    case any
    case exactly([UInt8])
    case beginning([UInt8])
  }

  public var pattern: Pattern
  /// The error that the write is refused with; nil: it is accepted.
  public var refusal: ATTErrorCode?
  public var actions: [ResponseAction]

  public init(
    pattern: Pattern = .any,
    refusal: ATTErrorCode? = nil,
    actions: [ResponseAction] = []
  ) {
    self.pattern = pattern
    self.refusal = refusal
    self.actions = actions
  }

  /// Whether the rule is for a write of `value`.
  func matches(_ value: [UInt8]) -> Bool {
    switch pattern {
    case .any: true
    case .exactly(let octets): value == octets
    case .beginning(let octets): value.starts(with: octets)
    }
  }
}

/// One consequence of a write.
public struct ResponseAction: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    /// The value is kept, and sent to a subscriber.
    case notify
    /// The value is kept.
    case set
  }

  /// The value that is kept or sent.
  public enum Value: Sendable, Hashable {
    case octets([UInt8])
    /// What was written.
    case written
  }

  public var kind: Kind
  /// The characteristic it happens on; nil: the one that was written. Where several of the device
  /// have this UUID, the first.
  public var characteristic: BluetoothUUID?
  public var value: Value
  /// How long after the write; nothing happens if the link is down by then.
  public var delay: Duration

  public init(
    _ kind: Kind,
    characteristic: BluetoothUUID? = nil,
    value: Value,
    after delay: Duration = .zero
  ) {
    self.kind = kind
    self.characteristic = characteristic
    self.value = value
    self.delay = delay
  }
}
