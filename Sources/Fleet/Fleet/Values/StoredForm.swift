// The JSON form of the stored values: every value has bounds, and a reader reports all errors at once.
//
// Unknown keys are ignored, because a later version may have more of them. What the values mean is in
// the files of their types.

import Bluetooth
package import Documents
import Jobs

/// A whole stored value; its JSON has a version.
protocol StoredForm: Sendable {
  /// The noun for the value in errors.
  static var noun: String { get }
  static var part: StoredPart<Self> { get }
}

extension StoredForm where Self: JSONObjectForm {
  static var part: StoredPart<Self> { .object }
}

extension StoredForm {
  static func read(_ text: String, _ key: StoreKey) throws(UnreadableValue) -> Self {
    guard text.utf8.count <= FleetBounds.value else {
      let problem = "\(noun) has \(text.utf8.count) bytes, more than \(FleetBounds.value)"
      throw UnreadableValue(key: key, problems: [problem])
    }
    let root: JSONValue
    do throws(JSONSyntaxError) {
      root = try JSONValue(parsing: text)
    } catch {
      throw UnreadableValue(key: key, problems: [error.description])
    }
    var problems: [String] = []
    _ = StoredPart.number(1...(.max)).read(root["version"], of: "version", "", &problems)
    let value = part.read(root, "", &problems)
    guard let value, problems.isEmpty else {
      throw UnreadableValue(key: key, problems: problems.isEmpty ? ["invalid \(noun)"] : problems)
    }
    return value
  }
}

/// The writer and the reader of a key's value.
struct StoredPart<Part: Sendable>: Sendable {
  /// A description of valid values, for errors.
  let expected: String
  let write: @Sendable (Part) -> JSONValue
  /// Returns nil for an invalid value. Only the parts inside the value append their problems; for the
  /// value itself `read(_:of:_:_:)` does.
  let read: @Sendable (JSONValue, _ path: String, _ problems: inout [String]) -> Part?

  /// Reads the value of a key. `json` is nil if the key is missing, which is a problem.
  ///
  /// - Parameter path: The path of the object with the key: empty, or ending with a full stop.
  func read(_ json: JSONValue?, of key: String, _ path: String, _ problems: inout [String]) -> Part?
  {
    guard let json else {
      let place = path.isEmpty ? "" : "\(path): "
      problems.append("\(place)the key '\(key)' is missing (expected \(expected))")
      return nil
    }
    let before = problems.count
    if let part = read(json, path + key, &problems) { return part }
    if problems.count == before {
      let found = json.string.map { "'\($0.prefix(40))'" } ?? "\(json.text.prefix(40))"
      problems.append("\(path)\(key): expected \(expected), found \(found)")
    }
    return nil
  }
}

extension JSONKey where Part: Sendable {
  /// A required key.
  init(_ name: String, _ path: any KeyPath<Whole, Part> & Sendable, _ part: StoredPart<Part>) {
    self.init(
      name, write: { part.write($0[keyPath: path]) },
      readingAt: { part.read($0, of: name, $1, &$2) }
    )
  }

  /// A key that may be missing or null.
  init<Value>(
    optional name: String, _ path: any KeyPath<Whole, Value?> & Sendable, _ part: StoredPart<Value>
  ) where Part == Value? {
    self.init(
      name, write: { $0[keyPath: path].map(part.write) ?? .null },
      readingAt: { $0 == nil || $0 == .null ? .some(nil) : part.read($0, of: name, $1, &$2) }
    )
  }
}

// MARK: Values

extension JobID: JSONWritable {
  package var json: JSONValue { .string(text) }
}

extension StoredPart where Part: JSONWritable {
  /// A value without parts.
  fileprivate init(_ expected: String, _ read: @escaping @Sendable (JSONValue) -> Part?) {
    self.init(expected: expected, write: \.json, read: { json, _, _ in read(json) })
  }
}

