// Values that are made when they are needed, calculations and patterns, in a device file.

import Bluetooth
import Documents
import Spelling

/// The names that a value may use at some place of a file.
struct KnownNames {
  private(set) var all: [(name: String, kind: VariableKind)] = []

  init(_ all: [(name: String, kind: VariableKind)] = []) { self.all = all }

  /// What was written, and the names that a pattern gives to parts of it.
  static func ofWrite(_ pattern: BytePattern?) -> KnownNames {
    let written = (name: ValueTemplate.writtenName, kind: VariableKind.octets)
    return KnownNames([written] + (pattern?.tokens.compactMap(\.named) ?? []))
  }

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
    guard fixed <= FileLimits.octets else {
      problems.append(node.problem("the value is longer than \(FileLimits.octets) octets"))
      return nil
    }
    return ValueTemplate(parts)
  }

  private mutating func templatePart(
    _ node: Node,
    _ names: KnownNames
  ) -> ValueTemplate.Part? {
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
        let format = ValueFormat(entry.key), format.wholeOctets != nil
      else { return octets(node).map { .octets($0) } }
      return expression(entry.value, names).map { .number(format, $0) }
    }
  }

  /// `$name` of octets.
  private mutating func octetsName(_ node: Node, _ names: KnownNames) -> String? {
    guard let text = node.text, text.hasPrefix("$") else {
      problems.append(node.problem("\(shown(node)) stands here", expected: "a name such as $name"))
      return nil
    }
    let name = Node(
      .scalar(String(text.dropFirst()), isPlain: true),
      at: node.place,
      path: node.path
    )
    return known(name, .octets, names)
  }

  /// A name that is known and of a kind.
  mutating func known(_ node: Node, _ kind: VariableKind, _ names: KnownNames) -> String? {
    guard let name = node.text else {
      problems.append(node.problem("\(node.kind) stands here", expected: "a name"))
      return nil
    }
    if names.kind(of: name) == kind { return name }
    if let other = names.kind(of: name) {
      problems.append(node.problem("'\(name)' is \(other.shown)", expected: kind.shown))
      return nil
    }
    let fit = names.all.filter { $0.kind == kind }.map(\.name)
    let nearest = Spelling.nearest(to: name, among: fit)
    problems.append(
      node.problem(
        "nothing has the name '\(name)' here",
        expected: nearest == nil && !fit.isEmpty ? "one of " + fit.joined(separator: ", ") : nil,
        nearest: nearest
      )
    )
    return nil
  }

  /// A number, or a calculation such as `$last - $first + 1`.
  mutating func expression(_ node: Node, _ names: KnownNames) -> Expression? {
    guard let text = node.text, let found = Expression(written: text) else {
      problems.append(
        node.problem("\(shown(node)) stands here", expected: "a number such as 3 or $size - 1")
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
          problems.append(node.problem("'\(name)' is a number", expected: "octets or a table"))
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
      problems.append(node.problem("\(node.kind) stands here", expected: "a pattern of octets"))
      return nil
    }
    do throws(BytePattern.TextProblem) {
      return try BytePattern(written: text)
    } catch {
      problems.append(
        node.problem("'\(error.word)': \(error.problem)", expected: BytePattern.words)
      )
      return nil
    }
  }

  // MARK: Views

  /// `with: { level: { of: battery-level, as: u8, at: 0 } }`: names for other values.
  mutating func views(_ node: Node?) -> [View] {
    node.map { entries($0) }?.compactMap { view($0) } ?? []
  }

  private mutating func view(_ entry: Node.Entry) -> View? {
    guard Expression.isVariableName(entry.key) else {
      problems.append(
        DocumentProblem(
          entry.keyPlace,
          path: entry.value.path,
          "'\(entry.key)' cannot be a name",
          expected: "letters, digits and underscores, a letter first"
        )
      )
      return nil
    }
    if entry.value.text != nil {
      return source(entry.value).map { View(entry.key, of: $0) }
    }
    var keys = MappingReader(entry.value)
    let of = keys.required("of", expected: "a characteristic").flatMap { source($0) }
    let format = keys.optional("as").flatMap { wholeFormat($0) }
    let offset = integer(&keys, "at", in: 0...FileLimits.octets - 1) ?? 0
    let countNode = keys.optional("count")
    let count = integer(&keys, "count", in: 1...FileLimits.octets)
    if let countNode, format != nil {
      problems.append(countNode.problem("'as' says how many octets it has"))
    }
    problems += keys.finish()
    // Of what is wrong already, the name is known all the same.
    let meant = of ?? CharacteristicSelector(characteristic: BluetoothUUID(short: 0))
    return View(entry.key, of: meant, as: format, at: offset, count: count)
  }

  private mutating func source(_ node: Node) -> CharacteristicSelector? {
    reference(node, .presence)
  }

  /// A format of whole numbers.
  mutating func wholeFormat(_ node: Node) -> ValueFormat? {
    let all = ValueFormat.names.compactMap { ValueFormat($0) }.filter { $0.wholeOctets != nil }
    if let format = all.first(where: { $0.name == node.text }) { return format }
    let names = all.map(\.name)
    problems.append(
      node.problem(
        "\(shown(node)) stands here",
        expected: "one of " + names.joined(separator: ", "),
        nearest: node.text.flatMap { Spelling.nearest(to: $0, among: names) }
      )
    )
    return nil
  }
}

extension View {
  /// What names of these kinds may be used for.
  static func names(_ views: [View]) -> KnownNames {
    KnownNames(views.map { ($0.name, $0.kind) })
  }
}

extension VariableKind {
  var shown: String {
    switch self {
    case .number: "a number"
    case .octets: "octets"
    case .table: "a table"
    }
  }
}
