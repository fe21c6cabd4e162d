// Shapes that accept captured values: texts, values with formats, and triggers.

import Bluetooth
import Descriptions
import Documents

extension Shape {
  /// Returns the shape with support for captured values.
  ///
  /// - Parameters:
  ///   - looksAtValue: Whether values name parts of the step's value; they are then read after all
  ///     other keys.
  ///   - mentions: Returns the captured values in a value.
  ///   - fill: Substitutes them; nil if the step does that itself.
  func usingCaptures(
    looksAtValue: Bool = false, mentions: @escaping @Sendable (Value) -> [VariablePath],
    fill: (@Sendable (Value, Filling) throws(Problem) -> Value)? = nil
  ) -> Self {
    var shape = self
    shape.description.mayUseCaptures = true
    shape.description.looksAtValue = looksAtValue
    shape.operations.mentions = mentions
    shape.operations.fill = fill
    return shape
  }
}

extension Shape where Value == MessageTemplate {
  /// A text with captured values.
  static var template: Self {
    let shape = Shape(
      MessageTemplate.shape, schema: .scalar, word: .template,
      words: { [Quoting.quoted($0.description)] }
    ) { node, reader in
      guard let text = node.text, let template = reader.template(text, node) else { return nil }
      return template
    }
    return shape.usingCaptures { $0.variables }
  }
}

extension Shape where Value == WrittenValue {
  /// A value in one format, `{ u8: 1 }`, or a list of those.
  static var written: Self {
    let shape = Shape(
      "a value such as { u8: 1 }", line: "a value such as u8:1", schema: .reference("value"),
      words: { ["\($0)"] }
    ) { node, reader in reader.written(node) }
    // The characteristic has the format of fields, and is read first.
    return shape.usingCaptures(looksAtValue: true) {
      $0.references
    } fill: { value, filling throws(Problem) in
      try filling.filled(value)
    }
  }
}

extension StepReader {
  fileprivate mutating func written(_ node: Node) -> WrittenValue? {
    switch written {
    case .unknown where Self.mayBeFields(node): return .nothing
    case .unknown: break
    case .known(let format):
      if let fields = Self.fields(of: node, format) { return self.fields(fields, format) }
    }
    let nodes = node.sequence ?? [node]
    let parts = nodes.compactMap { part($0) }
    guard parts.count == nodes.count else { return nil }
    do {
      return try WrittenValue(parts)
    } catch {
      complain(node, Problem(error.problem))
      return nil
    }
  }

  private static let fieldsKey = "fields"

  private static func mayBeFields(_ node: Node) -> Bool {
    value(ofFields: node) != nil || node.mapping?.contains { ValueFormat($0.key) == nil } == true
  }

  /// The value of the key `fields`, if there is no other; the one-line form has a list with it.
  private static func value(ofFields node: Node) -> Node? {
    let nodes = node.sequence ?? [node]
    guard nodes.count == 1, let entries = nodes[0].mapping, entries.count == 1,
      entries[0].key == fieldsKey
    else { return nil }
    return entries[0].value
  }

  /// The node of the fields: under the key `fields`, or a mapping none of whose keys is a format.
  /// Nil for values in formats, and for names that are fields of nothing.
  private static func fields(of node: Node, _ format: ValueDescription?) -> Node? {
    if let fields = Self.value(ofFields: node) { return fields }
    guard let entries = node.mapping, !entries.isEmpty else { return nil }
    guard let format, !entries.contains(where: { ValueFormat($0.key) != nil }) else { return nil }
    let known = format.fieldNames
    return format.isOfUser || entries.contains { known.contains($0.key) } ? node : nil
  }

  private mutating func fields(_ node: Node, _ format: ValueDescription?) -> WrittenValue? {
    guard let format else {
      complain(
        node, Problem("the value has no described fields", expected: "a format such as { u8: 1 }")
      )
      return nil
    }
    let before = problems.count
    guard let content = content(node, isTop: true), problems.count == before else { return nil }
    let fields = WrittenFields(format: format, content: content)
    if let unknown = fields.unknown {
      let message = "unknown field '\(unknown)' of \(format.name)"
      complain(
        node.field(at: unknown) ?? node, .unknown(message, unknown, among: format.fieldNames)
      )
      return nil
    }
    do {
      let mistakes = content.references.isEmpty ? [] : fields.mistakes
      problems += mistakes.map { Problem($0, of: node) }
      return mistakes.isEmpty ? try WrittenValue(fields) : nil
    } catch {
      problems.append(Problem(error, of: node))
      return nil
    }
  }

