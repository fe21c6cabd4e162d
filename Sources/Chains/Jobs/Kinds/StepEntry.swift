// An entry in a list of steps: a step of some kind, or an `include`.

import Documents
import Spelling

/// An entry in a list of steps, which begins with its verb.
protocol StepEntry: Described {
  /// The key that identifies the entry: `read`.
  static var verb: String { get }
  /// Words for the same operation in other programs and languages, for suggestions.
  static var synonyms: [String] { get }
  /// The description, as a continuation of "the step …".
  static var documentation: String { get }
  /// All keys, including those shared with other kinds.
  static var descriptions: [KeyDescription] { get }
  /// Reads an entry; returns no steps if it has errors.
  static func steps(_ node: Node, _ reader: inout StepReader) -> [Step]
}

extension StepEntry {
  static var synonyms: [String] { [] }
  static var descriptions: [KeyDescription] { keys.map(\.description) }

  /// Whether the verb may stand alone, without keys.
  static var mayBeBare: Bool { !keys.contains(where: \.description.isRequired) }

  /// The problem of a mapping below the verb, whose keys belong beside it; nil if there is none.
  ///
  /// Nothing else can be said about such an entry: its own keys seem to be missing.
  static func problemOfMappingBelowVerb(in node: Node, _ reader: StepReader) -> Problem? {
    guard let value = node.value(of: verb), let below = value.mapping else { return nil }
    let own = keys.first { $0.name == verb }?.shape
    let isValue = own?.mayBeMapping == true
    let misplaced = below.map(\.key).filter { name in
      descriptions.contains { key in
        key.name == name && name != verb
          && (!isValue || key.isRequired && node.value(of: name) == nil)
      }
    }
    guard misplaced.isEmpty else {
      let target = own?.mayBeNull ?? true ? "" : "…"
      let beside = misplaced.map { ", \($0): …" }.joined()
      return Problem(
        "the keys of a step are beside its verb, not below it",
        expected: "{ \(verb): \(target)\(beside) }"
      )
    }
    if isValue { return nil }
    return Problem(found: value.shown, expected: own?.expected(reader) ?? "no value")
  }

  /// Whether the entry contains other steps.
  static var hasInnerSteps: Bool {
    keys.contains { if case .steps = $0.description.form { true } else { false } }
  }
}

extension Step {
  /// The verbs, in the order of ``entries``.
  static let verbs = entries.map { $0.verb }

  private static let entriesByVerb = Dictionary(uniqueKeysWithValues: entries.map { ($0.verb, $0) })

  /// The keys of each verb, without the verb. A key may have the name of a verb: `rssi` is a key of
  /// `scan`.
  static let keyNames: [String: Set<String>] = Dictionary(
    uniqueKeysWithValues: entries.map { entry in
      (entry.verb, Set(entry.descriptions.map(\.name)).subtracting([entry.verb]))
    }
  )

  /// The entry with this verb; nil if it is not a verb.
  static func entry(_ verb: String) -> (any StepEntry.Type)? { entriesByVerb[verb] }

  /// The verb that a misspelled or foreign word probably means; nil if none is near.
  static func verb(meantBy word: String) -> String? {
    let word = word.lowercased()
    if let entry = entries.first(where: { $0.synonyms.contains(word) }) { return entry.verb }
    return Spelling.nearest(to: word, among: verbs)
  }

  /// Whether any kind of step accepts captured values under this key.
  static func mayUseCaptures(_ key: String) -> Bool { captureKeys.contains(key) }

  private static let captureKeys = Set(
    entries.flatMap { $0.descriptions.filter(\.shape.mayUseCaptures).map(\.name) }
  )
}

extension Plan {
  package static var verbs: [String] { Step.verbs }
}

extension Problem {
  /// An unknown verb, with a suggestion.
  static func unknownStep(_ word: String) -> Problem {
    let message = "unknown step '\(word)'"
    guard let verb = Step.verb(meantBy: word) else {
      return .unknown(message, word, among: Step.verbs)
    }
    return Problem(message, nearest: verb)
  }
}
