// Shapes of single values, such as texts, numbers, durations and choices, and of inner steps.

import Bluetooth
import Documents

extension Shape where Value == String {
  static func text(_ expected: String) -> Self {
    Shape(expected, schema: .type("string"), words: { [Quoting.quoted($0)] }) { node, _ in
      node.text
    }
  }

  static var variableName: Self {
    Shape(VariablePath.shape, schema: .reference("variableName"), words: { [$0] }) { node, _ in
      node.text.flatMap { VariablePath.isName($0) ? $0 : nil }
    }
  }
}

extension Shape where Value == Int {
  /// A whole number in a range that depends on the limits.
  ///
  /// - Parameters:
  ///   - what: The noun for errors about an unreadable value: "a number of times".
  ///   - unit: The unit for errors about a number out of range: "times".
  static func integer(
    _ what: String, _ unit: String, in range: @escaping @Sendable (PlanLimits) -> ClosedRange<Int>
  ) -> Self {
    let usual = range(PlanLimits())
    let expected = { @Sendable (limits: PlanLimits) in
      let range = range(limits)
      return "\(what), from \(range.lowerBound) to \(range.upperBound)"
    }
    let schema: JSONValue = [
      "type": "integer", "minimum": JSONValue(usual.lowerBound),
      "maximum": JSONValue(usual.upperBound),
    ]
    var shape = Shape(
      expected(PlanLimits()), schema: schema.orVariable, word: .number, words: { ["\($0)"] }
    ) { node, reader in
      node.integer.flatMap { range(reader.limits).contains($0) ? $0 : nil }
    }
    (shape.description.file, shape.description.line) = (expected, expected)
    shape.operations.problem = { value, limits in
      let range = range(limits)
      guard !range.contains(value) else { return nil }
      let bounds = "from \(range.lowerBound) to \(range.upperBound)"
      return Problem(found: "\(value) \(unit)", expected: bounds)
    }
    return shape
  }

  /// The offset of the first byte that is read or written.
  static var offset: Self {
    .integer("the first byte", "bytes of offset") { _ in 0...WrittenValue.longest }
  }
}

extension Shape where Value == Bool {
  static var truth: Self {
    Shape(
      "true or false", line: "yes or no", schema: JSONValue.type("boolean").orVariable,
      word: .truth, words: { [$0 ? "yes" : "no"] }
    ) { node, _ in node.truth }
  }
}

extension Shape where Value == Duration {
  static var duration: Self {
    var shape = Shape(
      Duration.expected, schema: .reference("duration"), words: { [$0.written] }
    ) { node, reader in
      reader.duration(node, expected: Duration.expected).flatMap { $0 > .zero ? $0 : nil }
    }
    shape.operations.problem = { value, _ in
      value > .zero
        ? nil : Problem(found: "'\(value.written)'", expected: Duration.expected)
    }
    return shape
  }

  static func pause(_ example: String) -> Self {
    let expected = "a duration such as \(example)"
    let schema = JSONValue.reference("duration")
    return Shape(expected, schema: schema, words: { [$0.written] }) { node, reader in
      reader.duration(node, expected: expected)
    }
  }
}

extension StepReader {
  /// Reads a duration; for a number without a unit, the error suggests seconds.
  fileprivate mutating func duration(_ node: Node, expected: String) -> Duration? {
    if let duration = node.duration { return duration }
    if let seconds = node.text.map({ $0 + "s" }), Duration(written: seconds) != nil {
      complain(node, Problem(found: node.shown, expected: expected, nearest: seconds))
    }
    return nil
  }
}

extension Shape
where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  static var choice: Self { choice(among: Array(Value.allCases)) }

  static func choice(among values: [Value]) -> Self {
    let known = values.map(\.rawValue)
    var shape = Shape(
      Problem.any(of: known), schema: .oneOf(known), words: { [$0.rawValue] }
    ) { node, reader in
      if let choice = values.first(where: { $0.rawValue == node.text }) { return choice }
      reader.complain(node, .unknown(found: node.shown, node.text ?? "", among: known))
      return nil
    }
    shape.description.choices = known
    return shape
  }
}

extension Shape where Value == ValueFormat {
  static var format: Self {
    let expected = "a format such as u16"
    return Shape(expected, schema: .reference("format"), words: { ["\($0)"] }) { node, reader in
      guard let name = node.text else { return nil }
      if let format = reader.includeContext.names.format(name) { return format }
      reader.complain(node, .noFormat(name, besides: reader.includeContext.names))
      return nil
    }
  }
}

extension Shape where Value == CharacteristicSelector {
  static var characteristic: Self {
    let expected = "a characteristic such as battery-level"
    var shape = Shape(expected, schema: .reference("name"), words: { ["\($0)"] }) { node, reader in
      let names = reader.includeContext.names
      return reader.parsed(node) { try CharacteristicSelector(parsing: $0, names: names) }
    }
    shape.operations.characteristics = { [$0] }
    return shape
  }
}

extension CharacteristicSelector {
  /// A placeholder, replaced when the selector is read.
  static let unread = CharacteristicSelector(handle: 1)
}

extension Shape where Value == DescriptorSelector {
  static var descriptor: Self {
    let expected = "a descriptor such as battery-level/2901"
    var shape = Shape(expected, schema: .reference("name"), words: { ["\($0)"] }) { node, reader in
      let names = reader.includeContext.names
      return reader.parsed(node) { try DescriptorSelector(parsing: $0, names: names) }
    }
    shape.operations.characteristics = { target in
      target.handle == nil ? [target.characteristic] : []
    }
    return shape
  }
}

extension DescriptorSelector {
  /// A placeholder, replaced when the selector is read.
  static let unread = DescriptorSelector(handle: 1)
}

extension StepReader {
  /// Parses the text of a node; nil if the node has none, and after a reported error.
  mutating func parsed<Value>(_ node: Node, _ parse: (String) throws -> Value) -> Value? {
    guard let text = node.text else { return nil }
    do {
      return try parse(text)
    } catch {
      complain(node, Problem(of: error))
      return nil
    }
  }
}

extension Shape where Value == [Step] {
  /// Inner steps, which are printed on lines of their own.
  static var steps: Self {
    var shape = Shape(
      "a list of steps", line: "steps in braces: { read battery-level }",
      schema: .reference("steps")
    ) { node, reader in
      reader.depth += 1
      defer { reader.depth -= 1 }
      return reader.steps(node)
    }
    shape.operations.problem = { steps, _ in
      steps.isEmpty ? Problem("there are no steps", expected: "at least one") : nil
    }
    return shape
  }
}

extension Problem {
  /// Converts a parser's error.
  init(of error: any Error) {
    self =
      error as? Problem ?? (error as? SelectorError).map { Problem($0) } ?? Problem("\(error)")
  }

  /// Converts the error of a selector that could not be parsed.
  init(_ error: SelectorError) {
    self.init(error.problem, expected: error.expected, nearest: error.nearest)
  }

  /// The error for an unknown format.
  static func noFormat(_ word: String, besides names: AttributeNames = .assigned) -> Problem {
    .unknown("unknown format '\(word)'", word, among: names.formatNames)
  }
}
