// Values that are generated when they are needed, calculations and patterns, in a device file.

import Bluetooth
import Descriptions
import Documents

/// The variables that a value may use in some part of a file.
struct KnownVariables: Sendable {
  private(set) var all: [(name: String, kind: VariableKind)] = []

  init(_ all: [(name: String, kind: VariableKind)] = []) { self.all = all }

  /// The written value only.
  static let ofWrite = KnownVariables([(ValueTemplate.writtenName, .octets)])

  mutating func add(_ other: KnownVariables) { all += other.all }

  func kind(of name: String) -> VariableKind? { all.last { $0.name == name }?.kind }
}

extension DeviceReader {
  /// Reads a value that may contain variables; nil after a reported problem.
  mutating func template(_ node: Node, _ names: KnownVariables) -> ValueTemplate? {
    if let text = node.text, names.kind(of: text) == .octets, text == ValueTemplate.writtenName {
      return .written
    }
    if let text = node.text, text.hasPrefix("$") {
      return octetsName(node, names).map { ValueTemplate([.variable($0)]) }
    }
    let nodes = node.sequence ?? [node]
    let parts = nodes.compactMap { templatePart($0, names) }
    guard parts.count == nodes.count else { return nil }
    let fixed = parts.reduce(0) { sum, part in
      if case .octets(let octets) = part { sum + octets.count } else { sum }
    }
    return isShort(fixed, node) ? ValueTemplate(parts) : nil
  }

  private mutating func templatePart(_ node: Node, _ names: KnownVariables) -> ValueTemplate.Part? {
    let entry = node.mapping?.first
    switch entry?.key {
    case "octets"?:
      var keys = MappingReader(node)
      let name = keys.optional("octets").flatMap { octetsName($0, names) }
      problems += keys.finish()
      return name.map { .variable($0) }
    case "decimal"?:
      var keys = MappingReader(node)
      let number = keys.optional("decimal").flatMap { expression($0, names) }
      problems += keys.finish()
      return number.map { .decimal($0) }
    case "row"?, "at"?:
      var keys = MappingReader(node)
      let table = keys.required("row", expected: "the name of a table")
      let place = keys.required("at", expected: "a number such as $next")
      problems += keys.finish()
      let name = table.flatMap { variableName($0, .table, names) }
      let index = place.flatMap { expression($0, names) }
      guard let name, let index else { return nil }
      return .row(table: name, index)
    default:
      if let entry, node.mapping?.count == 1, let description = description(entry.key),
        Self.hasNames(entry.value)
      {
        return content(entry.value, of: description, names).map { .described(description, $0) }
      }
      guard let entry, node.mapping?.count == 1, entry.value.text?.contains("$") == true,
        let format = ValueFormat(entry.key), format.whole != nil
      else { return octets(node).map { .octets($0) } }
      return expression(entry.value, names).map { .number(format, $0) }
    }
  }

  // MARK: Described values

  /// The description with a name, which is then a format; nil for other names.
  func description(_ name: String) -> ValueDescription? {
    Self.formats.contains(name) ? nil : attributeNames.format(name)?.valueDescription
  }

  /// Whether names with a `$` stand somewhere in a value.
  private static func hasNames(_ node: Node) -> Bool {
    switch node.content {
    case .scalar(let text, _): text.contains("$")
    case .sequence(let nodes): nodes.contains(where: hasNames)
    case .mapping(let entries): entries.contains { hasNames($0.value) }
    }
  }

  /// Reads the fields of a described value; nil after a reported error.
  mutating func content(
    _ node: Node, of description: ValueDescription, _ names: KnownVariables,
    _ use: ValueDescription.ContentUse = .encoded
  ) -> DescribedContent? {
    guard let content = content(node, names) else { return nil }
    let mistakes = description.mistakes(in: content, use) { expression in
      expression.kind { Self.kind($0, names) }
    }
    problems += mistakes.map { Problem($0, of: node) }
    return mistakes.isEmpty ? content : nil
  }

  /// Reads a described value or one of its fields; nil after a reported error.
  private mutating func content(_ node: Node, _ names: KnownVariables) -> DescribedContent? {
    switch node.content {
    case .scalar(let text, _):
      guard text.contains("$") else { return .text(text) }
      return expression(node, names, .exactVariables).map { .calculated($0) }
    case .sequence(let nodes):
      let contents = nodes.compactMap { content($0, names) }
      return contents.count == nodes.count ? .list(contents) : nil
    case .mapping(let entries):
      let members = entries.compactMap { entry in
        content(entry.value, names).map { value -> (path: [String], value: DescribedContent) in
          let path = entry.key.split(separator: ".").map(String.init)
          return (path.isEmpty ? [entry.key] : path, value)
        }
      }
      return members.count == entries.count ? DescribedContent(group: members) : nil
    }
  }

