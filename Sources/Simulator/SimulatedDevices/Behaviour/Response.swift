// The effects of a write.

public import Bluetooth
import Documents

/// A control point: the written value selects a rule, which acts on this or other characteristics.
///
/// The first matching rule applies. A write that is not refused is stored first, then the rule's
/// actions run.
public struct Response: Sendable, Hashable {
  /// The value before the first write.
  public var initial: [UInt8]
  /// The rules; the first matching one applies.
  public var rules: [ResponseRule]

  /// Creates a control point with these rules.
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

  /// The index of the first matching rule, with the variables that it captured.
  func rule(for value: [UInt8]) -> (place: Int, names: Variables)? {
    for (place, rule) in rules.enumerated() {
      if let names = rule.match(value) { return (place, names) }
    }
    return nil
  }

  /// The effect of a write that no rule matches.
  func rule(for value: [UInt8], _ unrecorded: UnrecordedWrite?) -> ResponseRule {
    switch unrecorded {
    case .accept?, nil: ResponseRule()
    case .refuse?: ResponseRule(refusal: .requestNotSupported)
    case .nearest?:
      rules.filter { $0.pattern.octets != nil }.min { $0.isNearer($1, to: value) } ?? ResponseRule()
    }
  }
}

/// A rule for a written value.
public struct ResponseRule: Sendable, Hashable {
  /// A condition on the written value.
  public enum Pattern: Sendable, Hashable {
    /// Any value.
    case any
    /// Exactly this value.
    case exactly([UInt8])
    /// Any value that begins with these bytes.
    case beginning([UInt8])
    /// Any value that matches a pattern, which may capture variables.
    case like(BytePattern)
    /// Any value of a description whose fields are as written; those that are not written may be
    /// anything.
    case described(DescribedPattern)
  }

  /// The values that the rule applies to.
  public var pattern: Pattern
  /// The error that refuses the write; nil: it is accepted.
  public var refusal: ATTErrorCode?
  /// The actions, in order.
  public var actions: [ResponseAction]

  /// Creates a rule for matching values.
  public init(
    pattern: Pattern = .any, refusal: ATTErrorCode? = nil, actions: [ResponseAction] = []
  ) {
    self.pattern = pattern
    self.refusal = refusal
    self.actions = actions
  }

  /// The variables that the pattern captures; nil if it does not match.
  func match(_ value: [UInt8]) -> Variables? { pattern.match(value) }

  /// True if this rule's bytes are nearer to `value` than those of `other`: they share a longer
  /// prefix with it, or an equal one with a smaller difference.
  fileprivate func isNearer(_ other: ResponseRule, to value: [UInt8]) -> Bool {
    guard let own = pattern.octets, let others = other.pattern.octets else { return false }
    let common = [own, others].map { zip($0, value).prefix { $0 == $1 }.count }
    if common[0] != common[1] { return common[0] > common[1] }
    return Self.difference(own, value) < Self.difference(others, value)
  }

  /// The sum of the byte differences; a byte that only one value has counts 256.
  private static func difference(_ one: [UInt8], _ other: [UInt8]) -> Int {
    zip(one, other).reduce(256 * abs(one.count - other.count)) { $0 + abs(Int($1.0) - Int($1.1)) }
  }
}

extension ResponseRule.Pattern: CustomStringConvertible {
  /// The bytes in hexadecimal, or a description of the pattern.
  public var description: String {
    func spaced(_ octets: [UInt8]) -> String {
      octets.isEmpty ? "nothing" : octets.map { hexadecimal($0) }.joined(separator: " ")
    }
    return switch self {
    case .any: "any other value"
    case .exactly(let octets): spaced(octets)
    case .beginning(let octets): "\(spaced(octets)) …"
    case .like: "a pattern"
    case .described(let pattern): "some values of \(pattern.description.name)"
    }
  }

  /// The bytes of the pattern; nil if it has none.
  fileprivate var octets: [UInt8]? {
    switch self {
    case .exactly(let octets), .beginning(let octets): octets
    case .any, .like, .described: nil
    }
  }

  /// The captured variables; nil if the value does not match.
  func match(_ value: [UInt8]) -> Variables? {
    switch self {
    case .any: Variables()
    case .exactly(let octets): value == octets ? Variables() : nil
    case .beginning(let octets): value.starts(with: octets) ? Variables() : nil
    case .like(let pattern): pattern.match(value)
    case .described(let pattern): pattern.matches(value) ? Variables() : nil
    }
  }
}

/// Some fields of a described value, with what they must be.
public struct DescribedPattern: Sendable, Hashable {
  let description: ValueDescription
  let content: DescribedContent

  func matches(_ value: [UInt8]) -> Bool {
    guard let written = content.value(in: Scope()) else { return false }
    return (try? description.decode(value))?.matches(written: written) ?? false
  }
}

/// One action after a write.
public struct ResponseAction: Sendable, Hashable {
  /// The effect on the value.
  public enum Kind: Sendable, Hashable {
    /// The value is stored, and sent to the subscriber.
    case notify
    /// The value is stored.
    case set
  }

  /// The effect on the value.
  public var kind: Kind
  /// The affected characteristic; nil: the written one. If several match, the first.
  public var characteristic: CharacteristicSelector?
  /// The new value; it may refer to the written value and the captured variables.
  public var value: ValueTemplate
  /// The delay after the write. Nothing happens if the link is down by then.
  public var delay: Duration

  /// Creates an action; see the properties.
  public init(
    _ kind: Kind, characteristic: BluetoothUUID? = nil, value: ValueTemplate,
    after delay: Duration = .zero
  ) {
    self.kind = kind
    self.characteristic = characteristic.map { CharacteristicSelector(characteristic: $0) }
    self.value = value
    self.delay = delay
  }
}

/// The effect of a write that matches no rule of `responses`.
public enum UnrecordedWrite: String, CaseIterable, Sendable, Hashable {
  /// The write is accepted, without further effect.
  case accept
  /// The write is refused with Request Not Supported, even by a constant value.
  case refuse
  /// The rule with the nearest value applies; without such a rule the write is accepted.
  case nearest
}

/// A rule of `responses` that no write has matched.
public struct UnusedResponse: Hashable, Sendable, CustomStringConvertible {
  /// The name of the device, or its address.
  public let device: String
  /// The characteristic, in the notation of device files.
  public let characteristic: String
  /// The index of the rule in its characteristic, from 1.
  public let index: Int
  /// The values that the rule applies to.
  public let pattern: ResponseRule.Pattern

  /// A sentence without a full stop.
  public var description: String {
    "\(device): response \(index) of \(characteristic), to \(pattern), was never used"
  }
}
