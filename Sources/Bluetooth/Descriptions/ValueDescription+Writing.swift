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
    do {
      return try encode(DecodedValue(written: node))
    } catch {
      let place = node.field(at: error.field) ?? node
      let isAtField = place.path != node.path || node.mapping == nil
      throw Problem(isAtField ? error.problem : "\(error.field): \(error.problem)").at(place)
    }
  }
}

extension DecodedValue {
  /// The value of a node; numbers, truth values and bytes are texts, of which a format makes its
  /// own.
  fileprivate init(written node: Node) {
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
  private static func group(_ members: [(path: [String], value: DecodedValue)]) -> DecodedValue {
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
  /// The node of a field by its path: under a key with dots, or in nested mappings.
  package func field(at path: String) -> Node? {
    if let exact = value(of: path) { return exact }
    guard let dot = path.firstIndex(of: "."), let inner = value(of: String(path[..<dot])) else {
      return nil
    }
    return inner.field(at: String(path[path.index(after: dot)...])) ?? inner
  }
}
