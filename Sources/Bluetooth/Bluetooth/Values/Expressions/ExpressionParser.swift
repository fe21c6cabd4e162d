// The words of an expression, and the tree that they make.

import Spelling

/// A parser of one text, from left to right.
struct ExpressionParser {
  private enum Word: Equatable {
    case number(DecodedValue)
    case text(String)
    /// A name with the fields behind it; whether a `$` is in front.
    case name([String], isVariable: Bool)
    case sign(ExpressionOperator)
    /// A bracket, a comma, a colon or a dot.
    case mark(Unicode.Scalar)
    case end
  }

  private let scalars: [Unicode.Scalar]
  private let text: String
  private let dialect: Expression.Dialect
  private(set) var names: [Expression.Name] = []
  /// The offset behind the current word.
  private var next = 0
  private var word = Word.end
  private var start = 0
  /// The end of the word before the current one.
  private var end = 0
  private var depth = 0

  init(_ text: String, _ dialect: Expression.Dialect) {
    self.text = text
    self.dialect = dialect
    scalars = text.utf8.count > Expression.longest ? [] : Array(text.unicodeScalars)
  }

  mutating func parse() throws(ExpressionProblem) -> ExpressionNode {
    guard text.utf8.count <= Expression.longest else {
      throw ExpressionProblem("a calculation has at most \(Expression.longest) bytes")
    }
    try advance()
    let root = try operation(level: 0)
    guard word == .end else {
      if case .sign(let sign) = word, ExpressionOperator.comparisons.contains(sign) {
        throw problem("comparisons cannot be chained", expected: "two, such as a > 1 and a < 9")
      }
      throw problem("unexpected \(shown)", expected: "an operator such as + or =")
    }
    return root
  }

  // MARK: Operators

  private mutating func operation(level: Int) throws(ExpressionProblem) -> ExpressionNode {
    guard level < ExpressionOperator.levels.count else { return try unary() }
    let operators = ExpressionOperator.levels[level]
    let isComparison = operators == ExpressionOperator.comparisons
    if isComparison, word == .sign(.not) {
      return try prefix(.not) { parser throws(ExpressionProblem) in
        try parser.operation(level: level)
      }
    }
    var left = try operation(level: level + 1)
    while case .sign(let sign) = word, operators.contains(sign) {
      try advance()
      let right = try operation(level: level + 1)
      left = ExpressionNode(
        form: .infix(sign, left, right), range: left.range.lowerBound..<right.range.upperBound
      )
      if isComparison { break }
    }
    return left
  }

  private mutating func unary() throws(ExpressionProblem) -> ExpressionNode {
    for sign in [ExpressionOperator.minus, .inverted] where word == .sign(sign) {
      return try prefix(sign) { parser throws(ExpressionProblem) in try parser.unary() }
    }
    return try postfix()
  }

  private mutating func prefix(
    _ sign: ExpressionOperator,
    _ operand: (inout ExpressionParser) throws(ExpressionProblem) -> ExpressionNode
  ) throws(ExpressionProblem) -> ExpressionNode {
    let begin = start
    try advance()
    let node = try nested(operand)
    return ExpressionNode(form: .prefix(sign, node), range: begin..<node.range.upperBound)
  }

  private mutating func nested<Result>(
    _ parse: (inout ExpressionParser) throws(ExpressionProblem) -> Result
  ) throws(ExpressionProblem) -> Result {
    guard depth < Expression.deepest else {
      throw problem("a calculation is nested at most \(Expression.deepest) levels deep")
    }
    depth += 1
    let result = try parse(&self)
    depth -= 1
    return result
  }

  private mutating func postfix() throws(ExpressionProblem) -> ExpressionNode {
    var node = try primary()
    while true {
      if word == .mark(".") {
        try advance()
        guard case .name(let path, isVariable: false) = word else {
          throw problem("unexpected \(shown)", expected: "the name of a field")
        }
        for field in path {
          node = ExpressionNode(form: .field(node, field), range: node.range.lowerBound..<next)
        }
        try advance()
      } else if word == .mark("[") {
        try advance()
        node = try nested { parser throws(ExpressionProblem) in try parser.subscripted(node) }
      } else {
        return node
      }
    }
  }

  /// The rest behind `[`: an index, or the ends of a range.
  private mutating func subscripted(
    _ node: ExpressionNode
  ) throws(ExpressionProblem) -> ExpressionNode {
    func spanning(_ end: Int) -> Range<Int> { node.range.lowerBound..<end }
    let before = self
    let low = try bound()
    if word == .mark(":") {
      try advance()
      let high = try bound()
      try expect("]")
      return ExpressionNode(
        form: .slice(node, ByteSlice(start: low, end: high)), range: spanning(end))
    }
    self = before
    let index = try operation(level: 0)
    try expect("]")
    return ExpressionNode(form: .element(node, index), range: spanning(end))
  }

