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
    let characteristic = target.flatMap { characteristicUUID($0) }
    let occurrence = occurrence(&keys)
    problems += keys.finish()
    guard let kind, let action else { return nil }
    if let target, let characteristic {
      references.append(Reference(characteristic: characteristic, node: target, need: .presence))
      if !kind.hasCharacteristic, kind != .any {
        problems.append(target.problem("\(kind) is about no characteristic"))
      }
    }
    if !action.action.applies(to: kind) {
      problems.append(action.node.problem("this cannot happen to '\(kind)'"))
    }
    return FaultRule(
      on: kind,
      characteristic: characteristic,
      occurrence: occurrence,
      action: action.action
    )
  }

  private mutating func faultKind(_ node: Node) -> FaultKind? {
    if let kind = node.text.flatMap({ FaultKind(rawValue: $0) }) { return kind }
    let known = FaultKind.allCases.map(\.rawValue)
    problems.append(wrongWord(node, node.text, known, "an operation"))
    return nil
  }

  private mutating func occurrence(_ keys: inout MappingReader) -> FaultOccurrence {
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

  /// `refuse 0x80`, `lose-link`, `slow 3s` and so on.
  private mutating func faultAction(_ node: Node) -> FaultAction? {
    let words = (node.text ?? "").split(separator: " ").map(String.init)
    let simple: [(name: String, action: FaultAction)] = [
      ("lose-link", .loseLinkBefore), ("lose-link-after", .loseLinkAfter),
      ("never-answer", .neverAnswer), ("refuse-connection", .refuseConnection),
      ("vanish", .vanish),
    ]
    switch (words.first, words.count) {
    case ("refuse", 2):
      if let code = Self.errorCode(written: words[1]) { return .refuse(code) }
      problems.append(Self.noErrorCode(node, words[1]))
      return nil
    case ("slow", 2):
      if let time = Duration(written: words[1]), FileLimits.delay.contains(time) {
        return .slow(time)
      }
      problems.append(
        node.problem("'\(words[1])' stands here", expected: "a duration from 0s to 1h")
      )
      return nil
    case ("refuse", _), ("slow", _):
      let example = words[0] == "slow" ? "slow 3s" : "refuse 0x80"
      problems.append(node.problem("\(shown(node)) stands here", expected: example))
      return nil
    default:
      if words.count == 1, let found = simple.first(where: { $0.name == words[0] }) {
        return found.action
      }
      let known = ["refuse", "slow"] + simple.map(\.name)
      problems.append(wrongWord(node, words.first, known, "a fault"))
      return nil
    }
  }

  private func wrongWord(
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
