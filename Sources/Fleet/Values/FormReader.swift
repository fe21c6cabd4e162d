// How the values of the store are read: JSON, with all errors at once.
//
// Keys that the reader does not know are ignored: a later version may have more.

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
    guard text.utf8.count <= FleetBounds.value else {
      let problem = "\(what) has \(text.utf8.count) bytes, more than \(FleetBounds.value)"
      throw UnreadableValue(key: key, problems: [problem])
    }
    let root: JSONValue
    do throws(JSONSyntaxError) {
      root = try JSONValue(parsing: text)
    } catch {
      throw UnreadableValue(key: key, problems: [error.description])
    }
    var reader = FormReader(root)
    _ = reader.number("version", 1...(.max))
    let value = Self(&reader)
    guard let value, reader.problems.isEmpty else {
      let problems = reader.problems.isEmpty ? ["invalid \(what)"] : reader.problems
      throw UnreadableValue(key: key, problems: problems)
    }
    return value
  }
}

/// Reads the members of an object, and collects errors.
struct FormReader {
  private let object: JSONValue
  /// Where the object is, for errors: empty, or a path and a full stop.
  private let path: String
  /// All errors so far.
  private(set) var problems: [String] = []

  init(_ object: JSONValue, path: String = "") {
    self.object = object
    self.path = path
    if case .object = object { return }
    complain("expected an object, found \(object.text.prefix(40))")
  }

  private mutating func complain(_ problem: String, at key: String = "") {
    let place = path + key
    problems.append(place.isEmpty ? problem : "\(place): \(problem)")
  }

  /// The member of a key; nil where it is missing or null.
  private func present(_ key: String) -> JSONValue? {
    object[key].flatMap { $0 == .null ? nil : $0 }
  }

  /// What `read` makes of a member; an error when it is missing, or makes nothing.
  private mutating func required<Value>(
    _ key: String,
    expected: String,
    _ read: (JSONValue) -> Value?
  ) -> Value? {
    guard let member = object[key] else {
      complain("the key '\(key)' is missing (expected \(expected))")
      return nil
    }
    if let value = read(member) { return value }
    let found = member.string.map { "'\($0.prefix(40))'" } ?? "\(member.text.prefix(40))"
    complain("expected \(expected), found \(found)", at: key)
    return nil
  }

  // MARK: Scalars

  mutating func number(_ key: String, _ range: ClosedRange<Int> = 0...(.max)) -> Int? {
    required(key, expected: "a whole number") { value in
      value.integer.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  mutating func optionalNumber(_ key: String) -> Int? {
    present(key) == nil ? nil : number(key)
  }

  mutating func truth(_ key: String) -> Bool? {
    required(key, expected: "true or false") { value in
      if case .boolean(let isTrue) = value { isTrue } else { nil }
    }
  }

  mutating func text(_ key: String, bytes: Int) -> String? {
    required(key, expected: "a text of at most \(bytes) bytes") { value in
      Self.text(of: value, bytes: bytes)
    }
  }

  mutating func optionalText(_ key: String, bytes: Int) -> String? {
    present(key) == nil ? nil : text(key, bytes: bytes)
  }

  mutating func name(_ key: String) -> String? {
    required(key, expected: MemberName.expected) { Self.name(of: $0) }
  }

  mutating func optionalName(_ key: String) -> String? {
    present(key) == nil ? nil : name(key)
  }

  mutating func job(_ key: String) -> JobID? { name(key).flatMap { JobID($0) } }

  mutating func digest(_ key: String) -> String? {
    required(key, expected: "64 hexadecimal digits") { value in
      value.string.flatMap { text in
        text.utf8.count == 64 && text.allSatisfy { $0.isHexDigit && !$0.isUppercase } ? text : nil
      }
    }
  }

  mutating func address(_ key: String) -> BluetoothAddress? {
    required(key, expected: "an address such as C0:FF:EE:00:00:01") { value in
      value.string.flatMap { BluetoothAddress($0) }
    }
  }

  mutating func duration(_ key: String, _ range: ClosedRange<Duration>) -> Duration? {
    required(key, expected: "a duration such as 15s, within \(range)") { value in
      let duration = value.string.flatMap { Duration(written: $0) }
      return duration.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  mutating func word<Word: RawRepresentable & CaseIterable>(_ key: String) -> Word?
  where Word.RawValue == String {
    let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
    return required(key, expected: "one of \(words)") { value in
      value.string.flatMap { Word(rawValue: $0) }
    }
  }

  // MARK: Lists and parts

  mutating func part<Part: StoredPart>(
    _ key: String,
    _ make: (inout FormReader) -> Part?
  ) -> Part? {
    present(key).flatMap { part($0, at: key, make) }
  }

  mutating func list<Part: StoredPart>(
    _ key: String,
    most: Int,
    _ make: (inout FormReader) -> Part?
  ) -> [Part]? {
    guard let elements = elements(key, most: most) else { return nil }
    var parts: [Part] = []
    for (index, element) in elements.enumerated() {
      if let part = part(element, at: "\(key).\(index + 1)", make) { parts.append(part) }
    }
    return parts
  }

  mutating func names(_ key: String, most: Int) -> [String]? {
    values(key, most: most) { Self.name(of: $0) }
  }

  mutating func addresses(_ key: String, most: Int) -> [BluetoothAddress]? {
    values(key, most: most) { $0.string.flatMap { BluetoothAddress($0) } }
  }

  /// Texts that have at most so many bytes in all.
  mutating func texts(_ key: String, bytes: Int) -> [String]? {
    guard let texts = values(key, most: bytes, { Self.text(of: $0, bytes: bytes) }) else {
      return nil
    }
    let size = texts.reduce(0) { $0 + $1.utf8.count }
    if size > bytes {
      complain("\(size) bytes, more than \(bytes)", at: key)
      return nil
    }
    return texts
  }

  mutating func texts(_ key: String, most: Int) -> [String: String]? {
    required(key, expected: "at most \(most) names with short texts") { value in
      guard case .object(let members) = value, members.count <= most else { return nil }
      let pairs = members.compactMap { member in
        Self.text(of: member.value, bytes: FleetBounds.valueText).map { (member.key, $0) }
      }
      return pairs.count == members.count
        ? Dictionary(pairs, uniquingKeysWith: { first, _ in first }) : nil
    }
  }

  private mutating func values<Value>(
    _ key: String,
    most: Int,
    _ read: (JSONValue) -> Value?
  ) -> [Value]? {
    guard let elements = elements(key, most: most) else { return nil }
    let values = elements.compactMap(read)
    guard values.count == elements.count else {
      complain("an invalid element", at: key)
      return nil
    }
    return values
  }

  private mutating func elements(_ key: String, most: Int) -> [JSONValue]? {
    required(key, expected: "a list of at most \(most)") { value in
      if case .array(let elements) = value, elements.count <= most { elements } else { nil }
    }
  }

  private mutating func part<Part>(
    _ value: JSONValue,
    at key: String,
    _ make: (inout FormReader) -> Part?
  ) -> Part? {
    var inner = FormReader(value, path: path + key + ".")
    let part = make(&inner)
    problems += inner.problems
    return part
  }

  private static func text(of value: JSONValue, bytes: Int) -> String? {
    value.string.flatMap { $0.utf8.count <= bytes ? $0 : nil }
  }

  private static func name(of value: JSONValue) -> String? {
    value.string.flatMap { StoreName.isValid($0) ? $0 : nil }
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
