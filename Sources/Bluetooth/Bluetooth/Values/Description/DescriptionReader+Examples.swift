// Examples of a description: bytes with the value that they mean. A description tests itself.

extension DescriptionReader {
  /// Decodes the examples, compares them, and encodes them back.
  mutating func examples(
    of description: ValueDescription, _ node: DescriptionNode, at path: [String]
  ) {
    guard let list = node[EntryKey.examples.rawValue] else { return }
    let place = path + [EntryKey.examples.rawValue]
    guard let examples = list.sequence, examples.count <= Limit.examples else {
      complain(
        list,
        expected: "a list of at most \(Limit.examples) examples such as { hex: 0100, value: … }",
        at: place
      )
      return
    }
    for (index, example) in examples.enumerated() {
      check(example, description, at: place + ["\(index)"])
    }
  }

  private mutating func check(
    _ example: DescriptionNode, _ description: ValueDescription, at path: [String]
  ) {
    guard example.mapping != nil else {
      complain(
        example, expected: "an example such as { hex: 01 00, value: { moisture: 0.01 } }", at: path)
      return
    }
    checkKeys(of: example, among: ["hex", "value", "error"], at: path)
    guard let octets = example["hex"]?.text.flatMap({ FieldFormat.octets(written: $0) }) else {
      complain("the bytes are missing", expected: "'hex' with hexadecimal digits", at: path)
      return
    }
    let (value, error) = (example["value"], example["error"])
    guard (value == nil) != (error == nil) else {
      complain("expected either 'value' or 'error'", at: path)
      return
    }
    do throws(ValueError) {
      let decoded = try description.decode(octets)
      if let error {
        complain("expected the error \(error.shown), decoded \(decoded)", at: path)
      } else if let value, let difference = decoded.difference(from: value) {
        complain(difference, at: path)
      } else if let again = try? description.encode(decoded), again != octets,
        (try? description.decode(again)) != decoded
      {
        complain("encoded again it is \(DecodedValue.octets(again))", at: path)
      }
    } catch {
      let message = "\(error)"
      if let text = self.text(of: example["error"]), message.contains(text) { return }
      if example["error"]?.truth == true { return }
      complain(
        value == nil ? "expected another error, found: \(message)" : message, at: path
      )
    }
  }

  private func text(of node: DescriptionNode?) -> String? { node?.text }
}

extension DecodedValue {
  /// The first difference from the value in an example; nil if they are the same.
  fileprivate func difference(from node: DescriptionNode, _ name: String = "") -> String? {
    let prefix = name.isEmpty ? "" : "\(name): "
    switch (self, node.content) {
    case (.fields(let fields), .mapping(let entries)):
      for entry in entries {
        let path = name.isEmpty ? entry.key : "\(name).\(entry.key)"
        guard let value = self[entry.key] else {
          return "\(path): expected \(entry.value.shown), decoded nothing"
        }
        if let difference = value.difference(from: entry.value, path) { return difference }
      }
      let more = fields.first { field in !entries.contains { $0.key == field.name } }
      return more.map { "\(prefix)the example is without \($0.name), which is \($0.value)" }
    case (.list(let values), .sequence(let nodes)):
      for (index, pair) in zip(values, nodes).enumerated() {
        if let difference = pair.0.difference(from: pair.1, "\(name)[\(index)]") {
          return difference
        }
      }
      return values.count == nodes.count
        ? nil : "\(prefix)expected \(nodes.count) values, decoded \(values.count)"
    case (_, .scalar(let text, _)):
      return only.isWritten(text) ? nil : "\(prefix)expected \(text), decoded \(only)"
    case (_, .mapping), (_, .sequence):
      return "\(prefix)expected \(node.shown), decoded \(self)"
    }
  }

  /// Whether a text in a file stands for the value.
  func isWritten(_ text: String) -> Bool {
    switch self {
    case .integer(let own):
      switch DecodedValue(number: text) {
      case .integer(let wanted)?: return wanted == own
      case .real(let wanted, _)?: return Int128(exactly: wanted) == own
      case .text, .boolean, .octets, .fields, .list, nil: return false
      }
    case .real(let own, _):
      return DecodedValue(number: text)?.number.map { Self.isWritten($0, as: own) } ?? false
    case .boolean(let own): return DecodedValue.text(text).truth == own
    case .octets: return text.lowercased().filter { !" :-".contains($0) } == description
    case .text, .list, .fields: return text == description
    }
  }

  /// Whether a number in a file stands for a real one: the same apart from the rounding of a scale,
  /// or of the 32 bits that it came in.
  private static func isWritten(_ wanted: Double, as own: Double) -> Bool {
    if wanted == own || abs(wanted - own) <= 4 * own.ulp { return true }
    let narrow = Float(own)
    guard Double(narrow) == own || Double("\(narrow)") == own else { return false }
    return Float(wanted) == narrow
  }
}
