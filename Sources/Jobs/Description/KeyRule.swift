// Rules across the keys of a mapping.

import Documents

/// A rule across keys.
///
/// As for ``Key``, nothing about `Owner` is asked at run time before a rule is applied.
enum KeyRule<Owner: Sendable>: Sendable {
  /// At least one of the keys. The error is about the first key where that is required, such as the
  /// verb of a step; otherwise about the mapping.
  case atLeastOne([String], Problem)
  /// Exactly one of the keys.
  case exactlyOne([String], Problem)
  /// At most one of the keys.
  case atMostOne([String], Problem)
  /// Exactly one of the keys, of a mapping without other errors: a misspelt key may be one of them.
  case identified(by: [String], Problem)
  /// The first key requires the second, which is only valid with the first.
  case pair(String, with: String)
  /// A key that excludes others. The errors are about these.
  case exclusive(String, [String], @Sendable (_ other: String) -> Problem)
  /// A key that may be true only beside one of others. The error is about it.
  case flag(String, with: [String])
  /// A check of the values of several keys. The error is about the first key of `blamed` that is
  /// present.
  case values(blamed: [String], @Sendable (Owner, _ limit: Duration?) -> Problem?)
}

extension KeyRule {
  /// The same rule of a value that the owner is a part of.
  func of<Whole>(_ path: any WritableKeyPath<Whole, Owner> & Sendable) -> KeyRule<Whole> {
    switch self {
    case .atLeastOne(let names, let complaint): .atLeastOne(names, complaint)
    case .exactlyOne(let names, let complaint): .exactlyOne(names, complaint)
    case .atMostOne(let names, let complaint): .atMostOne(names, complaint)
    case .identified(let names, let complaint): .identified(by: names, complaint)
    case .pair(let first, let second): .pair(first, with: second)
    case .exclusive(let name, let others, let complaint): .exclusive(name, others, complaint)
    case .flag(let name, let others): .flag(name, with: others)
    case .values(let blamed, let complaint):
      .values(blamed: blamed) { complaint($0[keyPath: path], $1) }
    }
  }
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
      let first = Owner.keys.first { $0.description.isRequired }?.name
      reader.complain(first.flatMap { mapping[$0] } ?? mapping.node, complaint)
      return true
    case .exactlyOne(let names, let complaint):
      guard names.filter(mapping.has).count != 1 else { return true }
      reader.complain(mapping.node, complaint)
      return false
    case .atMostOne(let names, let complaint):
      guard names.filter(mapping.has).count > 1 else { return true }
      reader.complain(mapping.node, complaint)
      return true
    case .identified(let names, let complaint):
      guard isRead, !mapping.hasUnknownKeys, names.filter(mapping.has).count != 1 else {
        return true
      }
      reader.complain(mapping.node, complaint)
      return false
    case .pair(let first, let second):
      if mapping.has(first), !mapping.has(second) {
        let shape = Owner.keys.first { $0.name == second }?.shape
        reader.complain(mapping.node, .missing(second, expected: shape?.expected(reader)))
        return false
      }
      if let node = mapping[second], !mapping.has(first) {
        let complaint = Problem("'\(second)' is only valid with '\(first)'")
        reader.complain(node, complaint)
        return false
      }
      return true
    case .exclusive(let name, let others, let complaint):
      guard mapping.has(name) else { return true }
      for other in others {
        if let node = mapping[other] { reader.complain(node, complaint(other)) }
      }
      return true
    case .flag(let name, _):
      // A misspelt key may be one of the others.
      guard isRead, !mapping.hasUnknownKeys, let complaint = complaint(owner, within: limit) else {
        return true
      }
      reader.complain(mapping[name] ?? mapping.node, complaint)
      return true
    case .values(let blamed, let complaint):
      guard isRead, let complaint = complaint(owner, limit) else { return true }
      reader.complain(blamed.lazy.compactMap { mapping[$0] }.first ?? mapping.node, complaint)
      return true
    }
  }

  /// The error in a value, however it was made.
  func complaint(_ owner: Owner, within limit: Duration?) -> Problem? {
    switch self {
    case .atLeastOne(let names, let complaint):
      names.contains { isGiven($0, owner) } ? nil : complaint
    case .exactlyOne(let names, let complaint), .identified(let names, let complaint):
      names.count { isGiven($0, owner) } == 1 ? nil : complaint
    case .atMostOne(let names, let complaint):
      names.count { isGiven($0, owner) } < 2 ? nil : complaint
    case .flag(let name, let others):
      isGiven(name, owner) && !others.contains { isGiven($0, owner) }
        ? Problem("'\(name)' is only valid with \(Self.alternatives(others))") : nil
    case .pair, .exclusive: nil
    case .values(_, let complaint): complaint(owner, limit)
    }
  }

  private func isGiven(_ name: String, _ owner: Owner) -> Bool {
    Owner.keys.contains { $0.name == name && $0.isGiven(owner) }
  }

  /// `'a', 'b' or 'c'`
  private static func alternatives(_ names: [String]) -> String {
    let quoted = names.map { "'\($0)'" }
    let first = quoted.dropLast().joined(separator: ", ")
    return first.isEmpty ? quoted[0] : "\(first) or \(quoted[quoted.count - 1])"
  }
}

extension Problem {
  /// A required key that is missing.
  static func missing(_ key: String, expected: String?) -> Problem {
    Problem("the key '\(key)' is missing", expected: expected)
  }
}
