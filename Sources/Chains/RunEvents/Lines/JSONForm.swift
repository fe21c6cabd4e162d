// Values whose conversion to JSON and back is one description.
//
// Foundation's coders are not used: they reorder the fields of a value, and write 1.0 as 1.

import Bluetooth
package import Documents

/// The members of an object, in order.
package typealias JSONMembers = [JSONValue.Member]

/// A value that can be written as JSON.
package protocol JSONWritable: Sendable {
  var json: JSONValue { get }
}

/// A value that can be written as JSON and read back.
package protocol JSONForm: JSONWritable {
  /// Reads a value; nil for JSON that is not the form of any value.
  init?(json: JSONValue)
}

/// A value whose JSON is an object.
package protocol JSONObjectForm: JSONForm {
  static var form: JSONKeys<Self> { get }
}

extension JSONObjectForm {
  package init?(json: JSONValue) {
    var problems: [String] = []
    guard let value = Self.form.read(json, "", &problems) else { return nil }
    self = value
  }

  package var json: JSONValue { .object(members) }

  /// The members of the object.
  package var members: JSONMembers { Self.form.write(self) }
}

/// The keys of an object, in order, and the function that creates a value from theirs.
package struct JSONKeys<Whole: Sendable>: Sendable {
  fileprivate let write: @Sendable (Whole) -> JSONMembers
  /// Reads an object; nil if it is invalid. Keys may add the reason to `problems`.
  package let read: @Sendable (JSONValue, _ path: String, _ problems: inout [String]) -> Whole?

  private struct Missing: Error {}

  /// - Parameters:
  ///   - make: Creates a value from those of the keys, in order; nil if they do not fit together.
  ///   - keys: The keys.
  package init<each Part>(
    _ make: @escaping @Sendable (repeat each Part) -> Whole?,
    _ keys: repeat JSONKey<
      Whole,
      each Part
    >
  ) {
    write = { whole in
      var members: JSONMembers = []
      for key in repeat each keys {
        if let value = key.write(whole) { members.append(JSONValue.Member(key.name, value)) }
      }
      return members
    }
    read = { json, path, problems in
      let parts = (repeat (each keys).read(json[(each keys).name], path, &problems))
      func present<P>(_ part: P?) throws(Missing) -> P {
        guard let part else { throw Missing() }
        return part
      }
      do throws(Missing) { return make(repeat try present(each parts)) } catch { return nil }
    }
  }
}

/// A key of an object, with the functions that write and read its value.
package struct JSONKey<Whole, Part>: Sendable {
  fileprivate let name: String
  /// Returns the JSON of the key; nil omits the key.
  fileprivate let write: @Sendable (Whole) -> JSONValue?
  fileprivate let read: Reading

  /// Reads the value of a key, which is nil for a missing key; returns nil if it is invalid.
  package typealias Reading =
    @Sendable (_ value: JSONValue?, _ path: String, _ problems: inout [String]) -> Part?

  package init(
    _ name: String, write: @escaping @Sendable (Whole) -> JSONValue?,
    readingAt read: @escaping Reading
  ) {
    self.name = name
    self.write = write
    self.read = read
  }

  package init(
    _ name: String, write: @escaping @Sendable (Whole) -> JSONValue?,
    read: @escaping @Sendable (JSONValue?) -> Part?
  ) {
    self.init(name, write: write, readingAt: { json, _, _ in read(json) })
  }

  /// A required key.
  package static func key(_ name: String, _ path: any KeyPath<Whole, Part> & Sendable) -> Self
  where Part: JSONForm {
    Self(name, write: { $0[keyPath: path].json }, read: { $0.flatMap { Part(json: $0) } })
  }

  /// A key whose absence means `usual`.
  ///
  /// - Parameter always: Whether the key is written even with that value.
  package static func usual(
    _ name: String, _ path: any KeyPath<Whole, Part> & Sendable, _ usual: Part,
    always: Bool = false
  ) -> Self where Part: JSONForm & Equatable {
    Self(
      name, write: { !always && $0[keyPath: path] == usual ? nil : $0[keyPath: path].json },
      read: { $0.flatMap { Part(json: $0) } ?? usual }
    )
  }

  /// An optional key.
  ///
  /// - Parameter isNull: Whether a missing value is written as null instead of omitted.
  package static func optional<Value: JSONForm>(
    _ name: String, _ path: any KeyPath<Whole, Value?> & Sendable, orNull isNull: Bool = false
  ) -> Self where Part == Value? {
    Self(
      name, write: { $0[keyPath: path]?.json ?? (isNull ? .null : nil) },
      read: { .some($0.flatMap { Value(json: $0) }) }
    )
  }

  /// A wall-clock time.
  package static func time(_ name: String, _ path: any KeyPath<Whole, Duration> & Sendable) -> Self
  where Part == Duration {
    Self(
      name, write: { .string(Timestamp.text($0[keyPath: path])) },
      read: { $0?.string.flatMap(Timestamp.time) }
    )
  }
}