  /// A whole number at the end of a range; nil if it is left out.
  private mutating func bound() throws(ExpressionProblem) -> Int? {
    let isNegative = word == .sign(.minus)
    if isNegative { try advance() }
    if isNegative, word == .mark(":") || word == .mark("]") {
      throw problem("unexpected \(shown)", expected: "a number after the minus")
    }
    guard case .number(.integer(let number)) = word, let index = Int(exactly: number) else {
      return nil
    }
    try advance()
    return isNegative ? -index : index
  }

  // MARK: Operands

  private mutating func primary() throws(ExpressionProblem) -> ExpressionNode {
    let (begin, stop) = (start, next)
    func node(_ form: ExpressionNode.Form) -> ExpressionNode {
      ExpressionNode(form: form, range: begin..<stop)
    }
    switch word {
    case .number(let value):
      try advance()
      return node(.constant(value))
    case .text(let text):
      try advance()
      return node(.constant(.text(text)))
    case .name(let path, let isVariable):
      if !isVariable, path.count == 1, scalars.indices.contains(next), scalars[next] == "(" {
        return try call(path[0])
      }
      if !isVariable, let truth = Self.truths[path[0]], path.count == 1 {
        try advance()
        return node(.constant(.boolean(truth)))
      }
      try checkSpelling(path, isVariable)
      try advance()
      return node(.name(index(of: path, at: begin)))
    case .mark("("):
      try advance()
      let inner = try nested { parser throws(ExpressionProblem) in try parser.operation(level: 0) }
      try expect(")")
      return ExpressionNode(form: inner.form, range: begin..<end)
    case .sign, .mark, .end:
      throw problem("unexpected \(shown)", expected: "a number or a name")
    }
  }

  /// The words for true and false, as values are printed and as files have them.
  private static let truths = ["true": true, "yes": true, "false": false, "no": false]

  /// Refuses a `$` where names have none, and a name without where it is needed.
  private func checkSpelling(_ path: [String], _ isVariable: Bool) throws(ExpressionProblem) {
    let name = path.joined(separator: ".")
    switch dialect {
    case .bare where isVariable:
      throw ExpressionProblem("'$\(name)': names have no $ here", nearest: name, at: start)
    case .variables where !isVariable, .exactVariables where !isVariable:
      throw ExpressionProblem("'\(name)': names have a $ here", nearest: "$\(name)", at: start)
    case .bare, .variables, .exactVariables: return
    }
  }

  private mutating func index(of path: [String], at offset: Int) -> Int {
    if let known = names.first(where: { $0.path == path }) { return known.index }
    names.append(Expression.Name(path: path, index: names.count, offset: offset))
    return names.count - 1
  }

  private mutating func call(_ name: String) throws(ExpressionProblem) -> ExpressionNode {
    let begin = start
    guard let function = ExpressionFunction(rawValue: name) else {
      let known = ExpressionFunction.allCases.map(\.rawValue)
      let nearest = Spelling.nearest(to: name, among: known)
      let expected = nearest == nil ? "one of \(known.joined(separator: ", "))" : nil
      throw problem("unknown function '\(name)'", expected: expected, nearest: nearest)
    }
    try advance()
    try advance()
    let arguments = try nested { parser throws(ExpressionProblem) in
      var arguments: [ExpressionNode] = []
      while parser.word != .mark(")") {
        if !arguments.isEmpty { try parser.expect(",") }
        arguments.append(try parser.operation(level: 0))
      }
      return arguments
    }
    try expect(")")
    guard function.counts.contains(arguments.count) else {
      throw ExpressionProblem(
        "'\(name)' has \(arguments.count) value\(arguments.count == 1 ? "" : "s")",
        expected: function.usage, at: begin
      )
    }
    try function.check(arguments, at: begin)
    return ExpressionNode(form: .call(function, arguments), range: begin..<end)
  }

  // MARK: Words

  private mutating func expect(_ mark: Unicode.Scalar) throws(ExpressionProblem) {
    guard word == .mark(mark) else {
      throw problem("unexpected \(shown)", expected: "'\(mark)'")
    }
    try advance()
  }

  /// The current word, for messages.
  private var shown: String {
    word == .end ? "end" : "'\(string(start..<next))'"
  }

  private func string(_ range: Range<Int>) -> String {
    String(String.UnicodeScalarView(scalars[range]))
  }

  private func problem(
    _ message: String, expected: String? = nil, nearest: String? = nil
  ) -> ExpressionProblem {
    ExpressionProblem(message, expected: expected, nearest: nearest, at: start)
  }