  /// The value of a field, or all fields.
  ///
  /// - Parameter isTop: Whether a text may be fields in the one-line form: `interval=600 mode=eco`.
  private mutating func content(_ node: Node, isTop: Bool = false) -> WrittenFields.Content? {
    switch node.content {
    case .scalar(let text, _):
      let content =
        isTop ? WrittenFields.Content(written: text) : MessageTemplate(text).map { .text($0) }
      guard let content else {
        let expected = isTop ? "fields such as interval=600 mode=eco" : MessageTemplate.shape
        complain(node, Problem(found: node.shown, expected: expected))
        return nil
      }
      complainOfUnknown(content.references, node)
      return content
    case .sequence(let nodes):
      let values = nodes.compactMap { content($0) }
      return values.count == nodes.count ? .list(values) : nil
    case .mapping(let entries):
      var members: [(path: [String], value: WrittenFields.Content)] = []
      for entry in entries {
        guard let value = content(entry.value) else { return nil }
        members.append((entry.key.split(separator: ".").map(String.init), value))
      }
      return members.contains { $0.path.isEmpty } ? nil : .group(members)
    }
  }

  private mutating func part(_ node: Node) -> WrittenValue.Part? {
    guard let entries = node.mapping, entries.count == 1, let entry = entries.first else {
      let expected = "one format with its value, such as { u8: 1 }; a list writes several in a row"
      let several = node.mapping.map { $0.count > 1 } == true
      let found = several ? "several formats" : node.shown
      complain(node, Problem(found: found, expected: expected))
      return nil
    }
    guard let format = ValueFormat(entry.key) else {
      problems.append(Problem.noFormat(entry.key).at(keyOf: entry))
      return nil
    }
    guard case .scalar(let text, _) = entry.value.content else {
      complain(entry.value, Problem(found: entry.value.shown, expected: "one value"))
      return nil
    }
    let before = problems.count
    guard let template = template(text, entry.value) else {
      if problems.count == before {
        complain(entry.value, Problem(found: entry.value.shown, expected: MessageTemplate.shape))
      }
      return nil
    }
    do {
      if let text = template.constant { _ = try format.encode(text) }
      return WrittenValue.Part(format, template)
    } catch {
      complain(entry.value, Problem(error.problem, expected: "a value for \(format)"))
      return nil
    }
  }
}

extension Shape where Value == WriteStep {
  static var trigger: Self {
    var shape = Shape(
      "a 'write' and its 'value'", line: "a write in braces: { write alert-level u8:1 }",
      schema: .reference("trigger"), words: { ["\($0)"] }
    ) { node, reader in
      WriteStep.read(node, &reader, expected: "a 'write' and its 'value'")
    }
    shape.operations.problem = { value, limits in value.problem(limits) }
    shape.operations.mentions = { $0.mentions }
    shape.operations.fill = { value, filling throws(Problem) in try value.filled(filling) }
    shape.operations.characteristics = { [$0.target] }
    return shape
  }
}

extension StepReader {
  /// Reads a text with captured values and calculations; nil if it is none.
  fileprivate mutating func template(_ text: String, _ node: Node) -> MessageTemplate? {
    guard let template = MessageTemplate(text) else {
      if let (problem, offset) = MessageTemplate.mistake(in: text) {
        problems.append(placed(problem, node, offset))
      }
      return nil
    }
    for part in template.parts {
      switch part {
      case .text: break
      case .value(let path): complainOfUnknown([path], node)
      case .calculation(let calculation):
        let before = text.firstRange(of: "{\(calculation)}").map { text[..<$0.lowerBound] }
        let offset = (before?.unicodeScalars.count ?? 0) + 1
        complain(about: calculation, node, at: offset, isCondition: false)
      }
    }
    return template
  }
}
