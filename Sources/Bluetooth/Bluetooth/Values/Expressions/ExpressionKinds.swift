// The kinds of the values in an expression, as far as they are known before there are any.

import Spelling

extension Expression {
  /// The kind of a value; unknown kinds are nil.
  package indirect enum Kind: Hashable, Sendable {
    /// A number; whether some are a text instead, such as "unknown".
    case number(orText: Bool)
    /// One of these names.
    case choice([String])
    case text, time, boolean, octets
    /// A list, with the kind of its elements.
    case list(Kind?)

    package static let number = Kind.number(orText: false)

    package init(_ kind: ValueKind) {
      self =
        switch kind {
        case .number(let orText, _, _): .number(orText: orText)
        case .choice(let names, let isOpen): isOpen ? .text : .choice(names)
        case .time: .time
        case .boolean: .boolean
        case .text: .text
        case .octets: .octets
        }
    }

    /// Whether it can be calculated with; true and false are 1 and 0.
    package var isNumber: Bool {
      switch self {
      case .number, .boolean: true
      case .choice, .text, .time, .octets, .list: false
      }
    }

    fileprivate var isText: Bool {
      switch self {
      case .text, .choice, .time, .number(orText: true): true
      case .number, .boolean, .octets, .list: false
      }
    }

    fileprivate var hasOctets: Bool {
      switch self {
      case .octets, .text, .choice, .time, .list: true
      case .number, .boolean: false
      }
    }

    /// The kind, for messages.
    package var shown: String {
      switch self {
      case .number: "a number"
      case .choice, .text: "a text"
      case .time: "a time"
      case .boolean: "true or false"
      case .octets: "bytes"
      case .list: "a list"
      }
    }
  }

  /// The kind of the result; nil where it is unknown.
  package func kind(_ kind: (Name) -> Kind?) -> Kind? {
    var check = ExpressionCheck(self, names.map(kind))
    return check.kind(of: root)
  }

  /// All uses of values for what their kind has no meaning.
  ///
  /// - Parameters:
  ///   - isCondition: Whether the result has to be true or false.
  ///   - kind: Returns the kind of a name; nil where it is unknown.
  package func problems(isCondition: Bool, _ kind: (Name) -> Kind?) -> [ExpressionProblem] {
    var check = ExpressionCheck(self, names.map(kind))
    if isCondition { check.needTruth(root) } else { _ = check.kind(of: root) }
    return check.problems
  }

  /// The names that are not among the known ones, each with what was probably meant.
  package func unknownNames(among known: [String]) -> [ExpressionProblem] {
    names.filter { !known.contains($0.text) }.map { name in
      Self.unknown(name.text, at: name.offset, among: known)
    }
  }

  /// The mistake of a name that is not known.
  ///
  /// - Parameter what: The thing that has the name.
  package static func unknown(
    _ name: String, _ what: String = "name", at offset: Int, among known: [String]
  ) -> ExpressionProblem {
    let message = "unknown \(what) '\(name)'"
    if let hyphen = name.firstIndex(of: "-"), known.contains(String(name[..<hyphen])) {
      let rest = name[name.index(after: hyphen)...]
      let difference = "\(name[..<hyphen]) - \(rest)"
      return ExpressionProblem(message, expected: "\(difference) for a difference", at: offset)
    }
    let nearest = Spelling.nearest(to: name, among: known)
    let all = nearest == nil && !known.isEmpty && known.count <= 32
    return ExpressionProblem(
      message, expected: all ? "one of \(known.joined(separator: ", "))" : nil, nearest: nearest,
      at: offset
    )
  }
}

/// A check of the kinds in one expression.
struct ExpressionCheck {
  private let expression: Expression
  private let kinds: [Expression.Kind?]
  private(set) var problems: [ExpressionProblem] = []

  init(_ expression: Expression, _ kinds: [Expression.Kind?]) {
    self.expression = expression
    self.kinds = kinds
  }

  /// The kind of a part; its mistakes are collected.
  mutating func kind(of node: ExpressionNode) -> Expression.Kind? {
    switch node.form {
    case .constant(.text): return .text
    case .constant(.boolean): return .boolean
    case .constant: return .number
    case .name(let index): return kinds[index]
    case .prefix(.not, let operand):
      needTruth(operand)
      return .boolean
    case .prefix(_, let operand):
      needNumber(operand)
      return .number
    case .infix(let sign, let left, let right):
      if sign == .or || sign == .and {
        needTruth(left)
        needTruth(right)
        return .boolean
      }
      if ExpressionOperator.comparisons.contains(sign) {
        compare(sign, left, right)
        return .boolean
      }
      needNumber(left)
      needNumber(right)
      return .number
    case .call(let function, let arguments): return kind(of: function, arguments)
    case .field(let whole, _):
      _ = kind(of: whole)
      return nil
    case .element(let whole, let index):
      needNumber(index)
      switch kind(of: whole) {
      case .list(let element)?: return element
      case .octets?: return .number
      case nil: return nil
      case let other?: return complain(whole, other, expected: "bytes or a list")
      }
    case .slice(let whole, _):
      let kind = kind(of: whole)
      switch kind {
      case .list?, .octets?, nil: return kind
      case let other?: return complain(whole, other, expected: "bytes or a list")
      }
    }
  }

