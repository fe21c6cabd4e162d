// How the values of the store are written and read: JSON, with bounds, and with all errors at once.
//
// Keys that the reader does not know are ignored: a later version may have more.

import Bluetooth
package import Documents
import Jobs

/// A whole stored value, which has a version.
protocol StoredForm: Sendable {
  /// What it is, for errors.
  static var what: String { get }
  static var part: StoredPart<Self> { get }
}

extension StoredForm where Self: JSONObjectForm {
  static var part: StoredPart<Self> { .object }
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
    var problems: [String] = []
    _ = StoredPart.number(1...(.max)).read(root["version"], of: "version", "", &problems)
    let value = part.read(root, "", &problems)
    guard let value, problems.isEmpty else {
      throw UnreadableValue(key: key, problems: problems.isEmpty ? ["invalid \(what)"] : problems)
    }
    return value
  }
}

/// How the value of a key is written and read.
struct StoredPart<Part: Sendable>: Sendable {
  /// What is valid, for errors.
  let expected: String
  let write: @Sendable (Part) -> JSONValue
  /// Nil for a value that is not valid; its own parts add why to the problems.
  let read: @Sendable (JSONValue, _ path: String, _ problems: inout [String]) -> Part?

  /// Reads the value of a key, which is missing when it is nil.
  ///
  /// - Parameter path: Where the object with the key is: empty, or a path and a full stop.
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
  /// A key of a stored value.
  init(_ name: String, _ path: any KeyPath<Whole, Part> & Sendable, _ part: StoredPart<Part>) {
    self.init(
      name, write: { part.write($0[keyPath: path]) },
      readingAt: { part.read($0, of: name, $1, &$2) }
    )
  }

  /// A key of a stored value that may be missing or null.
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
  /// Exact to the millisecond.
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
  /// - Parameters:
  ///   - most: How many elements there may be.
  ///   - bytes: How many bytes they may have in all, where they are texts.
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
  /// Texts that have at most so many bytes in all.
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
