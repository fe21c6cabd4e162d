// Values that are made when they are needed, calculations and patterns, in a device file.

import Bluetooth
import Documents

/// The names that a value may use at some place of a file.
struct KnownNames: Sendable {
  private(set) var all: [(name: String, kind: VariableKind)] = []

  init(_ all: [(name: String, kind: VariableKind)] = []) { self.all = all }

  /// What was written.
  static let ofWrite = KnownNames([(ValueTemplate.writtenName, .octets)])

  mutating func add(_ other: KnownNames) { all += other.all }

  func kind(of name: String) -> VariableKind? { all.last { $0.name == name }?.kind }
}

extension DeviceReader {
  /// A value as `octets(_:)` reads it, in which names may stand; nil after a complaint.
  mutating func template(_ node: Node, _ names: KnownNames) -> ValueTemplate? {
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

  private mutating func templatePart(_ node: Node, _ names: KnownNames) -> ValueTemplate.Part? {
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
      let name = table.flatMap { known($0, .table, names) }
      let index = place.flatMap { expression($0, names) }
      guard let name, let index else { return nil }
      return .row(table: name, index)
    default:
      guard let entry, node.mapping?.count == 1, entry.value.text?.contains("$") == true,
        let format = ValueFormat(entry.key), format.whole != nil
      else { return octets(node).map { .octets($0) } }
      return expression(entry.value, names).map { .number(format, $0) }
    }
  }

  /// `$name` of octets.
  private mutating func octetsName(_ node: Node, _ names: KnownNames) -> String? {
    guard let text = node.text, text.hasPrefix("$") else {
      problems.append(node.problem(expected: "a name such as $name"))
      return nil
    }
    let name = Node(
      .scalar(String(text.dropFirst()), isPlain: true), at: node.place, path: node.path
    )
    return known(name, .octets, names)
  }

  /// A name that is known and of a kind.
  mutating func known(_ node: Node, _ kind: VariableKind, _ names: KnownNames) -> String? {
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

  /// A number, or a calculation such as `$last - $first + 1`.
  mutating func expression(_ node: Node, _ names: KnownNames) -> Expression? {
    guard let text = node.text, let found = Expression(written: text) else {
      let unknown = node.text.flatMap { Expression.unknown(in: $0) }
      problems.append(
        unknown.map { node.problem($0.message, expected: $0.expected) }
          ?? node.problem(expected: "a number such as 3 or $size - 1")
      )
      return nil
    }
    return check(found, node, names) ? found : nil
  }

  /// Complains of the names in a calculation that are not known, or of another kind.
  mutating func check(_ expression: Expression, _ node: Node, _ names: KnownNames) -> Bool {
    let before = problems.count
    for (name, isCounted) in expression.names {
      let word = Node(.scalar(name, isPlain: true), at: node.place, path: node.path)
      if isCounted {
        if names.kind(of: name) == .number {
          problems.append(node.problem("'\(name)' holds a number", expected: "bytes or a table"))
        } else if names.kind(of: name) == nil {
          _ = known(word, .octets, names)
        }
      } else {
        _ = known(word, .number, names)
      }
    }
    return problems.count == before
  }

  /// `01 ?? <size:u32> *`.
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

extension VariableKind {
  var shown: String {
    switch self {
    case .number: "a number"
    case .octets: "bytes"
    case .table: "a table"
    }
  }
}