  /// The kind of a variable in a calculation; nil for one that is not known.
  private static func kind(
    _ name: Expression.Name, _ names: KnownVariables
  ) -> Expression.Kind? {
    name.path.count > 1 ? .number : names.kind(of: name.path[0])?.expressionKind
  }

  /// Reads `$name` for a bytes variable.
  private mutating func octetsName(_ node: Node, _ names: KnownVariables) -> String? {
    guard let text = node.text, text.hasPrefix("$") else {
      problems.append(node.problem(expected: "a name such as $name"))
      return nil
    }
    let name = Node(
      .scalar(String(text.dropFirst()), isPlain: true), at: node.place, path: node.path
    )
    return variableName(name, .octets, names)
  }

  /// The name of a known variable of a kind; nil after a reported problem.
  mutating func variableName(_ node: Node, _ kind: VariableKind, _ names: KnownVariables) -> String?
  {
    guard let name = node.text else {
      problems.append(node.problem(expected: "a name"))
      return nil
    }
    if names.kind(of: name) == kind { return name }
    if let other = names.kind(of: name) {
      problems.append(node.problem("'\(name)' holds \(other.shown)", expected: kind.shown))
      return nil
    }
    let fit = names.all.filter { $0.kind == kind }.map(\.name)
    problems.append(node.problem(unknown: "name", among: fit))
    return nil
  }

  /// Reads a number or a calculation such as `$last - $first + 1`; or a condition.
  mutating func expression(
    _ node: Node, _ names: KnownVariables, _ dialect: Expression.Dialect = .variables,
    isCondition: Bool = false
  ) -> Expression? {
    guard let text = node.text else {
      problems.append(node.problem(expected: "a number such as 3 or $size - 1"))
      return nil
    }
    do throws(ExpressionProblem) {
      let found = try Expression(parsing: text, dialect)
      return check(found, node, names, isCondition: isCondition) ? found : nil
    } catch {
      problems.append(Problem(error, in: node))
      return nil
    }
  }

  /// Reports variables of a calculation that are unknown, or of the wrong kind.
  private mutating func check(
    _ expression: Expression, _ node: Node, _ names: KnownVariables, isCondition: Bool
  ) -> Bool {
    let before = problems.count
    for name in expression.names {
      let kind = names.kind(of: name.path[0])
      let word = Node(.scalar(name.path[0], isPlain: true), at: node.place, path: node.path)
      if kind == nil {
        _ = variableName(word, name.path.count > 1 ? .octets : .number, names)
      } else if name.path.count > 1 {
        let isCount = Array(name.path.dropFirst()) == [Expression.count]
        if !isCount {
          problems.append(node.problem("'\(name.path[0])' has no '\(name.path[1])'"))
        } else if kind == .number {
          problems.append(
            node.problem("'\(name.path[0])' holds a number", expected: "bytes or a table")
          )
        }
      }
    }
    guard problems.count == before else { return false }
    func kind(_ name: Expression.Name) -> Expression.Kind? { Self.kind(name, names) }
    var found = expression.problems(isCondition: isCondition, kind)
    if found.isEmpty, !isCondition, expression.dialect == .variables,
      let result = expression.kind(kind), !result.isNumber
    {
      found.append(ExpressionProblem("'\(expression)' is \(result.shown)", expected: "a number"))
    }
    problems += found.map { Problem($0, in: node) }
    return found.isEmpty
  }

  /// Parses a pattern such as `01 ?? <size:u32> *`.
  mutating func pattern(_ node: Node) -> BytePattern? {
    guard let text = node.text else {
      problems.append(node.problem(expected: "a pattern of bytes"))
      return nil
    }
    do throws(Problem) {
      return try BytePattern(written: text)
    } catch {
      problems.append(error.at(node))
      return nil
    }
  }
}

extension Problem {
  /// The problem with a calculation, at its position in the text of the node.
  init(_ problem: ExpressionProblem, in node: Node) {
    self.init(
      problem.message, expected: problem.expected, nearest: problem.nearest, at: node.place,
      path: node.path
    )
    guard case .scalar(let text, let isPlain) = node.content, node.place.column > 0,
      !text.contains(where: \.isNewline)
    else { return }
    let column = node.place.column + problem.offset + (isPlain ? 0 : 1)
    place = Place(file: node.place.file, line: node.place.line, column: column)
  }
}

extension VariableKind {
  /// The kind of the variable in calculations.
  fileprivate var expressionKind: Expression.Kind {
    switch self {
    case .number: .number
    case .octets: .octets
    case .table: .list(.octets)
    }
  }

  var shown: String {
    switch self {
    case .number: "a number"
    case .octets: "bytes"
    case .table: "a table"
    }
  }
}
