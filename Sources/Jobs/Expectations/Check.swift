// One comparison: what makes a value good.

public import Bluetooth

/// A comparison of one value.
public enum Check: Hashable, Sendable, CustomStringConvertible {
  case equal(Literal)
  case notEqual(Literal)
  case above(Double)
  case atLeast(Double)
  case below(Double)
  case atMost(Double)
  /// Both ends belong to it.
  case between(Double, Double)
  case oneOf([Literal])
  /// Compares with a value that is captured before: it becomes one of the others when the step runs.
  case captured(Relation, VariablePath)

  /// How a value stands to another.
  public enum Relation: String, Hashable, Sendable {
    case equal = "="
    case notEqual = "!="
    case above = ">"
    case atLeast = ">="
    case below = "<"
    case atMost = "<="
  }

  /// Whether a value passes. What is no number passes no comparison of numbers.
  public func passes(_ value: DecodedValue) -> Bool {
    switch self {
    case .equal(let literal): literal.equals(value)
    case .notEqual(let literal): !literal.equals(value)
    case .above(let bound): value.number.map { $0 > bound } ?? false
    case .atLeast(let bound): value.number.map { $0 >= bound } ?? false
    case .below(let bound): value.number.map { $0 < bound } ?? false
    case .atMost(let bound): value.number.map { $0 <= bound } ?? false
    case .between(let low, let high): value.number.map { $0 >= low && $0 <= high } ?? false
    case .oneOf(let literals): literals.contains { $0.equals(value) }
    case .captured: false
    }
  }

  /// The comparison in the one-line form: `>= 10`, `in 10..40`, `in chest,wrist`.
  public var description: String {
    switch self {
    case .equal(let literal): "= \(literal)"
    case .notEqual(let literal): "!= \(literal)"
    case .above(let bound): "> \(Self.text(bound))"
    case .atLeast(let bound): ">= \(Self.text(bound))"
    case .below(let bound): "< \(Self.text(bound))"
    case .atMost(let bound): "<= \(Self.text(bound))"
    case .between(let low, let high): "in \(Self.text(low))..\(Self.text(high))"
    case .oneOf(let literals): "in " + literals.map(\.listed).joined(separator: ",")
    case .captured(let relation, let path): "\(relation.rawValue) {\(path)}"
    }
  }

  /// A number without a needless `.0`.
  private static func text(_ number: Double) -> String {
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
