// JSON text as a value, parsed by Documents, and the parts of it.

package import Documents

extension JSONValue: JSONBuilt {
  /// Parses a JSON text. Numbers keep their digits, members their order.
  package init(parsing text: String) throws(JSONSyntaxError) { try self.init(json: text) }

  /// The member of an object; nil without one, and for another value.
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The text of a string; nil for another value.
  package var string: String? { if case .string(let text) = self { text } else { nil } }

  /// A number that is whole; nil for another value.
  package var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }

  /// A number; nil for another value.
  package var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }

  /// The elements of an array; empty for another value.
  package var elements: [JSONValue] { if case .array(let values) = self { values } else { [] } }
}
