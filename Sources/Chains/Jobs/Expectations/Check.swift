// One comparison of a value.

public import Bluetooth
import Documents

/// A comparison of one value.
public enum Check: Hashable, Sendable, CustomStringConvertible {
  /// Equal to a literal: as numbers where both are, as text otherwise.
  case equal(Literal)
  /// Not equal to a literal.
  case notEqual(Literal)
  /// A number above the bound.
  case above(Bound)
  /// A number of at least the bound.
  case atLeast(Bound)
  /// A number below the bound.
  case below(Bound)
  /// A number of at most the bound.
  case atMost(Bound)
  /// Both ends are included.
  case between(Bound, Bound)
  /// Equal to one of the literals.
  case oneOf([Literal])
  /// A whole number whose bits under the mask have this value.
  case masked(UInt64, equal: UInt64)
  /// A pattern for a text, or for octets as hexadecimal digits; `*` and `?` are wildcards.
  case like(String)
  /// A number that increases by one from value to value. A single value passes.
  case counts(CounterRule)
  /// A comparison with a captured value, which replaces this case when the step runs.
  case captured(Relation, VariablePath)

  /// The relation of two values.
  public enum Relation: String, Hashable, Sendable {
    /// Both are equal.
    case equal = "="
    /// They differ.
    case notEqual = "!="
    /// The value is greater.
    case above = ">"
    /// The value is greater or equal.
    case atLeast = ">="
    /// The value is smaller.
    case below = "<"
    /// The value is smaller or equal.
    case atMost = "<="

    /// The comparison with a number; nil for equality, which compares any value.
    func check(_ bound: Bound) -> Check? {
      switch self {
      case .equal, .notEqual: nil
      case .above: .above(bound)
      case .atLeast: .atLeast(bound)
      case .below: .below(bound)
      case .atMost: .atMost(bound)
      }
    }
  }

  /// Whether a value passes. A value that is not a number fails comparisons of numbers.
  ///
  /// ```swift
  /// print(Check.between(10, 40).passes(.real(21.5, decimals: 1)))  // true
  /// ```
  public func passes(_ value: DecodedValue) -> Bool {
    switch self {
    case .equal(let literal): literal.equals(value)
    case .notEqual(let literal): !literal.equals(value)
    case .above(let bound): bound.holds(for: value, >, >)
    case .atLeast(let bound): bound.holds(for: value, >=, >=)
    case .below(let bound): bound.holds(for: value, <, <)
    case .atMost(let bound): bound.holds(for: value, <=, <=)
    case .between(let low, let high):
      low.holds(for: value, >=, >=) && high.holds(for: value, <=, <=)
    case .oneOf(let literals): literals.contains { $0.equals(value) }
    case .masked(let mask, let bits): value.bits.map { $0 & mask == bits } ?? false
    case .like(let pattern): Self.glob(pattern, for: value).matches("\(value)")
    case .counts: value.number != nil
    case .captured: false
    }
  }

  /// The comparison in the one-line form: `>= 10`, `in 10..40`, `in chest,wrist`.
  ///
  /// ```swift
  /// print(Check.oneOf(["chest", "wrist"]))  // in chest,wrist
  /// ```
  public var description: String { description { $0.description } }

  /// The comparison of a time in ms, as durations: `< 200ms`.
  var describingTime: String { description { Duration.microseconds($0.value * 1000).written } }

  private func description(_ text: (Bound) -> String) -> String {
    switch self {
    case .equal(let literal): "= \(literal)"
    case .notEqual(let literal): "!= \(literal)"
    case .above(let bound): "> \(text(bound))"
    case .atLeast(let bound): ">= \(text(bound))"
    case .below(let bound): "< \(text(bound))"
    case .atMost(let bound): "<= \(text(bound))"
    case .between(let low, let high): "in \(text(low))..\(text(high))"
    case .oneOf(let literals): "in " + literals.map(\.listed).joined(separator: ",")
    case .masked(let mask, let bits): "& \(Self.hex(mask)) = \(Self.hex(bits))"
    case .like(let pattern): "~ \(Quoting.quoted(MessageTemplate.escaped(pattern)))"
    case .counts(let rule): "\(rule)"
    case .captured(let relation, let path): "\(relation.rawValue) {\(path)}"
    }
  }

  /// The captured value that it compares with.
  var references: [VariablePath] {
    if case .captured(_, let path) = self { [path] } else { [] }
  }

  /// The counter rule, if this is one.
  var counter: CounterRule? { if case .counts(let rule) = self { rule } else { nil } }

  /// The pattern; for octets without spaces and in lower case.
  private static func glob(_ pattern: String, for value: DecodedValue) -> Glob {
    guard case .octets = value.only else { return Glob(pattern) }
    return Glob(pattern.lowercased().filter { $0 != " " })
  }

  private static func hex(_ bits: UInt64) -> String {
    let digits = String(bits, radix: 16)
    return "0x" + (digits.utf8.count == 1 ? "0" : "") + digits
  }
}
