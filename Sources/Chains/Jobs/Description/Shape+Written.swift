// Shapes that accept captured values: texts, values with formats, and triggers.

import Bluetooth
import Documents

extension Shape {
  /// Returns the shape with support for captured values.
  ///
  /// - Parameters:
  ///   - looksAtValue: Whether values name parts of the step's value; they are then read after all
  ///     other keys.
  ///   - mentions: Returns the captured values in a value.
  ///   - fill: Substitutes them; nil if the step does that itself.
  func live(
    looksAtValue: Bool = false, mentions: @escaping @Sendable (Value) -> [VariablePath],
    fill: (@Sendable (Value, Filling) throws(Problem) -> Value)? = nil
  ) -> Self {
    var shape = self
    shape.description.isLive = true
    shape.description.looksAtValue = looksAtValue
    shape.traits.mentions = mentions
    shape.traits.fill = fill
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
    return shape.live { $0.variables }
  }
}

extension Shape where Value == WrittenValue {
  /// A value in one format, `{ u8: 1 }`, or a list of those.
  static var written: Self {
    let shape = Shape(
      "a value such as { u8: 1 }", line: "a value such as u8:1", schema: .reference("value"),
      words: { ["\($0)"] }
    ) { node, reader in reader.written(node) }
    return shape.live {
      $0.references
    } fill: { value, filling throws(Problem) in
      try filling.filled(value)
    }
  }
}

extension StepReader {
  fileprivate mutating func written(_ node: Node) -> WrittenValue? {
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

extension Shape where Value == Write {
  static var trigger: Self {
    var shape = Shape(
      "a 'write' and its 'value'", line: "a write in braces: { write alert-level u8:1 }",
      schema: .reference("trigger"), words: { ["\($0)"] }
    ) { node, reader in
      Write.read(node, &reader, expected: "a 'write' and its 'value'")
    }
    shape.traits.complaint = { value, limits in value.complaint(limits) }
    shape.traits.mentions = { $0.mentions }
    shape.traits.fill = { value, filling throws(Problem) in try value.filled(filling) }
    shape.traits.characteristics = { [$0.target] }
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
