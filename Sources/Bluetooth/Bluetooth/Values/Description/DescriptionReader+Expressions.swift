// Expressions of descriptions: the names in them, and what they may compute with.

import Spelling

extension DescriptionReader {
  /// Reads an expression over fields before it. A field with names of numbers counts as its number, unless it is compared with a text.
  mutating func expression(
    _ node: DescriptionNode, at path: [String], _ known: [Known]
  ) -> FieldExpression? {
    guard let text = node.text else {
      complain(node, expected: "an expression such as flags.tamper = 0", at: path)
      return nil
    }
    let expression: Expression
    do {
      expression = try Expression(parsing: text)
    } catch {
      complain(error.message, expected: error.expected, nearest: error.nearest, at: path)
      return nil
    }
    var numbers: [Int: Names] = [:]
    let texts = Self.comparedWithText(expression.root)
    for name in expression.names {
      guard Self.isKnown(name.path, known) else {
        complain(of: name, expression, known, at: path)
        return nil
      }
      if let names = Self.names(at: name.path, known), !texts.contains(name.index) {
        numbers[name.index] = names
      }
    }
    return FieldExpression(expression: expression, numbers: numbers)
  }

  private mutating func complain(
    of name: Expression.Name, _ expression: Expression, _ known: [Known], at path: [String]
  ) {
    let paths = known.flatMap { field in
      [field.name] + Self.members(field.format).map { "\(field.name).\($0)" }
    }
    let isName =
      name.path.count == 1
      && known.contains { Self.names($0.format)?.all.contains(name.text) == true }
    let before =
      paths.isEmpty
      ? "no field is before it" : "fields before it: \(known.map(\.name).joined(separator: ", "))"
    let nearest = Spelling.nearest(to: name.text, among: paths)
    let hint =
      isName ? "expected \"\(name.text)\" in quotes" : nearest.map { "did you mean '\($0)'?" }
    complain("unknown field '\(name.text)'\(hint.map { " (\($0))" } ?? ""); \(before)", at: path)
  }

  /// The indices of the names that are compared with a text.
  private static func comparedWithText(_ node: ExpressionNode) -> Set<Int> {
    func isText(_ node: ExpressionNode) -> Bool {
      if case .constant(.text) = node.form { true } else { false }
    }
    switch node.form {
    case .infix(_, let left, let right):
      if case .name(let index) = left.form, isText(right) { return [index] }
      if case .name(let index) = right.form, isText(left) { return [index] }
      return comparedWithText(left).union(comparedWithText(right))
    case .prefix(_, let inner), .field(let inner, _), .slice(let inner, _):
      return comparedWithText(inner)
    case .element(let whole, let index):
      return comparedWithText(whole).union(comparedWithText(index))
    case .call(_, let arguments):
      return arguments.reduce(into: []) { $0.formUnion(comparedWithText($1)) }
    case .constant, .name: return []
    }
  }

  /// Refuses a condition that is a number: `when: flags` of a whole number is never true.
  mutating func checkTruth(
    _ condition: FieldExpression, at path: [String], _ known: [Known]
  ) {
    guard case .name(let index) = condition.expression.root.form else { return }
    let name = condition.expression.names[index]
    guard let format = Self.format(at: name.path, known) else { return }
    switch format {
    case .number, .enumeration, .word, .float, .sfloat, .named, .bits, .dateTime, .text, .octets,
      .half,
      .rest, .list, .real, .address, .terminated, .repeated, .adjusted, .moment:
      complain(
        "'\(name.text)' is neither true nor false",
        expected: "a comparison such as \(name.text) = 1",
        at: path
      )
    case .boolean, .sized, .layout: break
    }
  }

  private static func isKnown(_ path: [String], _ known: [Known]) -> Bool {
    if path == [FieldScope.record] { return true }
    guard let field = known.last(where: { $0.name == path.first }) else { return false }
    guard path.count > 1 else { return true }
    guard let format = field.format else { return true }
    return members(format).contains(path.dropFirst().joined(separator: "."))
  }

  private static func members(_ format: FieldFormat?) -> [String] {
    format.map {
      ValueLayout("", [.field("x", $0)]).fieldPaths.dropFirst().map { String($0.dropFirst(2)) }
    } ?? []
  }

  /// The format of a field by its path; nil for one of bits, and where it is not known.
  private static func format(at path: [String], _ known: [Known]) -> FieldFormat? {
    guard path.count == 1 else { return nil }
    return known.last { $0.name == path.first }?.format
  }

  /// The names of an enumeration by its path; nil for other fields.
  static func names(at path: [String], _ known: [Known]) -> Names? {
    guard let format = known.last(where: { $0.name == path.first })?.format else { return nil }
    guard path.count > 1 else { return names(format) }
    switch format {
    case .word(_, let bits):
      guard path.count == 2, let field = bits.first(where: { $0.name == path[1] }),
        case .named(let names) = field.meaning
      else { return nil }
      return names
    case .layout(let layout), .sized(_, .layout(let layout)):
      let inner = layout.parts.compactMap { part -> Known? in
        if case .field(let format) = part.kind {
          Known(name: part.name, format: format)
        } else {
          nil
        }
      }
      return names(at: Array(path.dropFirst()), inner)
    case .number, .float, .sfloat, .named, .bits, .boolean, .dateTime, .text, .octets, .half, .rest,
      .list, .enumeration, .real, .address, .terminated, .sized, .repeated, .adjusted, .moment:
      return nil
    }
  }

  private static func names(_ format: FieldFormat?) -> Names? {
    if case .enumeration(_, let names)? = format { names } else { nil }
  }
}
