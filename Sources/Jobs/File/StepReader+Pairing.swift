// What `pair`, `unpair` and `trust` take in a chain file.

import Bluetooth
import Documents

extension StepReader {
  /// `pair`, or `pair: { capability: keyboard-only, passkey: { env: LOCK_PASSKEY } }`.
  mutating func pair(_ reader: inout MappingReader) -> Step? {
    let rule = reader.optional("pair").map { node -> PairingRule in
      if node.isNull { return PairingRule() }
      return pairingRule(node)
    }
    return Step(.pair(rule ?? PairingRule()), timeout: timeout(&reader))
  }

  /// `trust`, or `trust: false`.
  mutating func trust(_ reader: inout MappingReader) -> Step? {
    let node = reader.optional("trust")
    let isTrusted = node.flatMap { $0.isNull ? true : $0.truth }
    if let node, isTrusted == nil {
      complain(node, Complaint("\(node.shown) stands here", expected: "true or false"))
    }
    return Step(.trust(isTrusted ?? true), timeout: timeout(&reader))
  }

  /// The keys of `pair` and of a chain's `pairing`.
  mutating func pairingRule(_ node: Node) -> PairingRule {
    guard node.mapping != nil else {
      let expected = "answers such as { passkey: { env: NAME } } or { confirm: true }"
      complain(node, Complaint("\(node.shown) stands here", expected: expected))
      return PairingRule()
    }
    var reader = MappingReader(node)
    var rule = PairingRule()
    if let node = reader.optional("capability") {
      rule.capability = node.text.flatMap { AgentCapability(rawValue: $0) }
      if rule.capability == nil {
        let known = AgentCapability.allCases.map(\.rawValue)
        complain(node, .unknown("\(node.shown) stands here", node.text ?? "", among: known))
      }
    }
    let expected = "true, false, or the number that the device shows"
    rule.comparison = reader.optional("confirm", expected: expected) { node in
      node.truth.map { .always($0) } ?? node.text.flatMap { Secret($0).passkey }.map { .only($0) }
    }
    rule.acceptsJustWorks =
      reader.optional("just-works", expected: "true or false") { $0.truth } ?? true
    rule.secret = reader.optional("passkey").flatMap { secret($0) }
    problems += reader.finish()
    return rule
  }

  private static let secretShape = "{ env: NAME } or { file: PATH }"

  /// `{ env: NAME }`, `{ file: PATH }`, or the passkey itself. Complaints do not say what stands here.
  private mutating func secret(_ node: Node) -> SecretReference? {
    guard node.mapping != nil else {
      guard let secret = node.text.map({ Secret($0) }), secret.isPIN else {
        complain(node, Complaint("no passkey stands here", expected: Self.secretShape))
        return nil
      }
      return SecretReference(written: secret)
    }
    var reader = MappingReader(node)
    let name = reader.optional("env", expected: "the name of an environment variable") { $0.text }
    let path = reader.optional("file", expected: "the path of a file") { $0.text }
    let more = reader.finish()
    problems += more
    switch (name, path) {
    case (let name?, nil): return SecretReference(.environment(name))
    case (nil, let path?): return SecretReference(.file(path))
    default:
      if more.isEmpty {
        complain(node, Complaint("a passkey comes from one place", expected: Self.secretShape))
      }
      return nil
    }
  }
}
