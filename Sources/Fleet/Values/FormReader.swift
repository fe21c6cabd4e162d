// How the values of the store are read: strictly, with all errors at once.

import Bluetooth
import Documents
import Jobs

/// A key and its value in JSON.
typealias Member = (key: String, value: JSONValue)

/// A part of a stored value: an object of JSON.
protocol StoredPart: Sendable {
  var members: [Member] { get }
  /// Nil after an error, which the reader keeps.
  init?(_ reader: inout FormReader)
}

/// A whole stored value, which has a version.
protocol StoredForm: StoredPart {
  /// What it is, for errors.
  static var what: String { get }
}

extension StoredForm {
  static func read(_ text: String, _ key: StoreKey) throws(UnreadableValue) -> Self {
    let limits = DocumentLimits(octets: FleetBounds.value, depth: 8, nodes: 20_000)
    let root: Node
    do {
      root = try Document.parse(text, file: "\(key)", limits: limits)
    } catch {
      throw UnreadableValue(key: key, problems: error.problems.map { "\($0.message)" })
    }
    var reader = FormReader(root)
    let version = reader.number("version")
    guard version == StoredValue.version else {
      let found = version.map { "\($0)" } ?? "none"
      throw UnreadableValue(
        key: key,
        problems: ["\(what) has format version \(found), expected \(StoredValue.version)"]
      )
    }
    let value = Self(&reader)
    let problems = reader.finish()
    guard let value, problems.isEmpty else {
      throw UnreadableValue(key: key, problems: problems.isEmpty ? ["invalid \(what)"] : problems)
    }
    return value
  }
}

/// Reads the members of an object, and collects errors.
struct FormReader {
  private var reader: MappingReader

  init(_ node: Node) { reader = MappingReader(node) }

  /// All errors; unknown keys are errors, too.
  mutating func finish() -> [String] {
    reader.finish().map { $0.path.isEmpty ? $0.message : "\($0.path): \($0.message)" }
  }

  // MARK: Scalars

  /// Whether an optional key is missing or null.
  private mutating func isAbsent(_ key: String) -> Bool { reader.optional(key)?.isNull ?? true }

  mutating func number(_ key: String, _ range: ClosedRange<Int> = 0...(.max)) -> Int? {
    reader.required(key, expected: "a whole number") { node in
      node.integer.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  mutating func optionalNumber(_ key: String) -> Int? {
    isAbsent(key) ? nil : number(key)
  }

  mutating func truth(_ key: String) -> Bool? {
    reader.required(key, expected: "true or false") { $0.truth }
  }

  mutating func text(_ key: String, bytes: Int) -> String? {
    reader.required(key, expected: "a text of at most \(bytes) bytes") { node in
      Self.text(of: node, bytes: bytes)
    }
  }

  mutating func optionalText(_ key: String, bytes: Int) -> String? {
    isAbsent(key) ? nil : text(key, bytes: bytes)
  }

  mutating func name(_ key: String) -> String? {
    reader.required(key, expected: MemberName.expected) { node in
      node.text.flatMap { StoreName.isValid($0) ? $0 : nil }
    }
  }

  mutating func optionalName(_ key: String) -> String? {
    isAbsent(key) ? nil : name(key)
  }

  mutating func job(_ key: String) -> JobID? { name(key).flatMap { JobID($0) } }

  mutating func digest(_ key: String) -> String? {
    reader.required(key, expected: "64 hexadecimal digits") { node in
      node.text.flatMap { text in
        text.utf8.count == 64 && text.allSatisfy { $0.isHexDigit && !$0.isUppercase } ? text : nil
      }
    }
  }

  mutating func address(_ key: String) -> BluetoothAddress? {
    reader.required(key, expected: "an address such as C0:FF:EE:00:00:01") { node in
      node.text.flatMap { BluetoothAddress($0) }
    }
  }

  mutating func duration(_ key: String, _ range: ClosedRange<Duration>) -> Duration? {
    reader.required(key, expected: "a duration such as 15s, within \(range)") { node in
      node.duration.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  mutating func word<Word: RawRepresentable & CaseIterable>(_ key: String) -> Word?
  where Word.RawValue == String {
    let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
    return reader.required(key, expected: "one of \(words)") { node in
      node.text.flatMap { Word(rawValue: $0) }
    }
  }

  // MARK: Lists and parts

  mutating func part<Part: StoredPart>(
    _ key: String,
    _ make: (inout FormReader) -> Part?
  ) -> Part? {
    guard let node = reader.optional(key), !node.isNull else { return nil }
    return part(node, make)
  }

  mutating func list<Part: StoredPart>(
    _ key: String,
    most: Int,
    _ make: (inout FormReader) -> Part?
  ) -> [Part]? {
    nodes(key, most: most)?.compactMap { part($0, make) }
  }

  mutating func names(_ key: String, most: Int) -> [String]? {
    values(key, most: most) { $0.text.flatMap { StoreName.isValid($0) ? $0 : nil } }
  }

  mutating func addresses(_ key: String, most: Int) -> [BluetoothAddress]? {
    values(key, most: most) { $0.text.flatMap { BluetoothAddress($0) } }
  }

  /// Texts that have at most so many bytes in all.
  mutating func texts(_ key: String, bytes: Int) -> [String]? {
    guard let texts = values(key, most: bytes, { Self.text(of: $0, bytes: bytes) }) else {
      return nil
    }
    let size = texts.reduce(0) { $0 + $1.utf8.count }
    if size > bytes, let node = reader[key] {
      reader.complain([node.problem("\(size) bytes, more than \(bytes)")])
      return nil
    }
    return texts
  }

  mutating func texts(_ key: String, most: Int) -> [String: String]? {
    let bytes = FleetBounds.valueText
    return reader.required(key, expected: "at most \(most) names with short texts") { node in
      guard let entries = node.mapping, entries.count <= most else { return nil }
      let pairs = entries.compactMap { entry in
        Self.text(of: entry.value, bytes: bytes).map { (entry.key, $0) }
      }
      return pairs.count == entries.count
        ? Dictionary(pairs, uniquingKeysWith: { first, _ in first }) : nil
    }
  }

  private mutating func values<Value>(
    _ key: String,
    most: Int,
    _ read: (Node) -> Value?
  ) -> [Value]? {
    guard let nodes = nodes(key, most: most) else { return nil }
    var values: [Value] = []
    for node in nodes {
      guard let value = read(node) else {
        reader.complain([node.problem("an invalid element")])
        return nil
      }
      values.append(value)
    }
    return values
  }

  private mutating func nodes(_ key: String, most: Int) -> [Node]? {
    reader.required(key, expected: "a list of at most \(most)") { node in
      node.sequence.flatMap { $0.count <= most ? $0 : nil }
    }
  }

  private mutating func part<Part>(
    _ node: Node,
    _ make: (inout FormReader) -> Part?
  ) -> Part? {
    var inner = FormReader(node)
    let part = make(&inner)
    reader.complain(inner.reader.finish())
    return part
  }

  /// Also an empty text, which a node without quotes does not have.
  private static func text(of node: Node, bytes: Int) -> String? {
    guard case .scalar(let text, isPlain: false) = node.content, text.utf8.count <= bytes else {
      return nil
    }
    return text
  }
}

extension JSONValue {
  static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// Exact to the millisecond.
  static func duration(_ duration: Duration) -> JSONValue {
    .string("\(Int64(duration / .milliseconds(1)))ms")
  }

  static func whole(_ number: Int?) -> JSONValue { number.map { .number("\($0)") } ?? .null }
}
