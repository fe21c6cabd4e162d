// The name of a captured value, of a field of it, or of some of its bytes.

/// A variable, and optionally a field of its value: `reading.celsius`; a field of one value of a
/// combination is `both.reading.celsius`. `response[0:4]` is the first four bytes of a value.
public struct VariablePath: Hashable, Sendable, CustomStringConvertible {
  /// What a name is, for errors.
  static let shape = "a name of letters, digits, - and _ that begins with a letter"

  /// The name of the captured value.
  public let variable: String
  /// The field of the value; nil for the value itself.
  public let field: String?
  /// Which of its bytes; nil for the value itself.
  let slice: ByteSlice?

  /// Reads `reading`, `reading.celsius` or `reading[0:4]`; nil for anything else.
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
    guard parts.count <= 3, parts.allSatisfy(Self.isName) else { return nil }
    variable = parts[0]
    field = parts.count > 1 ? Array(parts[1...]).joined(separator: ".") : nil
  }

  private init(_ variable: String, _ field: String?, _ slice: ByteSlice?) {
    (self.variable, self.field, self.slice) = (variable, field, slice)
  }

  /// All bytes of the value.
  var allBytes: VariablePath { VariablePath(variable, field, .all) }

  /// The value without `[0:4]`.
  var whole: VariablePath { VariablePath(variable, field, nil) }

  /// Whether `text` can name a variable: a letter, then letters, digits, `-` and `_`.
  public static func isName(_ text: String) -> Bool {
    text.first?.isLetter == true
      && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }

  public var description: String {
    (field.map { "\(variable).\($0)" } ?? variable) + (slice?.description ?? "")
  }
}
