// Single values of a device file: numbers, durations, names, codes.

import Bluetooth
import Documents
import Spelling

extension DeviceReader {
  /// The elements of a list that need not be there.
  mutating func list(_ node: Node?, _ what: String, atMost limit: Int) -> [Node] {
    guard let node, !node.isNull else { return [] }
    guard let nodes = node.sequence else {
      problems.append(node.problem("\(node.kind) stands here", expected: "a list of \(what)"))
      return []
    }
    guard nodes.count <= limit else {
      problems.append(node.problem("more than \(limit) \(what) stand here"))
      return []
    }
    return nodes
  }

  mutating func entries(_ node: Node) -> [Node.Entry] {
    if let entries = node.mapping { return entries }
    if !node.isNull {
      problems.append(node.problem("\(node.kind) stands here", expected: "a mapping"))
    }
    return []
  }

  func integer(_ keys: inout MappingReader, _ key: String, in range: ClosedRange<Int>) -> Int? {
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return keys.optional(key, expected: expected) { node in
      node.integer.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  func truth(_ keys: inout MappingReader, _ key: String) -> Bool? {
    keys.optional(key, expected: "true or false") { $0.truth }
  }

  func duration(
    _ keys: inout MappingReader,
    _ key: String,
    in range: ClosedRange<Duration>,
    _ shown: String
  ) -> Duration? {
    keys.optional(key, expected: "a duration from \(shown)") { node in
      node.duration.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  func delay(_ keys: inout MappingReader, _ key: String) -> Duration? {
    duration(&keys, key, in: FileLimits.delay, "0s to 1h")
  }

  func period(_ keys: inout MappingReader, _ key: String) -> Duration? {
    duration(&keys, key, in: FileLimits.period, "1ms to 24h")
  }

  func requiredPeriod(_ keys: inout MappingReader, _ key: String) -> Duration? {
    keys.required(key, expected: "a duration from 1ms to 24h") { node in
      node.duration.flatMap { FileLimits.period.contains($0) ? $0 : nil }
    }
  }

  /// `first: now`: whether a subscriber gets a value at once.
  mutating func beginsAtOnce(_ keys: inout MappingReader, isTimed: Bool) -> Bool {
    guard let node = keys.optional("first") else { return false }
    guard let word = node.text, ["now", "later"].contains(word) else {
      problems.append(node.problem("\(shown(node)) stands here", expected: "now or later"))
      return false
    }
    if !isTimed {
      problems.append(node.problem("without 'every' no value comes by itself"))
    }
    return word == "now"
  }

  func shown(_ node: Node) -> String { node.text.map { "'\($0)'" } ?? node.kind }

  /// One of a few words.
  mutating func word<Value: RawRepresentable>(
    _ node: Node,
    _ words: [String]
  ) -> Value? where Value.RawValue == String {
    if let value = node.text.flatMap({ Value(rawValue: $0) }) { return value }
    let nearest = node.text.flatMap { Spelling.nearest(to: $0, among: words) }
    problems.append(
      node.problem(
        "\(shown(node)) stands here",
        expected: "one of " + words.joined(separator: ", "),
        nearest: nearest
      )
    )
    return nil
  }

  // MARK: Names

  mutating func serviceUUID(_ node: Node) -> BluetoothUUID? { uuid(node, of: .service) }

  mutating func characteristicUUID(_ node: Node) -> BluetoothUUID? {
    uuid(node, of: .characteristic)
  }

  mutating func descriptorUUID(_ node: Node) -> BluetoothUUID? { uuid(node, of: .descriptor) }

  /// An assigned name or a UUID.
  private mutating func uuid(_ node: Node, of kind: AssignedKind) -> BluetoothUUID? {
    if let uuid = node.text.flatMap({ kind.uuid(named: $0) }) { return uuid }
    problems.append(
      node.problem(
        "\(shown(node)) is no \(kind.rawValue)",
        expected: "an assigned name or a UUID",
        nearest: node.text.flatMap { kind.nearest(to: $0) }
      )
    )
    return nil
  }

  // MARK: Codes

  /// An error code: `0x80`, `14` or `insufficient-authentication`.
  mutating func errorCode(_ node: Node) -> ATTErrorCode? {
    if let code = node.text.flatMap({ Self.errorCode(written: $0) }) { return code }
    problems.append(Self.noErrorCode(node, node.text))
    return nil
  }

  static func noErrorCode(_ node: Node, _ text: String?) -> DocumentProblem {
    node.problem(
      "\(text.map { "'\($0)'" } ?? node.kind) is no error code",
      expected: "a number from 0x01 to 0xff or a name such as insufficient-authentication",
      nearest: text.flatMap { Spelling.nearest(to: $0, among: errorNames.map(\.name)) }
    )
  }

  static func errorCode(written text: String) -> ATTErrorCode? {
    let number = text.hasPrefix("0x") ? UInt8(text.dropFirst(2), radix: 16) : UInt8(text)
    if let number { return number > 0 ? ATTErrorCode(rawValue: number) : nil }
    return errorNames.first { $0.name == text }?.code
  }

  /// The codes whose meaning is fixed, by that meaning with hyphens.
  private static var errorNames: [(name: String, code: ATTErrorCode)] {
    let fixed = Array(UInt8(0x01)...0x13) + Array(UInt8(0xfc)...0xff)
    return fixed.map { number in
      let code = ATTErrorCode(rawValue: number)
      let words = code.meaning.lowercased().split(separator: " ")
      return (words.joined(separator: "-"), code)
    }
  }
}