  private mutating func advance() throws(ExpressionProblem) {
    end = next
    while next < scalars.count, scalars[next].properties.isWhitespace { next += 1 }
    start = next
    guard next < scalars.count else {
      word = .end
      return
    }
    let first = scalars[next]
    if Self.isDigit(first) {
      word = try number()
    } else if first == "\"" || first == "'" {
      word = try quoted(first)
    } else if first == "$" || Self.isLetter(first) {
      word = try name()
    } else if "()[],:.".unicodeScalars.contains(first) {
      next += 1
      word = .mark(first)
    } else {
      word = try sign()
    }
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isAlphabetic
  }

  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    isLetter(scalar) || scalar.properties.numericType != nil
  }

  private mutating func number() throws(ExpressionProblem) -> Word {
    let begin = next
    while next < scalars.count, Self.isLetterOrDigit(scalars[next]) { next += 1 }
    if next + 1 < scalars.count, scalars[next] == ".", Self.isDigit(scalars[next + 1]) {
      next += 1
      while next < scalars.count, Self.isLetterOrDigit(scalars[next]) { next += 1 }
    }
    let digits = string(begin..<next)
    let whole: Int128? =
      if digits.hasPrefix("0x") {
        Int128(digits.dropFirst(2), radix: 16)
      } else if digits.hasPrefix("0b") {
        Int128(digits.dropFirst(2), radix: 2)
      } else {
        Int128(digits)
      }
    if let whole {
      guard dialect != .variables || Int64(exactly: whole) != nil else {
        throw problem("\(digits) has more than 64 bits")
      }
      return .number(.integer(whole))
    }
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }), let real = Double(digits)
    else {
      throw problem("'\(digits)' is not a number", expected: "a number such as 12, 0x0c or 1.5")
    }
    guard dialect != .variables else {
      throw problem("'\(digits)' is not whole", expected: "whole numbers")
    }
    let significant = digits.filter { $0 != "." }.drop { $0 == "0" }.count
    guard significant <= 15 || !digits.contains(".") else {
      throw problem("'\(digits)' has more than 15 digits")
    }
    let decimals = max(0, digits.drop { $0 != "." }.count - 1)
    return .number(.real(real, decimals: decimals))
  }

  private mutating func quoted(_ quote: Unicode.Scalar) throws(ExpressionProblem) -> Word {
    guard let close = scalars[(next + 1)...].firstIndex(of: quote) else {
      throw problem("the text has no closing \(quote)")
    }
    let text = string(next + 1..<close)
    next = close + 1
    return .text(text)
  }

  /// A name with its fields, or a word that is an operator.
  private mutating func name() throws(ExpressionProblem) -> Word {
    let isVariable = scalars[next] == "$"
    if isVariable {
      next += 1
      guard next < scalars.count, Self.isLetter(scalars[next]) else {
        throw problem("'$' has no name")
      }
    }
    var path = [part(joinsHyphens: !isVariable)]
    while next + 1 < scalars.count, scalars[next] == ".", Self.isLetter(scalars[next + 1]) {
      next += 1
      path.append(part(joinsHyphens: true))
    }
    if !isVariable, path.count == 1, let sign = ExpressionOperator(rawValue: path[0]) {
      return .sign(sign)
    }
    return .name(path, isVariable: isVariable)
  }

  /// One part of a name. A hyphen between two letters or digits belongs to it, but not behind a `$`,
  /// where `$a-1` is a difference, nor behind `count` there.
  private mutating func part(joinsHyphens: Bool) -> String {
    let begin = next
    while next < scalars.count {
      let isCount = dialect != .bare && string(begin..<next) == "count"
      let joins =
        joinsHyphens && !isCount && scalars[next] == "-" && next + 1 < scalars.count
        && Self.isLetterOrDigit(scalars[next + 1])
      guard Self.isLetterOrDigit(scalars[next]) || joins else { break }
      next += 1
    }
    return string(begin..<next)
  }

  /// Signs of other languages, and those of this one.
  private static let foreign = [
    "==": "=", "&&": "and", "||": "or", "<>": "!=", "!": "not", "≠": "!=",
  ]

  private mutating func sign() throws(ExpressionProblem) -> Word {
    for length in [2, 1] where next + length <= scalars.count {
      let text = string(next..<next + length)
      if let nearest = Self.foreign[text] {
        next += length
        throw problem("unknown operator '\(text)'", nearest: nearest)
      }
      if let sign = ExpressionOperator(rawValue: text) {
        next += length
        return .sign(sign)
      }
    }
    next += 1
    throw problem(
      "a calculation has no '\(string(start..<next))'", expected: "numbers, names and + - * / % ( )"
    )
  }
}
