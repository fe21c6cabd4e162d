// The options of a step: words that may follow the verb and its target.

import Bluetooth
import Documents
import Spelling

/// The options of a step, found by their words.
struct LineOptions {
  /// A key that a word names, and the key whose mapping contains it.
  typealias Option = (key: KeyDescription, outer: KeyDescription?)

  private var options: [Option] = []

  init(_ keys: [KeyDescription]) {
    for key in keys {
      switch key.form {
      case .members(let members): options += members.map { ($0, key) }
      case .target, .steps, .inputs, .condition, .calculation: continue
      case .option, .repeated, .flag, .bare, .parts, .write, .comparisons, .stop, .binding:
        options.append((key, nil))
      }
    }
  }

  /// The option that begins with a word; nil if there is none.
  func next(_ word: LineWord) -> Option? {
    options.first { option in
      if case .parts = option.key.form { return word.firstIndex(of: ":") != nil }
      if case .bare(let words, _) = option.key.form {
        return !word.isValue && words.contains(word.text) || word.isPlain(option.key.name)
      }
      if case .repeated = option.key.form, word.isPlain(option.key.name) { return true }
      return option.key.word.map { word.isPlain($0) } ?? false
    }
  }

  /// The error for a word that does not begin an option.
  func problem(about word: LineWord) -> Problem {
    let found = "'\(word.text)'"
    guard !options.isEmpty else { return Problem(found: found, expected: "the end of the step") }
    let names = options.compactMap(\.key.word)
    guard !phrases.isEmpty else { return .unknown(found: found, word.text, among: names) }
    let all = phrases + names
    let known =
      all.count < 2
      ? all.joined()
      : all.dropLast().map { $0 + ", " }.joined()
        + "or " + (all.last ?? "")
    let nearest = Spelling.nearest(to: word.text, among: names + bareWords)
    return Problem(found: found, expected: known, nearest: nearest)
  }

  /// The descriptions of options that do not begin with a fixed word.
  private var phrases: [String] {
    options.compactMap { option in
      if case .bare(_, let what) = option.key.form { return what }
      if case .parts = option.key.form { return option.key.shape.line(PlanLimits()) }
      return nil
    }
  }

  private var bareWords: [String] {
    options.flatMap { option -> [String] in
      if case .bare(let words, _) = option.key.form { words } else { [] }
    }
  }
}
