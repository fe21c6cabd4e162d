// Fields of a described value in files, as bytes.

package import Bluetooth
package import Documents

extension ValueDescription {
  /// Encodes the fields of a mapping: `{ interval: 600, flags.tamper: true }`.
  ///
  /// A description without fields takes the value itself.
  ///
  /// - Throws: `Problem` at the field that is wrong.
  package func octets(of node: Node) throws(Problem) -> [UInt8] {
    try octets(of: DecodedValue(written: node), in: node)
  }

  /// Encodes a value that a node has.
  ///
  /// - Throws: `Problem` at the field that is wrong.
  package func octets(of value: DecodedValue, in node: Node) throws(Problem) -> [UInt8] {
    do {
      return try encode(value)
    } catch {
      throw Problem(error, of: node)
    }
  }
}

extension Problem {
  /// The mistake in a described value, at its field.
  package init(_ error: ValueError, of node: Node) {
    let (place, rest) = node.nearest(to: error.field)
    let isWhole = rest.isEmpty || node.mapping == nil && node.sequence == nil
    self = Problem(isWhole ? error.problem : "\(rest): \(error.problem)").at(place)
  }
}

extension DecodedValue {
  /// The value of a node; numbers, truth values and bytes are texts, of which a format makes its
  /// own.
  package init(written node: Node) {
    switch node.content {
    case .scalar(let text, _): self = .text(text)
    case .sequence(let nodes): self = .list(nodes.map { DecodedValue(written: $0) })
    case .mapping(let entries):
      self = Self.group(
        entries.map { entry in
          let path = entry.key.split(separator: ".").map(String.init)
          return (path.isEmpty ? [entry.key] : path, DecodedValue(written: entry.value))
        }
      )
    }
  }

  /// A group of fields whose names may have dots.
  package static func group(_ members: [(path: [String], value: DecodedValue)]) -> DecodedValue {
    var fields: [Field] = []
    for (path, value) in members {
      let rest = Array(path.dropFirst())
      let value = rest.isEmpty ? value : group([(rest, value)])
      if let index = fields.firstIndex(where: { $0.name == path[0] }),
        case .fields(let old) = fields[index].value, case .fields(let new) = value
      {
        fields[index] = Field(path[0], .fields(old + new))
      } else {
        fields.append(Field(path[0], value))
      }
    }
    return .fields(fields)
  }
}

extension Node {
  /// The node of a field by its path, or the nearest around it; nil where the path leads nowhere.
  package func field(at path: String) -> Node? {
    let (node, rest) = nearest(to: path)
    return rest == path ? nil : node
  }

  /// The node of a field by its path: under a key with dots, in nested mappings, or by the number
  /// of an element. If there is none, the nearest around it, and the rest of the path.
  fileprivate func nearest(to path: String) -> (node: Node, rest: String) {
    if let exact = member(path) { return (exact, "") }
    guard let dot = path.firstIndex(of: "."), let inner = member(String(path[..<dot])) else {
      return (self, path)
    }
    return inner.nearest(to: String(path[path.index(after: dot)...]))
  }

  private func member(_ name: String) -> Node? {
    guard let sequence, let number = Int(name), sequence.indices.contains(number - 1) else {
      return value(of: name)
    }
    return sequence[number - 1]
  }
}
