// What a write brings about.

public import Bluetooth
import Documents

/// A control point: what is written decides what happens here or on other characteristics.
///
/// The first rule that matches decides. A write that is not refused is kept as the value, before
/// the actions of its rule.
public struct Response: Sendable, Hashable {
  /// The value before anything is written.
  public var initial: [UInt8]
  /// The rules; the first that matches decides.
  public var rules: [ResponseRule]

  /// A control point with these rules.
  ///
  /// ```swift
  /// let accepted = ResponseRule(
  ///   pattern: .beginning([4]), actions: [ResponseAction(.notify, value: .octets([5, 0, 3, 0]))])
  /// let refused = ResponseRule(refusal: .valueNotAllowed)
  /// let controlPoint = Behaviour.response(Response(rules: [accepted, refused]))
  /// ```
  public init(initial: [UInt8] = [], rules: [ResponseRule]) {
    self.initial = initial
    self.rules = rules
  }

  static let key = BehaviourKey(
    "responses",
    DeviceReader.responseShape.list(of: "responses", 0...FileLimits.responses),
    "a control point: the first rule that matches the written value decides"
  ) { .response(Response(rules: $0)) }

  /// The first rule for a write of `value`, with what its names stand for.
  func rule(for value: [UInt8]) -> (rule: ResponseRule, names: Variables)? {
    for rule in rules {
      guard var names = rule.match(value) else { continue }
      names[ValueTemplate.writtenName] = .octets(value)
      return (rule, names)
    }
    return nil
  }
}

/// What happens when a value is written.
public struct ResponseRule: Sendable, Hashable {
  /// Which values a rule is for.
  public enum Pattern: Sendable, Hashable {
    /// Every value.
    case any
    /// This value.
    case exactly([UInt8])
    /// Values that begin with these bytes.
    case beginning([UInt8])
    /// Values that match a pattern, whose parts get names.
    case like(BytePattern)
  }

  /// Which values the rule is for.
  public var pattern: Pattern
  /// The error that the write is refused with; nil: it is accepted.
  public var refusal: ATTErrorCode?
  /// What happens, in order.
  public var actions: [ResponseAction]

  /// A rule for the values that match.
  public init(
    pattern: Pattern = .any,
    refusal: ATTErrorCode? = nil,
    actions: [ResponseAction] = []
  ) {
    self.pattern = pattern
    self.refusal = refusal
    self.actions = actions
  }

  /// The names that the pattern gives to parts of `value`; nil when the rule is not for it.
  func match(_ value: [UInt8]) -> Variables? { pattern.match(value) }
}

extension ResponseRule.Pattern {
  /// The names that it gives to parts of `value`; nil when that is another.
  func match(_ value: [UInt8]) -> Variables? {
    switch self {
    case .any: Variables()
    case .exactly(let octets): value == octets ? Variables() : nil
    case .beginning(let octets): value.starts(with: octets) ? Variables() : nil
    case .like(let pattern): pattern.match(value)
    }
  }
}

/// One consequence of a write.
public struct ResponseAction: Sendable, Hashable {
  /// What happens to the value.
  public enum Kind: Sendable, Hashable {
    /// The value is kept, and sent to a subscriber.
    case notify
    /// The value is kept.
    case set
  }

  /// What happens to the value.
  public var kind: Kind
  /// The characteristic it happens on; nil: the one that was written. Where several of the device
  /// match, the first.
  public var characteristic: CharacteristicSelector?
  /// The value that is kept or sent; it may name what was written, and the pattern's names.
  public var value: ValueTemplate
  /// How long after the write; nothing happens if the link is down by then.
  public var delay: Duration

  /// One consequence of a write; see the properties.
  public init(
    _ kind: Kind,
    characteristic: BluetoothUUID? = nil,
    value: ValueTemplate,
    after delay: Duration = .zero
  ) {
    self.kind = kind
    self.characteristic = characteristic.map { CharacteristicSelector(characteristic: $0) }
    self.value = value
    self.delay = delay
  }
}
