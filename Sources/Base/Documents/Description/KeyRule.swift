// Rules across the keys of a mapping.
//
// Rules about one value belong to its Shape.

/// A rule across the keys of a mapping, such as keys that exclude each other.
public struct KeyRule: Sendable {
  /// A problem with some keys. Its position is the first of these keys that is present, otherwise
  /// the mapping.
  public typealias KeyProblem = (keys: [String], problem: Problem)

  private let makeSchema: @Sendable () -> JSONValue?
  /// Whether a misspelt key may break the rule. If the mapping has an unknown key, only that is
  /// reported.
  package let needsKey: Bool
  private let find: @Sendable (_ isGiven: (String) -> Bool) -> [KeyProblem]
  private let look: @Sendable (_ mapping: Node) -> Problem?

  /// The rule in JSON Schema; nil if a schema does not express it.
  public var schema: JSONValue? { makeSchema() }

  /// A rule about the presence of keys. With `needsKey`, an unknown key of the mapping is reported
  /// instead, since it may be the missing one.
  public init(
    schema: @autoclosure @escaping @Sendable () -> JSONValue?, needsKey: Bool = false,
    problems: @escaping @Sendable (_ isGiven: (String) -> Bool) -> [KeyProblem]
  ) {
    makeSchema = schema
    self.needsKey = needsKey
    find = problems
    look = { _ in nil }
  }

  /// A rule about the values of keys in a file.
  ///
  /// Only `problems(_:)` checks it: it is for device files and scenarios. Chains are also made
  /// without a file; their rules about values are `Described.problemAcrossKeys(timeout:)`.
  public init(
    schema: @autoclosure @escaping @Sendable () -> JSONValue?,
    check: @escaping @Sendable (_ mapping: Node) -> Problem?
  ) {
    makeSchema = schema
    needsKey = false
    find = { _ in [] }
    look = check
  }

  /// The problems of a value, made from a file or in Swift.
  package func problems(given isGiven: (String) -> Bool) -> [KeyProblem] { find(isGiven) }

  /// The problems of a mapping in a file.
  package func problems(_ mapping: Node) -> [Problem] {
    let found = find { mapping.value(of: $0) != nil }.map { keys, problem in
      problem.at(keys.lazy.compactMap { mapping.value(of: $0) }.first ?? mapping)
    }
    return found + (look(mapping).map { [$0] } ?? [])
  }

  /// Allows at most one of these keys.
  public static func exclusive(_ keys: [String]) -> KeyRule {
    let given = keys.map { JSONValue.required($0) }
    let none: JSONValue = ["not": .anyOf(given)]
    let schema: JSONValue =
      keys.count == 2
      ? ["not": .required(keys[0], keys[1])] : ["oneOf": .array(given + [none])]
    return KeyRule(schema: schema) { isGiven in
      let found = keys.filter(isGiven)
      guard found.count > 1 else { return [] }
      return [([found[1]], Problem("'\(found[0])' and '\(found[1])' exclude each other"))]
    }
  }

  /// Requires at least one of these keys.
  ///
  /// - Parameter blamed: The key at which the problem is reported; nil for the mapping.
  public static func some(
    of keys: [String], _ message: String, expected: String? = nil, at blamed: String? = nil
  ) -> KeyRule {
    KeyRule(schema: ["anyOf": .requiring(each: keys)], needsKey: true) { isGiven in
      if keys.contains(where: isGiven) { return [] }
      return [(blamed.map { [$0] } ?? [], Problem(message, expected: expected))]
    }
  }

  /// Requires exactly one of these keys.
  public static func one(of keys: [String], _ message: String, expected: String) -> KeyRule {
    KeyRule(schema: ["oneOf": .requiring(each: keys)], needsKey: true) { isGiven in
      keys.count(where: isGiven) == 1 ? [] : [([], Problem(message, expected: expected))]
    }
  }

  /// Allows a key only with one of the other keys.
  public static func only(
    _ key: String, with others: [String], _ message: String, expected: String? = nil
  ) -> KeyRule {
    let need: JSONValue =
      others.count == 1 ? .required(others[0]) : ["anyOf": .requiring(each: others)]
    return KeyRule(schema: ["if": .required(key), "then": need], needsKey: true) { isGiven in
      guard isGiven(key), !others.contains(where: isGiven) else { return [] }
      return [([key], Problem(message, expected: expected))]
    }
  }

  /// Forbids a key together with another one.
  public static func never(_ key: String, with other: String, _ message: String) -> KeyRule {
    KeyRule(schema: ["not": .required(other, key)]) { isGiven in
      isGiven(other) && isGiven(key) ? [([key], Problem(message))] : []
    }
  }
}

extension Node {
  /// The value under a key of a mapping.
  public func value(of key: String) -> Node? { mapping?.first { $0.key == key }?.value }
}
