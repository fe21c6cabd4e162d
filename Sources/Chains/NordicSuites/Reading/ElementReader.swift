// Reading an element: its attributes with their variables filled in, and complaints.

import Bluetooth
import Documents
import Jobs

/// What the readers of elements have in common.
struct ReadingContext {
  var variables: Variables
  /// Whether variables may be missing, because the test is never run.
  var isUnused = false
  /// The names by which the attributes of devices are printed.
  let names: AttributeNames
  let limits: MarkupLimits
  let complaints = Complaints()
}

/// Reads the attributes of one element.
///
/// An attribute becomes known when it is read; ``finish(children:)`` complains about the others.
struct ElementReader {
  let element: Element
  private let context: ReadingContext
  private var known: [String] = []

  init(_ element: Element, _ context: ReadingContext) {
    (self.element, self.context) = (element, context)
  }

  private var complaints: Complaints { context.complaints }

  // MARK: Texts

  /// The text of an attribute; nil when it is missing, or its variables cannot be filled in.
  mutating func text(_ name: String) -> String? {
    if !known.contains(name) { known.append(name) }
    guard let attribute = element.attribute(name) else { return nil }
    let limit = context.limits.attributeBytes
    do {
      return try context.variables.filled(attribute.value, limit: limit)
    } catch {
      switch error {
      case .missing(let variable):
        guard !context.isUnused else { return nil }
        complaints.add(
          attribute.place, path(name), "${\(variable)} has no value",
          expected: "-E \(variable) VALUE on the command line, or <set name=\"\(variable)\" …>"
        )
      case .tooLong:
        complaints.add(attribute.place, path(name), "the text is longer than \(limit) bytes")
      }
      return nil
    }
  }

  /// The value of an attribute, with a complaint when `read` returns nil.
  mutating func optional<Value>(
    _ name: String, expected: String, _ read: (String) -> Value?
  ) -> Value? {
    guard let text = text(name) else { return nil }
    if let value = read(text) { return value }
    complain(name, "expected \(expected), found '\(text)'")
    return nil
  }

  /// The value of an attribute, also with a complaint when the attribute is missing.
  mutating func required<Value>(
    _ name: String, expected: String, _ read: (String) -> Value?
  ) -> Value? {
    if element.attribute(name) == nil {
      complaints.add(
        element.place, path(nil), "the attribute '\(name)' is missing", expected: expected
      )
    }
    return optional(name, expected: expected, read)
  }

  /// One of some words, case-sensitive.
  mutating func word(_ name: String, among words: [String]) -> String? {
    guard let text = text(name) else { return nil }
    if words.contains(text) { return text }
    complainOfWord(name, text, among: words)
    return nil
  }

  /// One of the words of a choice.
  mutating func choice<Choice: RawRepresentable & CaseIterable>(_ name: String) -> Choice?
  where Choice.RawValue == String {
    word(name, among: Choice.allCases.map(\.rawValue)).flatMap { Choice(rawValue: $0) }
  }

  // MARK: Values

  mutating func uuid(_ name: String) -> BluetoothUUID? {
    required(name, expected: "a UUID such as 0000180D-0000-1000-8000-00805f9b34fb") {
      BluetoothUUID($0)
    }
  }

  /// An instance: the index among attributes of one UUID, from 0.
  mutating func instance(_ name: String) -> Int {
    optional(name, expected: "a number from 0 to 65535") { Self.number($0, in: 0...65_535) } ?? 0
  }

  /// A whole number in a range.
  static func number(_ text: String, in range: ClosedRange<Int>) -> Int? {
    Int(text).flatMap { range.contains($0) ? $0 : nil }
  }

  mutating func duration(_ name: String) -> Duration? {
    let most = Self.longest
    return optional(name, expected: "milliseconds, from 0 to \(most)") {
      Self.number($0, in: 0...most)
    }.map { .milliseconds($0) }
  }

  /// A day, in milliseconds.
  private static let longest = 86_400_000

  /// The value of `value` or `value-string`; nil when both are missing, or it is invalid.
  mutating func value(isRequired: Bool = true) -> (octets: [UInt8], isText: Bool)? {
    let octets = optional("value", expected: "bytes in hexadecimal digits") {
      [UInt8](hexadecimal: $0.hasPrefix("0x") ? $0.dropFirst(2) : $0[...])
    }
    let string = text("value-string").map { Array($0.utf8) }
    let given = ["value", "value-string"].filter { element.attribute($0) != nil }
    if given.count == 2 {
      complain("value-string", "only one of value and value-string is allowed")
    } else if given.isEmpty, isRequired {
      complaints.add(
        element.place, path(nil), "the attribute 'value' is missing",
        expected: "value with bytes, or value-string with text"
      )
    }
    guard let value = octets ?? string else { return nil }
    guard value.count <= 512 else {
      let name = given.first ?? "value"
      complain(name, "expected at most 512 bytes, found \(value.count)")
      return nil
    }
    return (value, octets == nil)
  }

  // MARK: Complaints

  func complain(_ name: String, _ message: String, expected: String? = nil) {
    complaints.add(
      element.attribute(name)?.place ?? element.place, path(name), message, expected: expected
    )
  }

  /// An attribute whose value is an unknown word.
  func complainOfWord(_ name: String, _ word: String, among known: [String]) {
    let place = element.attribute(name)?.place ?? element.place
    complaints.add(.unknown(found: "'\(word)'", word, among: known), at: place, path(name))
  }

  /// Complains about unknown attributes, unknown children, and text.
  ///
  /// - Parameter children: The names of elements that are allowed in this one.
  func finish(children: [String] = []) {
    for attribute in element.attributes where !known.contains(attribute.name) {
      let message = "unknown attribute '\(attribute.name)'"
      complaints.add(
        .unknown(message, attribute.name, among: known), at: attribute.place, path(attribute.name)
      )
    }
    for child in element.children where !children.contains(child.name) {
      let message = "unknown element <\(child.name)>"
      complaints.add(
        .unknown(message, child.name, among: children), at: child.place, path(child.name)
      )
    }
    if let text = element.text {
      complaints.add(text, path(nil), "expected only elements in <\(element.name)>, found text")
    }
  }

  private func path(_ name: String?) -> String {
    name.map { "\(element.name).\($0)" } ?? element.name
  }
}
