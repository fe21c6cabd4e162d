// Names as files have them: the names of one mapping, and what is wrong with them.
//
// How a file is parsed, and how its errors are reported, is the reader's affair.

extension AttributeNames {
  /// What is wrong with an entry.
  package enum EntryProblem: Hashable, Sendable {
    /// The value is not a UUID.
    case uuid(expected: String)
    /// The name is wrong, or there twice.
    case name(String, expected: String? = nil)
  }

  /// The UUIDs in files as a regular expression.
  package static let uuidPattern =
    "^(0[xX])?([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$"
  /// A UUID, for messages.
  package static let example = "0000a001-1212-efde-1523-785feabcd123"

  /// The names of a mapping.
  ///
  /// - Parameters:
  ///   - entries: Names with the texts of their UUIDs, and where each is.
  ///   - report: Receives what is wrong, with the index of the entry.
  package static func read(
    _ entries: [(name: String, uuid: String, place: String)],
    report: (_ index: Int, EntryProblem) -> Void
  ) -> [AttributeName] {
    var read: [AttributeName] = []
    var named: [String: String] = [:]
    var owners: [BluetoothUUID: String] = [:]
    for (index, entry) in entries.enumerated() {
      do throws(InvalidAttributeName) {
        guard let uuid = BluetoothUUID(entry.uuid) else {
          let isReversed = BluetoothUUID(entry.name) != nil && !entry.uuid.isEmpty
          report(
            index,
            isReversed
              ? .name("the name comes first", expected: "'\(entry.uuid): \(entry.name)'")
              : .uuid(expected: "a UUID such as \(example), or of 4 or 8 digits")
          )
          continue
        }
        let name = try AttributeName(entry.name, uuid)
        let key = name.name.lowercased()
        if let first = named[key] {
          report(index, .name("duplicate name '\(name.name)', first at \(first)"))
        } else if let first = owners[uuid] {
          report(index, .name("\(uuid) has two names; the first is \(first)"))
        } else {
          (named[key], owners[uuid]) = (entry.place, "'\(entry.name)' at \(entry.place)")
          read.append(name)
        }
      } catch {
        report(index, .name("\(error)", expected: error.remedy))
      }
    }
    return read
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
