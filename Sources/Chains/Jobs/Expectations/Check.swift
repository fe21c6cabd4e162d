// One comparison of a value.
//
// It has no subject: Expectation and Condition.Test say which value is compared.

public import Bluetooth
import Documents

public enum Check: Hashable, Sendable, CustomStringConvertible {
  /// Equality with a literal: as numbers if both are numbers, otherwise as text.
  case equal(Literal)
  case notEqual(Literal)
  case above(Bound)
  case atLeast(Bound)
  case below(Bound)
  case atMost(Bound)
  /// A range that includes both ends.
  case between(Bound, Bound)
  /// Equality with one of the literals.
  case oneOf([Literal])
  /// A whole number whose bits under the mask equal the second value.
  case masked(UInt64, equal: UInt64)
  /// A pattern for text, or for bytes as hexadecimal digits; `*` and `?` are wildcards.
  case like(String)
  /// A counter that increases by one with each value. A single value always passes.
  case counts(CounterRule)
  /// A comparison with a captured value; when the step runs, it is replaced by the case for that
  /// value.
  case captured(Relation, VariablePath)
  /// A comparison with a calculation of captured values, also replaced when the step runs.
  case calculated(Relation, Calculation)

  /// The relation of two values.
  public enum Relation: String, Hashable, Sendable {
    case equal = "="
    case notEqual = "!="
    case above = ">"
    case atLeast = ">="
    case below = "<"
    case atMost = "<="

    /// The comparison with a number; nil for equality, which also compares other values.
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

  /// Whether a value passes. A value that is not a number fails every comparison with a number.
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
    case .captured, .calculated: false
    }
  }

  /// The one-line form: `>= 10`, `in 10..40`, `in chest,wrist`.
  ///
  /// ```swift
  /// print(Check.oneOf(["chest", "wrist"]))  // in chest,wrist
  /// ```
  public var description: String { description { $0.description } }

  /// The one-line form of a time in ms, written as a duration: `< 200ms`.
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
    case .calculated(let relation, let calculation):
      "\(relation.rawValue) \(Quoting.quoted("{\(calculation)}"))"
    }
  }

  /// The captured values that the check compares with.
  var references: [VariablePath] {
    switch self {
    case .captured(_, let path): [path]
    case .calculated(_, let calculation): calculation.paths
    case .equal, .notEqual, .above, .atLeast, .below, .atMost, .between, .oneOf, .masked, .like,
      .counts:
      []
    }
  }

  /// The counter rule; nil for other checks.
  var counter: CounterRule? { if case .counts(let rule) = self { rule } else { nil } }

  /// The pattern; for bytes, in lower case and without spaces.
  private static func glob(_ pattern: String, for value: DecodedValue) -> Glob {
    guard case .octets = value.only else { return Glob(pattern) }
    return Glob(pattern.lowercased().filter { $0 != " " })
  }

  private static func hex(_ bits: UInt64) -> String {
    let digits = String(bits, radix: 16)
    return "0x" + (digits.utf8.count == 1 ? "0" : "") + digits
  }
}
