// What an entry of a list of steps may be: a step of a kind, or the steps of another file.

import Documents
import Spelling

/// An entry of a list of steps, which begins with its verb.
protocol StepEntry: Described {
  /// The word that names it: `read`.
  static var verb: String { get }
  /// Words of other programs and languages for the same, for suggestions.
  static var synonyms: [String] { get }
  /// What it does, as a continuation of "the step …".
  static var documentation: String { get }
  /// All keys, including those that it shares with others.
  static var descriptions: [KeyDescription] { get }
  /// Reads an entry; no steps after an error.
  static func steps(_ node: Node, _ reader: inout StepReader) -> [Step]
}

extension StepEntry {
  static var synonyms: [String] { [] }
  static var descriptions: [KeyDescription] { keys.map(\.description) }

  /// Whether the verb may be used without keys.
  static var mayBeBare: Bool { !keys.contains(where: \.description.isRequired) }

  /// Whether it consists of other steps.
  static var hasInnerSteps: Bool {
    keys.contains { if case .steps = $0.description.form { true } else { false } }
  }
}

extension Step {
  /// The words that begin an entry, in the order of ``entries``.
  static let verbs = entries.map { $0.verb }

  private static let entriesByVerb = Dictionary(uniqueKeysWithValues: entries.map { ($0.verb, $0) })

  /// The other keys of each verb. A key may have the name of a verb: `rssi` is a key of `scan`.
  static let keyNames: [String: Set<String>] = Dictionary(
    uniqueKeysWithValues: entries.map { entry in
      (entry.verb, Set(entry.descriptions.map(\.name)).subtracting([entry.verb]))
    }
  )

  /// What begins with a word; nil for one that is not a verb.
  static func entry(_ verb: String) -> (any StepEntry.Type)? { entriesByVerb[verb] }

  /// The verb that a word probably means; nil for a word that is near none.
  static func verb(meantBy word: String) -> String? {
    let word = word.lowercased()
    if let entry = entries.first(where: { $0.synonyms.contains(word) }) { return entry.verb }
    return Spelling.nearest(to: word, among: verbs)
  }

  /// Whether the values of a key may use captured values, in a step of some kind.
  static func isLive(_ key: String) -> Bool { liveKeys.contains(key) }

  private static let liveKeys = Set(
    entries.flatMap { $0.descriptions.filter(\.shape.isLive).map(\.name) }
  )
}

extension Plan {
  /// The words that begin a step.
  package static var verbs: [String] { Step.verbs }
}

extension Problem {
  /// A word that is not a verb.
  static func unknownStep(_ word: String) -> Problem {
    let message = "unknown step '\(word)'"
    guard let verb = Step.verb(meantBy: word) else {
      return .unknown(message, word, among: Step.verbs)
    }
    return Problem(message, nearest: verb)
  }
}
