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

/// `[0:4]`: the bytes from the first index to before the second one; without one, from the start
/// or to the end. Negative indices count from the end.
struct ByteSlice: Hashable, Sendable, CustomStringConvertible {
  private let start: Int?
  private let end: Int?

  static let all = ByteSlice(start: nil, end: nil)

  private init(start: Int?, end: Int?) { (self.start, self.end) = (start, end) }

  /// Reads what is between the brackets: `0:4`, `4:`, `:-2`; nil for other texts.
  init?(_ text: Substring) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let indices = parts.map { Int($0) }
    guard parts.count == 2, zip(parts, indices).allSatisfy({ $0.isEmpty || $1 != nil }) else {
      return nil
    }
    (start, end) = (indices[0], indices[1])
  }

  /// The bytes; nil where there are not so many.
  func bytes(of octets: [UInt8]) -> [UInt8]? {
    func place(_ index: Int) -> Int { index < 0 ? octets.count + index : index }
    let (first, end) = (place(start ?? 0), place(self.end ?? octets.count))
    guard first >= 0, first <= end, end <= octets.count else { return nil }
    return Array(octets[first..<end])
  }

  var description: String {
    func shown(_ index: Int?) -> String { index.map { "\($0)" } ?? "" }
    return "[\(shown(start)):\(shown(end))]"
  }
}
