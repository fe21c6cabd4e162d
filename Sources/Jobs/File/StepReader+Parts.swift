// What several kinds of steps have in common: targets, values, formats, names.

import Bluetooth
import Documents

extension StepReader {
  /// The characteristic that a node names.
  mutating func selector(_ node: Node) -> CharacteristicSelector? {
    guard let text = node.text else {
      let expected = "a characteristic such as battery-level"
      complain(node, Complaint("\(node.shown) stands here", expected: expected))
      return nil
    }
    do {
      return try CharacteristicSelector(parsing: text)
    } catch {
      complain(node, Complaint(error))
      return nil
    }
  }

  mutating func format(_ reader: inout MappingReader) -> ValueFormat? {
    guard let node = reader.optional("format") else { return nil }
    if let format = node.text.flatMap({ ValueFormat($0) }) { return format }
    complain(node, .noFormat(node.text ?? ""))
    return nil
  }

  mutating func capture(_ reader: inout MappingReader) -> String? {
    reader.optional("as", expected: VariablePath.shape) { node in
      node.text.flatMap { VariablePath.isName($0) ? $0 : nil }
    }
  }

  mutating func timeout(_ reader: inout MappingReader) -> Duration? {
    reader.optional("timeout", expected: ChainReader.limit) { $0.positiveDuration }
  }

  /// Opens a mapping; one complaint when there is none or nothing is in it.
  private mutating func mapping(_ node: Node, expected: String) -> MappingReader? {
    if node.mapping?.isEmpty == false { return MappingReader(node) }
    complain(node, Complaint("\(node.shown) stands here", expected: expected))
    return nil
  }

  /// The write that sets notifications off.
  mutating func trigger(_ node: Node) -> Write? {
    guard var reader = mapping(node, expected: "a 'write' and its 'value'") else { return nil }
    let write = writing(&reader)
    problems += reader.finish()
    return write
  }

  /// `{ u8: 1 }`, or a list of those.
  mutating func value(_ node: Node) -> WrittenValue? {
    let nodes = node.sequence ?? [node]
    var parts: [WrittenValue.Part] = []
    for node in nodes {
      guard let part = part(node) else { continue }
      parts.append(part)
    }
    guard parts.count == nodes.count else { return nil }
    do {
      return try WrittenValue(parts)
    } catch {
      complain(node, Complaint(error.problem))
      return nil
    }
  }

  /// Complains of captured values that are not there yet where they are taken.
  mutating func complainOfUnknown(_ paths: [VariablePath], _ node: Node) {
    for path in paths {
      if let complaint = scope.complaint(about: path) { complain(node, complaint) }
    }
  }

  private mutating func part(_ node: Node) -> WrittenValue.Part? {
    guard let entries = node.mapping, entries.count == 1, let entry = entries.first else {
      let expected = "one format with its value, such as { u8: 1 }; a list writes several in a row"
      let several = node.mapping.map { $0.count > 1 } == true
      let found = several ? "several formats stand here" : "\(node.shown) stands here"
      complain(node, Complaint(found, expected: expected))
      return nil
    }
    guard let format = ValueFormat(entry.key) else {
      let complaint = Complaint.noFormat(entry.key)
      problems.append(complaint.at(entry.keyPlace, path: entry.value.path))
      return nil
    }
    guard case .scalar(let text, _) = entry.value.content else {
      complain(entry.value, Complaint("\(entry.value.shown) stands here", expected: "one value"))
      return nil
    }
    guard let template = MessageTemplate(text) else {
      complain(
        entry.value,
        Complaint("\(entry.value.shown) stands here", expected: MessageTemplate.shape)
      )
      return nil
    }
    complainOfUnknown(template.variables, entry.value)
    do {
      if let text = template.constant { _ = try format.encode(text) }
      return WrittenValue.Part(format, template)
    } catch {
      complain(entry.value, Complaint(error.problem, expected: "a value for \(format)"))
      return nil
    }
  }
}