  private mutating func kind(
    of function: ExpressionFunction, _ arguments: [ExpressionNode]
  ) -> Expression.Kind? {
    switch function {
    case .abs, .round:
      arguments.forEach { needNumber($0) }
    case .hex:
      if let kind = kind(of: arguments[0]), !kind.isNumber, kind != .octets {
        complain(arguments[0], kind, expected: "bytes or a number")
      }
      return .text
    case .len:
      if let kind = kind(of: arguments[0]), !kind.hasOctets {
        complain(arguments[0], kind, expected: "bytes, a text or a list")
      }
    case .min, .max, .sum, .mean:
      guard arguments.count == 1, let kind = kind(of: arguments[0]) else {
        if arguments.count > 1 { arguments.forEach { needNumber($0) } }
        break
      }
      if case .list(let element) = kind {
        if let element, !element.isNumber { complain(arguments[0], element, expected: "numbers") }
      } else {
        complain(arguments[0], kind, expected: "a list")
      }
    case .distinct:
      guard let kind = kind(of: arguments[0]) else { break }
      guard case .list = kind else { complain(arguments[0], kind, expected: "a list"); break }
    case .sum8, .xor8, .crc8, .crc16, .crc32:
      if let kind = kind(of: arguments[0]), !kind.hasOctets {
        complain(arguments[0], kind, expected: "bytes")
      }
    }
    return .number
  }

  private mutating func compare(
    _ sign: ExpressionOperator, _ left: ExpressionNode, _ right: ExpressionNode
  ) {
    guard let a = kind(of: left), let b = kind(of: right) else { return }
    if sign != .equal, sign != .unequal {
      let haveOrder = a.isNumber && b.isNumber || [a, b].contains(.time) && a.isText && b.isText
      guard !haveOrder else { return }
      complain(a.isNumber ? right : left, a.isNumber ? b : a, expected: "a number")
      return
    }
    checkChoice(a, right)
    checkChoice(b, left)
    let canEqual =
      a.isNumber && b.isNumber || a.isText && b.isText
      || a == .octets && (b == .octets || b == .text) || b == .octets && a == .text
    if case (.list, .list) = (a, b) { return }
    guard !canEqual else { return }
    problems.append(
      ExpressionProblem(
        "\(shown(left)) is \(a.shown), and \(shown(right)) is \(b.shown)",
        expected: "two values of one kind", at: left.range.lowerBound
      )
    )
  }

  /// A part in quotes, if it is not one itself.
  private func shown(_ node: ExpressionNode) -> String {
    if case .constant(.text) = node.form { return expression.text(of: node) }
    return "'\(expression.text(of: node))'"
  }

  /// Complains of a text that is none of the names that a value may have.
  private mutating func checkChoice(_ kind: Expression.Kind, _ node: ExpressionNode) {
    guard case .choice(let names) = kind, case .constant(.text(let text)) = node.form,
      !names.contains(text)
    else { return }
    problems.append(
      Expression.unknown(text, at: node.range.lowerBound, among: names)
    )
  }

  private mutating func needNumber(_ node: ExpressionNode) {
    if let kind = kind(of: node), !kind.isNumber { complain(node, kind, expected: "a number") }
  }

  mutating func needTruth(_ node: ExpressionNode) {
    let before = problems.count
    guard let kind = kind(of: node), kind != .boolean, problems.count == before else { return }
    complain(node, kind, expected: "a comparison such as \(expression.text(of: node)) != 0")
  }

  @discardableResult
  private mutating func complain(
    _ node: ExpressionNode, _ kind: Expression.Kind, expected: String
  ) -> Expression.Kind? {
    problems.append(
      ExpressionProblem(
        "'\(expression.text(of: node))' is \(kind.shown)", expected: expected,
        at: node.range.lowerBound
      )
    )
    return nil
  }
}

extension Expression {
  /// The values that names must have for a condition to be true: `flag`, `not flag` and
  /// `state = 3`, joined by `and`. Nil for any other condition.
  package var requirements: [(name: Name, value: DecodedValue)]? { requirements(of: root) }

  private func requirements(of node: ExpressionNode) -> [(name: Name, value: DecodedValue)]? {
    switch node.form {
    case .name(let index): return [(names[index], .boolean(true))]
    case .prefix(.not, let operand):
      guard case .name(let index) = operand.form else { return nil }
      return [(names[index], .boolean(false))]
    case .infix(.and, let left, let right):
      guard let left = requirements(of: left), let right = requirements(of: right) else {
        return nil
      }
      return left + right
    case .infix(.equal, let left, let right):
      switch (left.form, right.form) {
      case (.name(let index), .constant(let value)), (.constant(let value), .name(let index)):
        return [(names[index], value)]
      default: return nil  // open: all other pairs of forms
      }
    case .constant, .prefix, .infix, .call, .field, .element, .slice: return nil
    }
  }

  /// The name and the number that is added to it, for `length`, `length - 4` and `length + 1`; nil
  /// for any other expression.
  package var displaced: (name: Name, by: Int128)? {
    switch root.form {
    case .name(let index): return (names[index], 0)
    case .infix(let sign, let left, let right):
      guard case .name(let index) = left.form, case .constant(.integer(let number)) = right.form
      else { return nil }
      if sign == .plus { return (names[index], number) }
      return sign == .minus ? (names[index], -number) : nil
    case .constant, .prefix, .call, .field, .element, .slice: return nil
    }
  }
}
