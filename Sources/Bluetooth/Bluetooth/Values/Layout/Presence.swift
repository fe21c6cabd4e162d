// The condition under which a field of a value is present.

/// The condition under which a field is present: mostly a bit of the preceding flags.
///
/// "Flags" here includes the op code of a control point, which also decides which fields follow.
enum Presence: Hashable, Sendable {
  case always
  /// The flags under `mask` are `value`.
  case bits(mask: UInt64, value: UInt64)
  /// Bit `bit` of the flags is 0; it is set to say that the field is not sent.
  case unless(UInt64)
  /// The flags as a whole are one of these: op codes.
  case oneOf([UInt64])
  /// The flags as a whole are none of these: unknown op codes.
  case noneOf([UInt64])
  /// At least this many octets are left; for fields that a device may omit at the end.
  case ifMore(octets: Int)
  /// Octets are left, and the flags as a whole are one of these.
  case ifMoreFor([UInt64])
  /// The condition of a description holds.
  case when(FieldCondition)

  /// Bit `bit` of the flags is 1.
  static func set(_ bit: UInt64) -> Presence { .bits(mask: 1 << bit, value: 1 << bit) }

  /// Bit `bit` of the flags is 0.
  static func clear(_ bit: UInt64) -> Presence { .bits(mask: 1 << bit, value: 0) }

  /// Bit `bit` is 1, and bit `other` has the given value.
  static func set(_ bit: UInt64, with other: UInt64, _ isSet: Bool) -> Presence {
    .bits(mask: 1 << bit | 1 << other, value: 1 << bit | (isSet ? 1 << other : 0))
  }

  /// Whether the field is present.
  func holds(_ flags: UInt64, remaining: Int, _ scope: FieldScope? = nil) -> Bool {
    switch self {
    case .always: true
    case .bits(let mask, let value): flags & mask == value
    case .unless(let bit): flags >> bit & 1 == 0
    case .oneOf(let values): values.contains(flags)
    case .noneOf(let values): !values.contains(flags)
    case .ifMore(let octets): remaining >= octets
    case .ifMoreFor(let values): remaining > 0 && values.contains(flags)
    case .when(let condition): scope.map { condition.holds(in: $0, remaining: remaining) } ?? false
    }
  }
}
