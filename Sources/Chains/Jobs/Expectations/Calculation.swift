// A calculation with captured values: `b.percent * 2 >= 40`.

import Bluetooth
public import Documents

/// A calculation with captured values, in a condition or in braces.
public struct Calculation: Hashable, Sendable, CustomStringConvertible {
  let expression: Expression
  /// The captured values that it uses, in the order of the expression's names.
  let paths: [VariablePath]

  public var description: String { expression.description }

  /// A placeholder, replaced when the step is read.
  static let zero = Calculation(constant: .zero)

  /// Parses a calculation.
  ///
  /// ```swift
  /// let isLow = try Calculation("battery.percent * 2 < 40")
  /// ```
  ///
  /// - Throws: `Problem` with the first mistake.
  public init(_ text: String) throws(Problem) {
    do throws(ExpressionProblem) {
      try self.init(parsing: text)
    } catch {
      throw Problem(error)
    }
  }

  private init(constant: Expression) {
    expression = constant
    paths = []
  }

  init(parsing text: String) throws(ExpressionProblem) {
    expression = try Expression(parsing: text)
    var paths: [VariablePath] = []
    for name in expression.names {
      guard let path = VariablePath(name.text) else {
        throw ExpressionProblem(
          "'\(name.text)' is no captured value", expected: VariablePath.shape, at: name.offset
        )
      }
      paths.append(path)
    }
    self.paths = paths
  }

  /// The result.
  func value(
    _ find: (VariablePath) -> DecodedValue?
  ) throws(ExpressionFailure) -> DecodedValue {
    try expression.value { find(paths[$0.index]) }
  }

  /// Whether it holds, as a condition.
  func holds(_ find: (VariablePath) -> DecodedValue?) throws(ExpressionFailure) -> Bool {
    try expression.holds { find(paths[$0.index]) }
  }

  /// The captured values with what they are, for failures: `b.percent 15, c 3`.
  func shown(_ find: (VariablePath) -> DecodedValue?) -> String {
    paths.map { path in "\(path) \(find(path).map { "\($0)" } ?? "without a value")" }
      .joined(separator: ", ")
  }
}

extension Problem {
  /// The mistake of a calculation, without its place.
  init(_ problem: ExpressionProblem) {
    self.init(problem.message, expected: problem.expected, nearest: problem.nearest)
  }

  /// The mistake of a calculation that is the text of a node, or that begins at an offset in it.
  init(_ problem: ExpressionProblem, in node: Node, at offset: Int = 0, quotes: Int) {
    self.init(problem)
    self = at(node)
    guard node.place.column > 0, node.text?.contains(where: \.isNewline) == false else { return }
    place = Place(
      file: node.place.file, line: node.place.line,
      column: node.place.column + quotes + offset + problem.offset
    )
  }
}

extension StepReader {
  /// Reads a calculation that is the text of a node; nil if it has a problem.
  mutating func calculation(_ node: Node, isCondition: Bool) -> Calculation? {
    calculation(node.text ?? "", node, isCondition: isCondition)
  }

  /// Reads a calculation that begins at an offset in the text of a node; nil if it has a problem.
  mutating func calculation(
    _ text: String, _ node: Node, at offset: Int = 0, isCondition: Bool
  ) -> Calculation? {
    do throws(ExpressionProblem) {
      let calculation = try Calculation(parsing: text)
      complain(about: calculation, node, at: offset, isCondition: isCondition)
      return calculation
    } catch {
      problems.append(placed(error, node, offset))
      return nil
    }
  }

  /// Reports names that no earlier step captures, and values of the wrong kind.
  mutating func complain(
    about calculation: Calculation, _ node: Node, at offset: Int = 0, isCondition: Bool
  ) {
    let before = problems.count
    for (name, path) in zip(calculation.expression.names, calculation.paths) {
      guard let unknown = scope.problem(calculatingWith: path) else { continue }
      var found = ExpressionProblem(
        unknown.message, expected: unknown.expected, nearest: unknown.nearest, at: name.offset
      )
      if let hyphen = path.variable.firstIndex(of: "-"),
        scope.isCaptured(String(path.variable[..<hyphen]))
      {
        found.expected = "\(name.text.replacingHyphen) for a difference"
        found.nearest = nil
      }
      problems.append(placed(found, node, offset))
    }
    guard problems.count == before else { return }
    let found = calculation.expression.problems(isCondition: isCondition) { name in
      scope.kind(of: calculation.paths[name.index])
    }
    problems += found.map { placed($0, node, offset) }
  }

  func placed(_ problem: ExpressionProblem, _ node: Node, _ offset: Int) -> Problem {
    guard case .scalar(_, let isPlain) = node.content else { return Problem(problem).at(node) }
    let quotes = isPlain || form == .line ? 0 : 1
    return Problem(problem, in: node, at: offset, quotes: quotes)
  }
}

extension String {
  /// The text with spaces around its first hyphen.
  fileprivate var replacingHyphen: String {
    guard let hyphen = firstIndex(of: "-") else { return self }
    return "\(self[..<hyphen]) - \(self[index(after: hyphen)...])"
  }
}
