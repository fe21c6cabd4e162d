// A condition such as `$received >= $size`.

/// A comparison of two expressions.
struct Condition: Sendable, Hashable {
  enum Comparison: String, Sendable, Hashable {
    case atMost = "<="
    case atLeast = ">="
    case unequal = "!="
    case less = "<"
    case more = ">"
    case equal = "="
  }

  let left: Expression
  let comparison: Comparison
  let right: Expression

  /// Parses a comparison such as `$received >= $size`.
  ///
  /// - Returns: nil if the text is not one.
  init?(written text: String) {
    let isSign: (Character) -> Bool = { "<>=!".contains($0) }
    guard let start = text.firstIndex(where: isSign) else { return nil }
    let sign = text[start...].prefix(while: isSign)
    guard let comparison = Comparison(rawValue: String(sign)),
      let left = Expression(written: String(text[..<start])),
      let right = Expression(written: String(text[sign.endIndex...]))
    else { return nil }
    (self.left, self.comparison, self.right) = (left, comparison, right)
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
