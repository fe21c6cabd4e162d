// Whether something is to happen: `$received >= $size`.

/// A comparison of two calculations.
public struct Condition: Sendable, Hashable {
  /// How two numbers are compared.
  public enum Comparison: String, CaseIterable, Sendable, Hashable {
    // The long ones first: one is the beginning of another.
    /// The left one is smaller or equal.
    case atMost = "<="
    /// The left one is greater or equal.
    case atLeast = ">="
    /// They differ.
    case unequal = "!="
    /// The left one is smaller.
    case less = "<"
    /// The left one is greater.
    case more = ">"
    /// Both are equal.
    case equal = "="
  }

  /// What is compared.
  public var left: Expression
  /// How they are compared.
  public var comparison: Comparison
  /// What it is compared with.
  public var right: Expression

  /// A comparison of two calculations.
  public init(_ left: Expression, _ comparison: Comparison, _ right: Expression) {
    self.left = left
    self.comparison = comparison
    self.right = right
  }

  /// Reads `$received >= $size`.
  ///
  /// - Returns: nil when that is not what it is.
  public init?(written text: String) {
    let isSign: (Character) -> Bool = { "<>=!".contains($0) }
    guard let start = text.firstIndex(where: isSign) else { return nil }
    let sign = text[start...].prefix(while: isSign)
    guard let comparison = Comparison(rawValue: String(sign)),
      let left = Expression(written: String(text[..<start])),
      let right = Expression(written: String(text[sign.endIndex...]))
    else { return nil }
    self.init(left, comparison, right)
  }

  func holds(in scope: Scope) -> Bool {
    let (left, right) = (left.value(in: scope), right.value(in: scope))
    return switch comparison {
    case .atMost: left <= right
    case .atLeast: left >= right
    case .unequal: left != right
    case .less: left < right
    case .more: left > right
    case .equal: left == right
    }
  }
}
