// Rules across the keys of a mapping.

import Documents

/// A rule across keys.
///
/// As for ``Key``, nothing about `Owner` is asked at run time before a rule is applied.
enum KeyRule<Owner: Sendable>: Sendable {
  /// At least one of the keys. The error is about the first key of the mapping.
  case atLeastOne([String], Complaint)
  /// Exactly one of the keys.
  case exactlyOne([String], Complaint)
  /// At most one of the keys.
  case atMostOne([String], Complaint)
  /// The first key requires the second, which is only valid with the first.
  case pair(String, with: String)
  /// A check of the values of several keys. The error is about the first key of `blamed` that is
  /// present.
  case values(blamed: [String], @Sendable (Owner, _ limit: Duration?) -> Complaint?)
}

extension KeyRule where Owner: Described {
  /// Adds an error when the rule does not hold.
  ///
  /// - Parameters:
  ///   - limit: The timeout of the step.
  ///   - isRead: Whether all keys were read, so that their values can be checked.
  /// - Returns: Whether the value is usable.
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

  /// The error in a value, however it was made.
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
  /// A required key that is missing.
  static func missing(_ key: String, expected: String?) -> Complaint {
    Complaint("the key '\(key)' is missing", expected: expected)
  }
}
