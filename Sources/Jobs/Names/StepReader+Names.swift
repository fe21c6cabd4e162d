// `names`: names for the UUIDs of vendors, in a chain, a batch and a file of names.
//
// One reader for all three. The rules for a single name are in Bluetooth.

import Bluetooth
import Documents

extension Shape where Value == AttributeNames {
  /// Names with their UUIDs. They are known to whatever is read after them.
  static var names: Self {
    let uuid = "[0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
    let schema: OrderedJSON = [
      "type": "object", "propertyNames": .reference("attributeName"),
      "additionalProperties": OrderedJSON.type("string", "integer")
        .adding("pattern", .text("^(0[xX])?(\(uuid))$")).orVariable,
    ]
    let expected = "names with their UUIDs such as { soil-moisture: \(AttributeNames.example) }"
    return Shape(expected, schema: schema, words: { _ in [] }) { node, reader in
      reader.names(node)
    }
  }
}

extension AttributeNames {
  fileprivate static let example = "0000a001-1212-efde-1523-785feabcd123"

  /// For the key `names`, wherever it is.
  static let documentation =
    "names for UUIDs, `soil-moisture: 0000a001-…`, for targets and for output: [names](#names)"
}

extension StepReader {
  /// The names of a mapping, before those that are known already.
  ///
  /// - Returns: Nil for a node that is not a mapping, and after an error about their number.
  fileprivate mutating func names(_ node: Node) -> AttributeNames? {
    guard let entries = node.mapping else { return nil }
    guard entries.count <= limits.names else {
      complain(node, Complaint("more than \(limits.names) names"))
      return nil
    }
    var read: [AttributeName] = []
    var named: [String: Node.Entry] = [:]
    var owners: [BluetoothUUID: Node.Entry] = [:]
    for entry in entries {
      guard let name = name(entry) else { continue }
      let key = name.name.lowercased()
      if let first = named[key] {
        complain(entry, Complaint("duplicate name '\(name.name)', first at \(first.keyPlace)"))
      } else if let first = owners[name.uuid] {
        let place = "'\(first.key)' at \(first.keyPlace)"
        complain(entry, Complaint("\(name.uuid) has two names; the first is \(place)"))
      } else {
        (named[key], owners[name.uuid]) = (entry, entry)
        read.append(name)
      }
    }
    surroundings.names = AttributeNames(read, over: surroundings.names)
    return surroundings.names
  }

  /// `soil-moisture: 0000a001-1212-efde-1523-785feabcd123`; nil after an error.
  private mutating func name(_ entry: Node.Entry) -> AttributeName? {
    let text = entry.value.text ?? ""
    guard let uuid = BluetoothUUID(text) else {
      if BluetoothUUID(entry.key) != nil, !text.isEmpty {
        complain(entry, Complaint("the name comes first", expected: "'\(text): \(entry.key)'"))
      } else {
        let expected = "a UUID such as \(AttributeNames.example), or of 4 or 8 digits"
        complain(entry.value, Complaint(found: entry.value.shown, expected: expected))
      }
      return nil
    }
    do {
      return try AttributeName(entry.key, uuid)
    } catch {
      complain(entry, Complaint("\(error)", expected: error.remedy))
      return nil
    }
  }

  /// An error about the key of an entry.
  private mutating func complain(_ entry: Node.Entry, _ complaint: Complaint) {
    problems.append(complaint.at(entry.keyPlace, path: entry.value.path))
  }
}

extension InvalidAttributeName {
  /// What would be valid, where the message does not have it.
  fileprivate var remedy: String? {
    switch self {
    case .malformed: nil
    case .uuid, .address, .assigned: "another name"
    }
  }
}
