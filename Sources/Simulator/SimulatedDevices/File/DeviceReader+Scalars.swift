// Single values of a device file: lists, names, codes.

import Bluetooth
import Documents
import Spelling

extension DeviceReader {
  /// The elements of an optional list.
  mutating func list(_ node: Node?, _ what: String, atMost limit: Int) -> [Node] {
    guard let node, !node.isNull else { return [] }
    guard let nodes = node.sequence else {
      problems.append(node.problem(expected: "a list of \(what)"))
      return []
    }
    guard nodes.count <= limit else {
      problems.append(node.problem("more than \(limit) \(what)"))
      return []
    }
    return nodes
  }

  mutating func entries(_ node: Node) -> [Node.Entry] {
    if let entries = node.mapping { return entries }
    if !node.isNull { problems.append(node.problem(expected: "a mapping")) }
    return []
  }

  /// The problem with a word that is not one of these.
  func unfit(_ node: Node, among words: [String]) -> Problem {
    node.problem(
      expected: "one of " + words.joined(separator: ", "),
      nearest: node.text.flatMap { Spelling.nearest(to: $0, among: words) }
    )
  }

  // MARK: Names

  /// A name of the file, an assigned name or a UUID.
  mutating func uuid(_ node: Node, of kind: AttributeKind) -> BluetoothUUID? {
    if let uuid = node.text.flatMap({ attributeNames.uuid($0, kind) }) { return uuid }
    problems.append(
      node.problem(
        unknown: kind.rawValue, expected: "an assigned name or a UUID",
        nearest: node.text.flatMap { attributeNames.nearest(to: $0, kind) }
      )
    )
    return nil
  }

  /// The problem with a word that is not a known one.
  func wrongWord(_ node: Node, _ word: String?, _ known: [String], _ what: String) -> Problem {
    Problem.unknown("\(node.shown) is not \(what)", word, among: known).at(node)
  }

  // MARK: Codes

  /// An error code: `0x80`, `14` or `insufficient-authentication`.
  mutating func errorCode(_ node: Node) -> ATTErrorCode? {
    if let code = node.text.flatMap({ ATTErrorCode(written: $0) }) { return code }
    problems.append(Self.invalidErrorCode(node, node.text))
    return nil
  }

  static func invalidErrorCode(_ node: Node, _ text: String?) -> Problem {
    node.problem(
      unknown: "error code", text: text,
      expected: "a number from 0x01 to 0xff or a name such as insufficient-authentication",
      nearest: text.flatMap {
        Spelling.nearest(to: $0, among: ATTErrorCode.named.map(\.identifier))
      }
    )
  }
}

extension Node {
  /// The problem with a word of a kind, such as "state", that is not a known one.
  func problem(unknown kind: String, among known: [String]) -> Problem {
    let guess = Problem.unknown("", text, among: known)
    return problem(unknown: kind, expected: guess.expected, nearest: guess.nearest)
  }

  /// The problem with an unknown word.
  ///
  /// - Parameters:
  ///   - kind: The kind of the word, such as "state".
  ///   - place: The file in which such words are defined; nil: the same file.
  ///   - text: The word; nil: the text of this node.
  func problem(
    unknown kind: String, of place: String? = nil, text: String? = nil, expected: String?,
    nearest: String? = nil
  ) -> Problem {
    guard let text = text ?? self.text else {
      return problem(expected: expected ?? "a " + kind, nearest: nearest)
    }
    let message = "unknown \(kind) '\(text)'" + (place.map { " of \($0)" } ?? "")
    return problem(message, expected: expected, nearest: nearest)
  }
}
