// The answers of a chain to pairing requests: the keys `pair` of a step, and `pairing` of a chain.
//
// Registering the agent that gives the answers is in the module Bluetooth.

public import Bluetooth
package import Documents

/// The answers to pairing requests, of a `pair` step or of the entire chain.
public struct PairingRule: Hashable, Sendable {
  /// The I/O capability; nil for the least that the answers need.
  public var capability: AgentCapability?
  /// Whether Just Works pairing is accepted.
  public var acceptsJustWorks: Bool
  /// The answer to a numeric comparison; nil asks the user, or rejects if there is no user.
  public var comparison: PairingAnswers.Comparison?
  /// The passkey; nil asks the user, or rejects if there is no user.
  public var secret: SecretReference?

  /// Creates a rule; by default, Just Works is accepted, and the user is asked everything else.
  ///
  /// ```swift
  /// var plan = try Plan(file: "lock.yaml")
  /// plan.pairing = PairingRule(secret: SecretReference(.environment("PASSKEY")))
  /// ```
  public init(
    capability: AgentCapability? = nil, acceptsJustWorks: Bool = true,
    comparison: PairingAnswers.Comparison? = nil, secret: SecretReference? = nil
  ) {
    self.capability = capability
    self.acceptsJustWorks = acceptsJustWorks
    self.comparison = comparison
    self.secret = secret
  }

  /// Whether the rule has an answer of its own, so that the user is not asked.
  public var hasAnswers: Bool { comparison != nil || secret != nil }

  /// Creates the answers of the rule, with its secret loaded.
  package func answers(
    ask: PairingAnswers.Ask?, show: @escaping PairingAnswers.Show
  ) throws(Problem) -> PairingAnswers {
    PairingAnswers(
      capability: capability, acceptsJustWorks: acceptsJustWorks, comparison: comparison,
      secret: try secret?.read(), ask: hasAnswers ? nil : ask, show: show
    )
  }
}

extension PairingRule: Described {
  /// Creates a rule without answers of its own.
  public init() { self.init(capability: nil) }

  static let keys: [Key<PairingRule>] = [
    Key(
      "capability",
      \.capability,
      .choice,
      "the capability of this side; by default the least that the answers need"
    ),
    Key("confirm", \.comparison, .comparison, "the answer to a numeric comparison"),
    Key("passkey", \.secret, .secret, "where the passkey is"),
    Key(
      "just-works", \.acceptsJustWorks, .truth, default: true,
      "whether Just Works pairing is accepted"
    ),
  ]

  static let shape = Shape<PairingRule>(
    "answers such as { passkey: { env: NAME } } or { confirm: true }",
    schema: .reference("pairing"), words: { ["\($0)"] }
  ) { node, reader in
    guard node.mapping != nil else { return nil }
    return read(node, &reader) ?? PairingRule()
  }
}

extension PairingRule: CustomStringConvertible {
  /// The one-line form.
  public var description: String { words(Self.keys).joined(separator: " ") }
}

extension Shape where Value == PairingAnswers.Comparison {
  fileprivate static var comparison: Self {
    Shape(
      "true, false, or the number that the device shows",
      line: "yes, no, or the number that the device shows",
      schema: JSONValue.type("boolean", "integer", "string").orVariable, word: .truth
    ) { comparison in
      switch comparison {
      case .always(let isYes): [isYes ? "yes" : "no"]
      case .only(let number): [PairingQuestion.sixDigits(number)]
      }
    } read: { node, _ in
      node.truth.map { .always($0) } ?? node.text.flatMap { Secret($0).passkey }.map { .only($0) }
    }
  }
}

enum SecretKey: String, CaseIterable {
  case env, file

  /// The description of the key's value.
  var takes: String {
    switch self {
    case .env: "the name of an environment variable"
    case .file: "the path of a file"
    }
  }

  func source(_ text: String) -> SecretReference.Source {
    switch self {
    case .env: .environment(text)
    case .file: .file(text)
    }
  }
}

extension Shape where Value == SecretReference {
  /// The source of a passkey, `{ env: NAME }` or `{ file: PATH }`, or the passkey itself. Error
  /// messages do not quote it.
  fileprivate static var secret: Self {
    let expected = "{ env: NAME } or { file: PATH }"
    return Shape(
      expected, line: "env:NAME or file:PATH",
      schema: .anyOf([.type("string", "integer"), .reference("passkey")]), word: .reference,
      words: { ["\($0)"] }
    ) { node, reader in
      guard node.mapping != nil else {
        if let secret = node.text.map({ Secret($0) }), secret.passkey != nil {
          return SecretReference(written: secret)
        }
        reader.complain(node, Problem("invalid passkey", expected: expected))
        return nil
      }
      var mapping = MappingReader(node)
      let sources = SecretKey.allCases.compactMap { key in
        mapping.optional(key.rawValue, expected: key.takes) { $0.text }.map { key.source($0) }
      }
      let wrong = mapping.finish()
      reader.problems += wrong
      if sources.count == 1 { return SecretReference(sources[0]) }
      let problem = Problem("a passkey has exactly one source", expected: expected)
      if wrong.isEmpty { reader.complain(node, problem) }
      return nil
    }
  }
}
