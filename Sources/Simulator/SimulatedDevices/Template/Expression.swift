// Integer expressions: `$last - $first + 1`.
//
// They have integers, + - * /, variables, and the size of a variable or table; device machines need
// no more. Pure.

/// An integer expression. Products are evaluated before sums, otherwise from left to right.
struct Expression: Sendable, Hashable {
  /// One operand.
  enum Operand: Sendable, Hashable {
    case number(Int64)
    /// The value of a number variable.
    case variable(String)
    /// The number of bytes of a variable, or of rows of a table.
    case count(String)
  }

  /// The operator in front of an operand.
  enum Operation: Character, Sendable, Hashable {
    case plus = "+"
    case minus = "-"
    case times = "*"
    /// Integer division; division by zero yields 0.
    case divided = "/"
  }

  /// The operands in order, each with its operator. The first operator is plus or minus.
  private(set) var terms: [(operation: Operation, operand: Operand)] = []

  /// Parses an expression such as `$last - $first + 1`, `$image.count` or `-3`.
  ///
  /// - Returns: nil if the text is not one.
  init?(written text: String) {
    var rest = text.drop { $0 == " " }
    var operation = Operation.plus
    if rest.first == "-" {
      operation = .minus
      rest = rest.dropFirst().drop { $0 == " " }
    }
    while true {
      guard let operand = Self.operand(&rest) else { return nil }
      terms.append((operation, operand))
      rest = rest.drop { $0 == " " }
      guard let sign = rest.first else { return }
      guard let next = Operation(rawValue: sign) else { return nil }
      operation = next
      rest = rest.dropFirst().drop { $0 == " " }
    }
  }

  /// The first sign of a text that no calculation has, and what to write in its place; nil without one.
  static func unknown(in text: String) -> (message: String, expected: String)? {
    let sign = text.first { sign in
      !sign.isLetter && !sign.isNumber && !"$_. ".contains(sign) && Operation(rawValue: sign) == nil
    }
    guard let sign else { return nil }
    guard "()[]{}".contains(sign) else {
      return ("a calculation has no '\(sign)'", "whole numbers and names with + - * /")
    }
    return (
      "a calculation has no parentheses",
      "products before sums, such as $a * 2 + $b * 2, or a variable that a let sets to the inner part"
    )
  }

  private static func operand(_ rest: inout Substring) -> Operand? {
    let isName = rest.first == "$"
    if isName { rest = rest.dropFirst() }
    let word = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") || $0 == "_" }
    rest = rest.dropFirst(word.count)
    guard isName else {
      let isHex = word.hasPrefix("0x")
      return (isHex ? Int64(word.dropFirst(2), radix: 16) : Int64(word)).map { .number($0) }
    }
    if word.hasSuffix(".count") {
      let name = word.dropLast(6)
      return isVariableName(name) ? .count(String(name)) : nil
    }
    return isVariableName(word) ? .variable(String(word)) : nil
  }

  /// True if the name is valid after a `$`: letters, digits and underscores, beginning with a
  /// letter.
  static func isVariableName(_ name: some StringProtocol) -> Bool {
    guard let first = name.first, first.isASCII, first.isLetter else { return false }
    return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" }
  }

  /// The variables in the expression, and whether their size is used.
  var names: [(name: String, isCounted: Bool)] {
    terms.compactMap { term in
      switch term.operand {
      case .number: nil
      case .variable(let name): (name, false)
      case .count(let name): (name, true)
      }
    }
  }

  /// The result, limited to 64 bits; division by zero yields 0.
  func value(in scope: Scope) -> Int64 {
    var sum: Int128 = 0
    var product: Int128 = 0
    for (operation, operand) in terms {
      let number = Int128(Self.value(of: operand, scope))
      switch operation {
      case .plus, .minus:
        sum += product
        product = operation == .plus ? number : -number
      case .times: product = Int128(Int64(clamping: product * number))
      case .divided: product = number == 0 ? 0 : product / number
      }
    }
    return Int64(clamping: sum + product)
  }

  private static func value(of operand: Operand, _ scope: Scope) -> Int64 {
    switch operand {
    case .number(let number): return number
    case .variable(let name): return scope.variables.number(name)
    case .count(let name):
      if case .octets(let octets) = scope.variables[name] { return Int64(octets.count) }
      return Int64(scope.rows(name).count)
    }
  }

  static func == (left: Expression, right: Expression) -> Bool {
    left.terms.elementsEqual(right.terms) { $0 == $1 }
  }

  func hash(into hasher: inout Hasher) {
    for term in terms {
      hasher.combine(term.operation)
      hasher.combine(term.operand)
    }
  }
}