extension StoredPart where Part: JSONForm & FixedWidthInteger {
  static func number(_ range: ClosedRange<Part> = 0...(.max)) -> Self {
    Self("a whole number") { json in
      Part(json: json).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension StoredPart<Bool> {
  static let truth = Self("true or false") { Bool(json: $0) }
}

extension StoredPart<String> {
  static func text(bytes: Int) -> Self {
    Self("a text of at most \(bytes) bytes") { json in
      json.string.flatMap { $0.utf8.count <= bytes ? $0 : nil }
    }
  }

  static let name = Self(MemberName.expected) { json in
    json.string.flatMap { StoreName.isValid($0) ? $0 : nil }
  }

  static let digest = Self("64 hexadecimal digits") { json in
    json.string.flatMap { text in
      text.utf8.count == 64 && text.allSatisfy { $0.isHexDigit && !$0.isUppercase } ? text : nil
    }
  }
}

extension StoredPart<JobID> {
  static let job = Self(MemberName.expected) { $0.string.flatMap { JobID($0) } }
}

extension StoredPart<BluetoothAddress> {
  static let address = Self(BluetoothAddress.expected) { BluetoothAddress(json: $0) }
}

extension StoredPart<Duration> {
  /// A duration, written in whole milliseconds.
  static func duration(_ range: ClosedRange<Duration>) -> Self {
    Self(
      expected: "a duration such as 15s, within \(range)",
      write: { .string("\(Int64($0 / .milliseconds(1)))ms") },
      read: { json, _, _ in
        let duration = json.string.flatMap { Duration(written: $0) }
        return duration.flatMap { range.contains($0) ? $0 : nil }
      }
    )
  }
}

extension StoredPart where Part: RawRepresentable<String> & CaseIterable {
  static var word: Self {
    Self(
      expected: "one of \(Part.allCases.map(\.rawValue).joined(separator: ", "))",
      write: { .string($0.rawValue) },
      read: { json, _, _ in json.string.flatMap { Part(rawValue: $0) } }
    )
  }
}

extension StoredPart<[String: String]> {
  static func texts(most: Int) -> Self {
    let text = StoredPart<String>.text(bytes: FleetBounds.valueText)
    return Self(
      expected: "at most \(most) names with short texts",
      write: { texts in
        .object(texts.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })
      },
      read: { json, path, problems in
        guard case .object(let members) = json, members.count <= most else { return nil }
        let pairs = members.compactMap { member in
          text.read(member.value, path, &problems).map { (member.key, $0) }
        }
        return pairs.count == members.count
          ? Dictionary(pairs, uniquingKeysWith: { first, _ in first }) : nil
      }
    )
  }
}

extension StoredPart where Part: JSONObjectForm {
  static var object: Self {
    Self(
      expected: "an object", write: \.json,
      read: { json, path, problems in
        guard case .object = json else { return nil }
        return Part.form.read(json, path.isEmpty ? "" : path + ".", &problems)
      }
    )
  }
}

extension StoredPart {
  /// A list of at most `most` elements.
  static func list<Element>(_ element: StoredPart<Element>, most: Int) -> Self
  where Part == [Element] {
    Self(
      expected: "a list of at most \(most)", write: { .array($0.map(element.write)) },
      read: { json, path, problems in
        guard case .array(let values) = json, values.count <= most else { return nil }
        var parts: [Element] = []
        for (index, value) in values.enumerated() {
          let part = element.read(value, of: "\(index + 1)", path + ".", &problems)
          if let part { parts.append(part) }
        }
        return parts.count == values.count ? parts : nil
      }
    )
  }
}

extension StoredPart<[String]> {
  /// A list of texts with a limit on their total size.
  static func texts(bytes: Int) -> Self {
    let list = Self.list(.text(bytes: bytes), most: bytes)
    return Self(
      expected: "texts of at most \(bytes) bytes in all", write: list.write,
      read: { json, path, problems in
        let texts = list.read(json, path, &problems)
        return texts.flatMap { $0.reduce(0) { $0 + $1.utf8.count } <= bytes ? $0 : nil }
      }
    )
  }
}
