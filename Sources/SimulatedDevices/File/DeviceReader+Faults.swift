// Fault rules of a device file.

import Bluetooth
import Documents
import Spelling

extension DeviceReader {
  mutating func fault(_ node: Node) -> FaultRule? {
    var keys = MappingReader(node)
    let kind = keys.required("on", expected: "an operation").flatMap { faultKind($0) }
    let action = keys.required("do", expected: "a fault").flatMap { node in
      faultAction(node).map { (node: node, action: $0) }
    }
    let target = keys.optional("characteristic")
    let characteristic = target.flatMap { reference($0, .several) }
    let occurrence = self.occurrence(&keys)
    let burst = integer(&keys, "burst", in: 1...FileLimits.burst) ?? 1
    let window = self.window(&keys)
    let condition = keys.optional("if").flatMap { self.condition($0) }
    problems += keys.finish()
    guard let kind, let action else { return nil }
    if let target, characteristic != nil, !kind.hasCharacteristic, kind != .any {
      problems.append(target.problem("\(kind) is about no characteristic"))
    }
    if !action.action.applies(to: kind) {
      problems.append(action.node.problem("this cannot happen to '\(kind)'"))
    }
    var rule = FaultRule(
      on: kind,
      occurrence: occurrence,
      burst: burst,
      window: window,
      condition: condition,
      action: action.action
    )
    rule.characteristic = characteristic
    return rule
  }

  mutating func faultKind(_ node: Node) -> FaultKind? {
    if let kind = node.text.flatMap({ FaultKind(rawValue: $0) }) { return kind }
    let known = FaultKind.allCases.map(\.rawValue)
    problems.append(wrongWord(node, node.text, known, "an operation"))
    return nil
  }

  mutating func occurrence(_ keys: inout MappingReader) -> FaultOccurrence {
    let counts = 1...1_000_000_000
    let nth = integer(&keys, "nth", in: counts).map { FaultOccurrence.nth($0) }
    let every = integer(&keys, "every", in: counts).map { FaultOccurrence.every($0) }
    let probability = keys.optional("probability", expected: "a number from 0 to 1") { node in
      node.number.flatMap { (0...1).contains($0) ? FaultOccurrence.probability($0) : nil }
    }
    let given = [nth, every, probability].compactMap(\.self)
    if given.count > 1 {
      let nodes = [keys.optional("nth"), keys.optional("every"), keys.optional("probability")]
      let second = nodes.compactMap(\.self)[1]
      problems.append(second.problem("nth, every and probability exclude each other"))
    }
    return given.first ?? .every(1)
  }

  /// `from` and `until`, since the device's start.
  private mutating func window(_ keys: inout MappingReader) -> Range<Duration>? {
    let from = delay(&keys, "from")
    let node = keys.optional("until")
    let until = delay(&keys, "until")
    guard from != nil || until != nil else { return nil }
    let start = from ?? .zero
    if let node, let until, until <= start {
      problems.append(node.problem("this is not later than 'from'"))
      return nil
    }
    return start..<(until ?? Self.always)
  }

  /// Longer than anything that is simulated.
  static let always = Duration.seconds(1_000_000_000)

  /// `if: scanning`, or `if: { links: 2 }`.
  mutating func condition(_ node: Node) -> FaultCondition? {
    if node.text == "scanning" { return .scanning }
    guard node.mapping != nil else {
      problems.append(
        node.problem("\(shown(node)) stands here", expected: "scanning, or { links: 2 }")
      )
      return nil
    }
    var keys = MappingReader(node)
    let links = keys.required("links", expected: "a whole number from 1 to 100") { node in
      node.integer.flatMap { (1...100).contains($0) ? $0 : nil }
    }
    problems += keys.finish()
    return links.map { .links($0) }
  }

  /// `refuse 0x80`, `lose-link`, `slow 3s` and so on.
  private mutating func faultAction(_ node: Node) -> FaultAction? {
    let words = (node.text ?? "").split(separator: " ").map(String.init)
    let simple: [(name: String, action: FaultAction)] = [
      ("lose-link", .loseLinkBefore), ("lose-link-after", .loseLinkAfter),
      ("never-answer", .neverAnswer), ("refuse-connection", .refuseConnection),
      ("vanish", .vanish), ("lose-write", .loseWrite),
    ]
    let timed: [(name: String, make: (Duration) -> FaultAction)] = [
      ("slow", { .slow($0) }), ("answer-late", { .answerLate($0) }),
    ]
    let known = ["refuse"] + timed.map(\.name) + simple.map(\.name)
    if words.first == "refuse" {
      guard words.count == 2 else {
        problems.append(node.problem("\(shown(node)) stands here", expected: "refuse 0x80"))
        return nil
      }
      if let code = Self.errorCode(written: words[1]) { return .refuse(code) }
      problems.append(Self.noErrorCode(node, words[1]))
      return nil
    }
    if let found = timed.first(where: { $0.name == words.first }) {
      guard words.count == 2 else {
        problems.append(
          node.problem("\(shown(node)) stands here", expected: "\(found.name) 3s")
        )
        return nil
      }
      if let time = Duration(written: words[1]), FileLimits.delay.contains(time) {
        return found.make(time)
      }
      problems.append(
        node.problem("'\(words[1])' stands here", expected: "a duration from 0s to 1h")
      )
      return nil
    }
    if words.count == 1, let found = simple.first(where: { $0.name == words[0] }) {
      return found.action
    }
    problems.append(wrongWord(node, words.first, known, "a fault"))
    return nil
  }

  func wrongWord(
    _ node: Node,
    _ word: String?,
    _ known: [String],
    _ what: String
  ) -> DocumentProblem {
    let nearest = word.flatMap { Spelling.nearest(to: $0, among: known) }
    return node.problem(
      "\(shown(node)) is not \(what)",
      expected: nearest == nil ? "one of " + known.joined(separator: ", ") : nil,
      nearest: nearest
    )
  }
}
