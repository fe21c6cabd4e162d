// `pair` and `trust` in the one-line form. A passkey itself is not taken: others can see a command
// line.

import Bluetooth
import Documents

extension LineStepReader {
  /// `pair [capability C] [confirm yes] [passkey env:NAME] [just-works no] [within 30s]`.
  mutating func pair() throws(LineError) -> Step {
    var rule = PairingRule()
    var within: Duration?
    let known = ["capability", "confirm", "passkey", "just-works", "within"]
    while let word = pop() {
      guard !word.isValue, known.contains(word.text) else {
        throw LineError(
          .unknown("'\(word.text)' stands here", word.text, among: known),
          at: word.place
        )
      }
      switch word.text {
      case "capability": rule.capability = try capability()
      case "confirm": rule.comparison = try comparison()
      case "passkey": rule.secret = try secret()
      case "just-works": rule.acceptsJustWorks = try truth()
      default: within = try duration("a duration above 0 such as 30s")
      }
    }
    return Step(.pair(rule), timeout: within)
  }

  /// `trust [yes|no] [within 5s]`.
  mutating func trust() throws(LineError) -> Step {
    var isTrusted = true
    var within: Duration?
    while let word = pop() {
      if word.isPlain("within") {
        within = try duration("a duration above 0 such as 5s")
      } else if let truth = Self.truth(word) {
        isTrusted = truth
      } else {
        let complaint = Complaint("'\(word.text)' stands here", expected: "yes, no or within")
        throw LineError(complaint, at: word.place)
      }
    }
    return Step(.trust(isTrusted), timeout: within)
  }

  private static func truth(_ word: LineWord) -> Bool? {
    switch word.text {
    case "yes", "true": true
    case "no", "false": false
    default: nil
    }
  }

  private mutating func truth() throws(LineError) -> Bool {
    let word = try next("yes or no")
    if let truth = Self.truth(word) { return truth }
    throw LineError(Complaint("'\(word.text)' stands here", expected: "yes or no"), at: word.place)
  }

  private mutating func capability() throws(LineError) -> AgentCapability {
    let known = AgentCapability.allCases.map(\.rawValue)
    let word = try next(known.joined(separator: ", "))
    if let capability = AgentCapability(rawValue: word.text) { return capability }
    throw LineError(
      .unknown("'\(word.text)' stands here", word.text, among: known),
      at: word.place
    )
  }

  private mutating func comparison() throws(LineError) -> PairingAnswers.Comparison {
    let expected = "yes, no, or the number that the device shows"
    let word = try next(expected)
    if let truth = Self.truth(word) { return .always(truth) }
    if let number = Secret(word.text).passkey { return .only(number) }
    throw LineError(Complaint("'\(word.text)' stands here", expected: expected), at: word.place)
  }

  private mutating func secret() throws(LineError) -> SecretReference {
    let expected = "env:NAME or file:PATH"
    let word = try next(expected)
    if let colon = word.firstIndex(of: ":") {
      let rest = word.part(colon + 1..<word.letters.count).text
      switch (word.part(0..<colon).text, rest.isEmpty) {
      case ("env", false): return SecretReference(.environment(rest))
      case ("file", false): return SecretReference(.file(rest))
      default: break
      }
    }
    // It may be a passkey: it is not said again.
    throw LineError(
      Complaint("a passkey is not written on a command line", expected: expected),
      at: word.place
    )
  }
}
