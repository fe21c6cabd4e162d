// What has to hold across the keys of a mapping, with what a schema says of it.

import Documents

/// A rule across keys.
enum KeyRule<Owner: Described>: Sendable {
  /// One of the keys has to be there. The complaint is about the first key of the mapping's own.
  case atLeastOne([String], Complaint)
  /// One of the keys has to be there, and no other of them.
  case exactlyOne([String], Complaint)
  /// No more than one of the keys has to be there.
  case atMostOne([String], Complaint)
  /// The first key needs the second, and that goes with no other.
  case pair(String, with: String)
  /// What the values of keys must not be together. The complaint is about the first of `blamed` that
  /// is there.
  case values(blamed: [String], @Sendable (Owner, _ limit: Duration?) -> Complaint?)

  /// Complains where it does not hold.
  ///
  /// - Parameters:
  ///   - limit: The limit of the step that the keys are of.
  ///   - isRead: Whether all keys were read, so that their values can be looked at.
  /// - Returns: Whether the value can be gone on with.
  func holds(
    _ owner: Owner,
    _ limit: Duration?,
    _ mapping: MappingReader,
    isRead: Bool,
    _ reader: inout StepReader
  ) -> Bool {
    switch self {
    case .atLeastOne(let names, let complaint):
      guard !names.contains(where: mapping.has) else { return true }
      reader.complain(mapping[Owner.keys[0].name] ?? mapping.node, complaint)
      return true
    case .exactlyOne(let names, let complaint):
      guard names.filter(mapping.has).count != 1 else { return true }
      reader.complain(mapping.node, complaint)
      return false
    case .atMostOne(let names, let complaint):
      guard names.filter(mapping.has).count > 1 else { return true }
      reader.complain(mapping.node, complaint)
      return true
    case .pair(let first, let second):
      if mapping.has(first), !mapping.has(second) {
        let shape = Owner.keys.first { $0.name == second }?.shape
        reader.complain(mapping.node, .missing(second, expected: shape?.expected(reader)))
        return false
      }
      if let node = mapping[second], !mapping.has(first) {
        let complaint = Complaint("'\(second)' is only valid with '\(first)'")
        reader.complain(node, complaint)
        return false
      }
      return true
    case .values(let blamed, let complaint):
      guard isRead, let complaint = complaint(owner, limit) else { return true }
      reader.complain(blamed.lazy.compactMap { mapping[$0] }.first ?? mapping.node, complaint)
      return true
    }
  }

  /// What is wrong with a value, wherever it was made.
  func complaint(_ owner: Owner, within limit: Duration?) -> Complaint? {
    switch self {
    case .atLeastOne(let names, let complaint):
      Owner.keys.contains { names.contains($0.name) && $0.isGiven(owner) } ? nil : complaint
    case .exactlyOne(let names, let complaint):
      Owner.keys.filter { names.contains($0.name) && $0.isGiven(owner) }.count == 1
        ? nil : complaint
    case .atMostOne(let names, let complaint):
      Owner.keys.filter { names.contains($0.name) && $0.isGiven(owner) }.count < 2
        ? nil : complaint
    case .pair: nil
    case .values(_, let complaint): complaint(owner, limit)
    }
  }
}

extension Complaint {
  /// A key that has to be there.
  static func missing(_ key: String, expected: String?) -> Complaint {
    Complaint("the key '\(key)' is missing", expected: expected)
  }
}