extension JSONValue: JSONForm {
  package init?(json: JSONValue) { self = json }

  package var json: JSONValue { self }

  /// Creates an object in which missing values are null.
  package init(_ members: KeyValuePairs<String, any JSONWritable>) {
    self = .object(members.map { Member($0, $1.json) })
  }

  /// Returns the members that have a value.
  package static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONMembers {
    members.compactMap { key, value in value.map { Member(key, $0) } }
  }

  /// Reads the value of a key; nil if it is missing or invalid.
  package func read<Value: JSONForm>(_ key: String) -> Value? {
    self[key].flatMap { Value(json: $0) }
  }
}

// MARK: Values without keys

extension Optional: JSONWritable where Wrapped: JSONWritable {
  package var json: JSONValue { self?.json ?? .null }
}

extension JSONForm where Self: RawRepresentable, RawValue: JSONForm {
  package init?(json: JSONValue) {
    guard let raw = RawValue(json: json) else { return nil }
    self.init(rawValue: raw)
  }

  package var json: JSONValue { rawValue.json }
}

extension JSONForm where Self: FixedWidthInteger {
  package init?(json: JSONValue) {
    guard case .number(let text) = json else { return nil }
    self.init(text)
  }

  package var json: JSONValue { .number("\(self)") }
}

extension Int: JSONForm {}
extension Int32: JSONForm {}
extension Int64: JSONForm {}
extension UInt8: JSONForm {}
extension UInt16: JSONForm {}
extension UInt64: JSONForm {}

extension Double: JSONForm {
  package init?(json: JSONValue) {
    guard let number = json.double else { return nil }
    self = number
  }

  /// The number, or null if it is not finite.
  package var json: JSONValue { JSONValue(self) }
}

extension Bool: JSONForm {
  package init?(json: JSONValue) {
    guard case .boolean(let truth) = json else { return nil }
    self = truth
  }

  package var json: JSONValue { .boolean(self) }
}

extension String: JSONForm {
  package init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self = text
  }

  package var json: JSONValue { .string(self) }

  /// The text in double quotes, valid in YAML and JSON.
  package var quoted: String { json.text }
}

extension Array: JSONWritable where Element: JSONWritable {
  package var json: JSONValue { .array(map(\.json)) }
}

extension Array: JSONForm where Element: JSONForm {
  /// Reads the valid elements of a list; others are dropped.
  package init?(json: JSONValue) {
    guard case .array(let values) = json else { return nil }
    self = values.compactMap { Element(json: $0) }
  }
}

extension Duration: JSONForm {
  /// Reads seconds, to the microsecond.
  package init?(json: JSONValue) {
    guard let seconds = json.double, seconds.magnitude < 1e12 else { return nil }
    self = .microseconds((seconds * 1e6).rounded())
  }

  package var json: JSONValue { .number(decimalSeconds) }
}

/// Bytes as hexadecimal digits.
package struct HexText: JSONForm {
  package let octets: [UInt8]

  package init(_ octets: [UInt8]) { self.octets = octets }

  package init?(json: JSONValue) {
    guard let octets = json.string.flatMap({ [UInt8](hexadecimal: $0) }) else { return nil }
    self.octets = octets
  }

  package var json: JSONValue { .string(DecodedValue.octets(octets).description) }
}

extension BluetoothAddress: JSONForm {
  package init?(json: JSONValue) {
    guard let address = json.string.flatMap({ BluetoothAddress($0) }) else { return nil }
    self = address
  }

  package var json: JSONValue { .string("\(self)") }
}
