// Rules across the keys of a mapping.

/// A rule across the keys of a mapping: which of them belong together.
public struct KeyRule: Sendable {
  /// What breaks a rule. It is about the first of the keys that is present, otherwise about the
  /// mapping.
  public typealias Breach = (keys: [String], problem: Problem)

  private let makeSchema: @Sendable () -> JSONValue?
  /// Whether a misspelt key may cause the problem: then only the unknown key is reported.
  package let needsKey: Bool
  private let find: @Sendable (_ isGiven: (String) -> Bool) -> [Breach]
  private let look: @Sendable (_ mapping: Node) -> Problem?

  /// The rule in JSON Schema; nil where a schema does not express it.
  public var schema: JSONValue? { makeSchema() }

  /// A rule about which keys are given; with `needsKey`, an unknown key of the mapping is reported
  /// instead, since it may be the missing one.
  public init(
    schema: @autoclosure @escaping @Sendable () -> JSONValue?, needsKey: Bool = false,
    breaches: @escaping @Sendable (_ isGiven: (String) -> Bool) -> [Breach]
  ) {
    makeSchema = schema
    self.needsKey = needsKey
    find = breaches
    look = { _ in nil }
  }

  /// A rule that looks at the values of the keys in a file.
  ///
  /// Only `problems(_:)` asks it: it is for device files and scenarios. Chains are made without a
  /// file, too; their rules about values are `Described.conflict(within:)`.
  public init(
    schema: @autoclosure @escaping @Sendable () -> JSONValue?,
    check: @escaping @Sendable (_ mapping: Node) -> Problem?
  ) {
    makeSchema = schema
    needsKey = false
    find = { _ in [] }
    look = check
  }

  /// What breaks it in a value, however that was made.
  package func breaches(_ isGiven: (String) -> Bool) -> [Breach] { find(isGiven) }

  /// The errors about a mapping.
  package func problems(_ mapping: Node) -> [Problem] {
    let broken = find { mapping.value(of: $0) != nil }.map { keys, problem in
      problem.at(keys.lazy.compactMap { mapping.value(of: $0) }.first ?? mapping)
    }
    return broken + (look(mapping).map { [$0] } ?? [])
  }

  /// At most one of these keys.
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

  /// At least one of these keys.
  ///
  /// - Parameter blamed: The key that the error is about; nil for the mapping.
  public static func some(
    of keys: [String], _ message: String, expected: String? = nil, at blamed: String? = nil
  ) -> KeyRule {
    KeyRule(schema: ["anyOf": .requiring(each: keys)]) { isGiven in
      if keys.contains(where: isGiven) { return [] }
      return [(blamed.map { [$0] } ?? [], Problem(message, expected: expected))]
    }
  }

  /// Exactly one of these keys.
  public static func one(of keys: [String], _ message: String, expected: String) -> KeyRule {
    KeyRule(schema: ["oneOf": .requiring(each: keys)], needsKey: true) { isGiven in
      keys.count(where: isGiven) == 1 ? [] : [([], Problem(message, expected: expected))]
    }
  }

  /// A key that needs one of other keys.
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

  /// A key that excludes another one.
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
