// The name of a captured value, or of a field of it.

/// A variable, and optionally a field of its value: `reading.celsius`; a field of one value of a
/// combination is `both.reading.celsius`.
public struct VariablePath: Hashable, Sendable, CustomStringConvertible {
  /// The name of the captured value.
  public let variable: String
  /// The field of the value; nil for the value itself.
  public let field: String?

  /// Reads `reading` or `reading.celsius`; nil for anything else.
  ///
  /// ```swift
  /// let path = VariablePath("reading.celsius")
  /// print(path?.variable ?? "", path?.field ?? "")  // reading celsius
  /// ```
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 3, parts.allSatisfy(Self.isName) else { return nil }
    variable = parts[0]
    field = parts.count > 1 ? Array(parts[1...]).joined(separator: ".") : nil
  }

  /// Whether `text` can name a variable: a letter, then letters, digits, `-` and `_`.
  public static func isName(_ text: String) -> Bool {
    text.first?.isLetter == true
      && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }

  public var description: String { field.map { "\(variable).\($0)" } ?? variable }
}
