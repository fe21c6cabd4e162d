// `names`: names for the UUIDs of vendors, in a chain, a batch and a file of names.
//
// One reader for all three. The rules for names are in Bluetooth.

import Bluetooth
import Documents

extension Shape where Value == AttributeNames {
  /// Names with their UUIDs. They are known to whatever is read after them.
  static var names: Self {
    let schema: JSONValue = [
      "type": "object", "propertyNames": .reference("attributeName"),
      "additionalProperties": JSONValue.type("string", "integer")
        .adding("pattern", .string(AttributeNames.uuidPattern)).orVariable,
    ]
    let expected = "names with their UUIDs such as { soil-moisture: \(AttributeNames.example) }"
    return Shape(expected, schema: schema) { node, reader in
      reader.names(node)
    }
  }
}

extension Key {
  static func names(_ path: any WritableKeyPath<Owner, AttributeNames> & Sendable) -> Key {
    Key(
      "names",
      path,
      .names,
      default: .assigned,
      "names for UUIDs, `soil-moisture: 0000a001-…`, for targets and for output: [names](#names)"
    )
  }
}

extension StepReader {
  /// The names of a mapping, before those that are known already.
  ///
  /// - Returns: Nil for a node that is not a mapping, and after an error about their number.
  fileprivate mutating func names(_ node: Node) -> AttributeNames? {
    guard let entries = node.mapping else { return nil }
    guard entries.count <= limits.names else {
      complain(node, Problem("more than \(limits.names) names"))
      return nil
    }
    let read = AttributeNames.read(
      entries.map { ($0.key, $0.value.text ?? "", "\($0.keyPlace)") }
    ) { index, problem in
      let entry = entries[index]
      switch problem {
      case .uuid(let expected): problems.append(entry.value.problem(expected: expected))
      case .name(let message, let expected):
        problems.append(Problem(message, expected: expected).at(keyOf: entry))
      }
    }
    surroundings.names = AttributeNames(read, over: surroundings.names)
    return surroundings.names
  }
}
