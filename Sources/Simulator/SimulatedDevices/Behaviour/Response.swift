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

  /// The place of the first rule for a write of `value`, with what its names stand for.
  func rule(for value: [UInt8]) -> (place: Int, names: Variables)? {
    for (place, rule) in rules.enumerated() {
      if let names = rule.match(value) { return (place, names) }
    }
    return nil
  }

  /// What a write of a value brings about that no rule is for.
  func rule(for value: [UInt8], _ unrecorded: UnrecordedWrite?) -> ResponseRule {
    switch unrecorded {
    case .accept?, nil: ResponseRule()
    case .refuse?: ResponseRule(refusal: .requestNotSupported)
    case .nearest?:
      rules.filter { $0.pattern.octets != nil }.min { $0.isNearer($1, to: value) } ?? ResponseRule()
    }
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
    pattern: Pattern = .any, refusal: ATTErrorCode? = nil, actions: [ResponseAction] = []
  ) {
    self.pattern = pattern
    self.refusal = refusal
    self.actions = actions
  }

  /// The names that the pattern gives to parts of `value`; nil when the rule is not for it.
  func match(_ value: [UInt8]) -> Variables? { pattern.match(value) }

  /// Whether it is nearer to `value` than another one: it has more first bytes in common with it, or as
  /// many and the smaller difference.
  fileprivate func isNearer(_ other: ResponseRule, to value: [UInt8]) -> Bool {
    guard let own = pattern.octets, let others = other.pattern.octets else { return false }
    let common = [own, others].map { zip($0, value).prefix { $0 == $1 }.count }
    if common[0] != common[1] { return common[0] > common[1] }
    return Self.difference(own, value) < Self.difference(others, value)
  }

  /// The differences of all bytes; one that only one of the values has counts 256.
  private static func difference(_ one: [UInt8], _ other: [UInt8]) -> Int {
    zip(one, other).reduce(256 * abs(one.count - other.count)) { $0 + abs(Int($1.0) - Int($1.1)) }
  }
}

extension ResponseRule.Pattern: CustomStringConvertible {
  /// Its bytes, or what it is.
  public var description: String {
    func spaced(_ octets: [UInt8]) -> String {
      octets.isEmpty ? "nothing" : octets.map { hexadecimal($0) }.joined(separator: " ")
    }
    return switch self {
    case .any: "any other value"
    case .exactly(let octets): spaced(octets)
    case .beginning(let octets): "\(spaced(octets)) …"
    case .like: "a pattern"
    }
  }

  /// The bytes that it names; nil for one that names none.
  fileprivate var octets: [UInt8]? {
    switch self {
    case .exactly(let octets), .beginning(let octets): octets
    case .any, .like: nil
    }
  }

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
    _ kind: Kind, characteristic: BluetoothUUID? = nil, value: ValueTemplate,
    after delay: Duration = .zero
  ) {
    self.kind = kind
    self.characteristic = characteristic.map { CharacteristicSelector(characteristic: $0) }
    self.value = value
    self.delay = delay
  }
}

/// What a write brings about that no rule of `responses` matches.
public enum UnrecordedWrite: String, CaseIterable, Sendable, Hashable {
  /// It is accepted, and nothing follows.
  case accept
  /// It is refused with Request Not Supported, also by a constant value.
  case refuse
  /// It has the consequences of the nearest value that a rule names; accepted where no rule does.
  case nearest
}

/// A rule of `responses` that no write has matched.
public struct UnusedResponse: Hashable, Sendable, CustomStringConvertible {
  /// The name of the device, or its address.
  public let device: String
  /// The characteristic, as it is written in device files.
  public let characteristic: String
  /// The index of the rule among those of the characteristic, from 1.
  public let index: Int
  /// The values that the rule is for.
  public let pattern: ResponseRule.Pattern

  /// A sentence without its full stop.
  public var description: String {
    "\(device): response \(index) of \(characteristic), to \(pattern), was never used"
  }
}
