// What the options of usual runs are called, for the parser and for the reader that bypasses it.

import ArgumentParser

/// An option of a run that ``UsualRun`` reads; it has a value. Its long name is its raw value.
enum UsualOption: String, CaseIterable {
  case simulate, seed, device, steps, output

  /// Its short name; nil without one.
  private var letter: Character? {
    switch self {
    case .device: "d"
    case .steps: "e"
    case .simulate, .seed, .output: nil
    }
  }

  /// For the parser.
  var names: NameSpecification {
    NameSpecification((letter.map { [.customShort($0)] } ?? []) + [.customLong(rawValue)])
  }

  /// The option that a word of a command line is; nil for every other word.
  init?(word: String) {
    for option in Self.allCases where option.isNamed(word) {
      self = option
      return
    }
    return nil
  }

  private func isNamed(_ word: String) -> Bool {
    if word == "--" + rawValue { return true }
    guard let letter else { return false }
    return word == "-" + String(letter)
  }
}
