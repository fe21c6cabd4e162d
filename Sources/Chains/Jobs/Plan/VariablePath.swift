// The path of a captured value, of one of its fields, or of some of its bytes.
//
// It is only a name; values are looked up when the step runs.

import Bluetooth

/// A path to a captured value: `reading`, its field `reading.celsius`, or its bytes
/// `response[0:4]`. In a combination, the first field names an input: `both.reading.celsius`.
public struct VariablePath: Hashable, Sendable, CustomStringConvertible {
  /// The description of a valid name, for errors.
  static let shape = "a name of letters, digits, - and _ that begins with a letter"

  /// The most names with dots between them, such as the four of `log.values.flags.tamper`.
  static let mostParts = 9

  public let variable: String
  /// The field, or fields joined by a dot; nil for the entire value.
  public let field: String?
  /// The range of bytes; nil for the entire value.
  let slice: ByteSlice?

  /// Parses `reading`, `reading.celsius` or `reading[0:4]`; nil for anything else.
  ///
  /// ```swift
  /// let path = VariablePath("reading.celsius")
  /// print(path?.variable ?? "", path?.field ?? "")  // reading celsius
  /// ```
  public init?(_ text: String) {
    var name = text[...]
    if text.hasSuffix("]") {
      guard let bracket = text.firstIndex(of: "["),
        let slice = ByteSlice(text[text.index(after: bracket)...].dropLast())
      else { return nil }
      self.slice = slice
      name = text[..<bracket]
    } else {
      slice = nil
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= Self.mostParts, parts.allSatisfy(Self.isName) else { return nil }
    variable = parts[0]
    field = parts.count > 1 ? Array(parts[1...]).joined(separator: ".") : nil
  }

  private init(_ variable: String, _ field: String?, _ slice: ByteSlice?) {
    (self.variable, self.field, self.slice) = (variable, field, slice)
  }

  var allBytes: VariablePath { VariablePath(variable, field, .all) }

  /// The path without its range of bytes.
  var whole: VariablePath { VariablePath(variable, field, nil) }

  /// Whether `text` is a valid variable name: a letter, then letters, digits, `-` and `_`.
  public static func isName(_ text: String) -> Bool {
    text.first?.isLetter == true
      && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }

  public var description: String {
    (field.map { "\(variable).\($0)" } ?? variable) + (slice?.description ?? "")
  }
}
