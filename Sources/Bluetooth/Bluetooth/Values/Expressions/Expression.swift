// Calculations and conditions in files: `b.percent * 2 >= 40`.
//
// One grammar for chains, descriptions of values and device files. A text is parsed once; evaluation
// parses nothing. There are no loops and no functions of the user's. Pure.

/// A parsed calculation or condition: what it means, and the names that it mentions.
///
/// From the weakest operator to the strongest: `or`; `and`; `not`; one of `= != < <= > >=`; `|`; `^`;
/// `&`; `<< >>`; `+ -`; `* / // %`; unary `- ~`; then `x.field`, `x[0]` and `x[0:4]`. Bit operators
/// bind tighter than comparisons, so that `flags & 4 = 4` is what it looks like.
///
/// ```
/// let expression = try Expression(parsing: "flags.tamper = 0 and state < 3")
/// let value = try expression.value { record.field(at: $0.text)?.value }
/// ```
package struct Expression: Hashable, Sendable, CustomStringConvertible {
  /// The spelling of names, and the arithmetic.
  package enum Dialect: Hashable, Sendable {
    /// Bare names, in which a hyphen belongs to the name. Whole numbers have 128 bits, `/` is exact,
    /// and a result that does not exist is a failure.
    case bare
    /// Names begin with `$`, as in device files. Numbers are whole and limited to 64 bits, `/`
    /// truncates, a division by 0 yields 0, and a missing value is 0: nothing fails.
    case variables
    /// Names begin with `$`, and numbers are those of ``bare``: for the fields of described values.
    case exactVariables
  }

  /// A name in an expression, with the fields behind it: `record.flags.tamper`.
  package struct Name: Hashable, Sendable {
    /// The parts between the dots.
    package let path: [String]
    /// The index in ``Expression/names``, for values that are kept in an array.
    package let index: Int
    /// The offset of its first mention, in characters.
    package let offset: Int

    /// The parts with dots between them.
    package var text: String { path.joined(separator: ".") }
  }

  /// The longest text, in bytes.
  package static let longest = 256
  /// The deepest nesting of parentheses, signs and functions.
  package static let deepest = 16

  /// The text that was parsed.
  package let description: String
  /// The names that it mentions, each once, in the order of their first mention.
  package let names: [Name]
  package let dialect: Dialect
  let root: ExpressionNode

  /// Parses a text.
  ///
  /// - Throws: ``ExpressionProblem`` with the first mistake and its offset.
  package init(
    parsing text: String, _ dialect: Dialect = .bare
  ) throws(ExpressionProblem) {
    var parser = ExpressionParser(text, dialect)
    root = try parser.parse()
    description = text
    names = parser.names
    self.dialect = dialect
  }

  private init(whole: Int128) {
    description = "\(whole)"
    names = []
    dialect = .bare
    root = ExpressionNode(form: .constant(.integer(whole)), range: 0..<1)
  }

  package static let zero = Expression(whole: 0)

  /// The result.
  ///
  /// - Parameter find: Returns the value of a name; nil if it is missing.
  /// - Throws: ``ExpressionFailure`` where there is no result; never with ``Dialect/variables``.
  package func value(
    _ find: (Name) -> DecodedValue?
  ) throws(ExpressionFailure) -> DecodedValue {
    let value = try value(of: root, find)
    guard dialect == .variables, case .integer(let number) = value else { return value }
    return .integer(Int128(Int64(clamping: number)))
  }

  /// The result as true or false.
  ///
  /// - Throws: ``ExpressionFailure``, also where the result is neither.
  package func holds(_ find: (Name) -> DecodedValue?) throws(ExpressionFailure) -> Bool {
    try truth(of: root, find)
  }

  /// The text with some of its names replaced.
  ///
  /// - Parameter literal: Returns a number or a text in quotes for a name; nil keeps it.
  package func replacing(_ literal: (Name) -> String?) -> String {
    var scalars = Array(description.unicodeScalars)
    for (range, index) in mentions(in: root).sorted(by: {
      $0.range.lowerBound > $1.range.lowerBound
    }) {
      if let text = literal(names[index]) {
        scalars.replaceSubrange(range, with: text.unicodeScalars)
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }

  private func mentions(in node: ExpressionNode) -> [(range: Range<Int>, index: Int)] {
    switch node.form {
    case .constant: []
    case .name(let index): [(node.range, index)]
    case .prefix(_, let operand): mentions(in: operand)
    case .infix(_, let left, let right), .element(let left, let right):
      mentions(in: left) + mentions(in: right)
    case .call(_, let arguments): arguments.flatMap { mentions(in: $0) }
    case .field(let whole, _), .slice(let whole, _): mentions(in: whole)
    }
  }

  /// The text of a part.
  func text(of node: ExpressionNode) -> String {
    let scalars = Array(description.unicodeScalars)[node.range]
    return String(String.UnicodeScalarView(scalars))
  }

  package static func == (a: Expression, b: Expression) -> Bool {
    a.description == b.description && a.dialect == b.dialect
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(description)
    hasher.combine(dialect)
  }
}

/// A part of a parsed expression, with its place in the text.
struct ExpressionNode: Sendable {
  indirect enum Form: Sendable {
    /// A number, a text, true or false.
    case constant(DecodedValue)
    /// The index of a name.
    case name(Int)
    case prefix(ExpressionOperator, ExpressionNode)
    case infix(ExpressionOperator, ExpressionNode, ExpressionNode)
    case call(ExpressionFunction, [ExpressionNode])
    /// A field of what an index selects: `values[0].sequence`.
    case field(ExpressionNode, String)
    case element(ExpressionNode, ExpressionNode)
    case slice(ExpressionNode, ByteSlice)
  }

  let form: Form
  /// The scalars of the text that it takes.
  let range: Range<Int>
}

/// An operator of expressions.
enum ExpressionOperator: String, Sendable, CaseIterable {
  case or, and, not
  case equal = "="
  case unequal = "!="
  case less = "<"
  case atMost = "<="
  case more = ">"
  case atLeast = ">="
  case bitOr = "|"
  case bitXor = "^"
  case bitAnd = "&"
  case left = "<<"
  case right = ">>"
  case plus = "+"
  case minus = "-"
  case times = "*"
  case divided = "/"
  case dividedWhole = "//"
  case remainder = "%"
  /// The bits of a number inverted.
  case inverted = "~"

  /// The operators between two operands by their strength, the weakest first. `not` is between the
  /// second and the third.
  static let levels: [[ExpressionOperator]] = [
    [.or], [.and], [.equal, .unequal, .less, .atMost, .more, .atLeast], [.bitOr], [.bitXor],
    [.bitAnd], [.left, .right], [.plus, .minus], [.times, .divided, .dividedWhole, .remainder],
  ]

  /// The comparisons.
  static let comparisons = levels[2]

  /// The operators that take whole numbers.
  var isOfBits: Bool {
    switch self {
    case .bitOr, .bitXor, .bitAnd, .left, .right, .remainder, .inverted: true
    case .or, .and, .not, .equal, .unequal, .less, .atMost, .more, .atLeast, .plus, .minus, .times,
      .divided, .dividedWhole:
      false
    }
  }
}

/// A mistake in the text of an expression.
package struct ExpressionProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The mistake.
  package let message: String
  /// The valid words.
  package var expected: String?
  /// The known word that was probably meant.
  package var nearest: String?
  /// The offset in the text, in characters.
  package var offset: Int

  package init(
    _ message: String, expected: String? = nil, nearest: String? = nil, at offset: Int = 0
  ) {
    self.message = message
    self.expected = expected
    self.nearest = nearest
    self.offset = offset
  }

  package var description: String {
    let asides = [expected.map { "expected \($0)" }, nearest.map { "did you mean '\($0)'?" }]
      .compactMap(\.self)
    return asides.isEmpty ? message : "\(message) (\(asides.joined(separator: "; ")))"
  }
}

/// The reason that an expression has no result.
package enum ExpressionFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A name without a value: a field that is absent, a step that did not run.
  case missing(String)
  /// A value of the wrong kind, a division by 0, a number that is too large.
  case invalid(String)

  package var description: String {
    switch self {
    case .missing(let name): "'\(name)' has no value"
    case .invalid(let why): why
    }
  }
}
