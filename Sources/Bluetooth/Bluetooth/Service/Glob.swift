// Patterns for names.

/// A pattern in which `*` matches any text and `?` one character.
public struct Glob: Hashable, Sendable {
  private let pattern: [Character]
  private let ignoresCase: Bool

  /// A pattern, in which `*` and `?` are wildcards.
  ///
  /// ```swift
  /// print(Glob("Thermo-?", ignoringCase: true).matches("THERMO-1"))  // true
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: `Thermo-*`.
  ///   - ignoringCase: Whether `a` also matches `A`.
  public init(_ pattern: String, ignoringCase: Bool = false) {
    self.pattern = Array(ignoringCase ? pattern.lowercased() : pattern)
    ignoresCase = ignoringCase
  }

  /// Whether all of `text` matches. At worst linear in the product of the lengths.
  public func matches(_ text: String) -> Bool {
    let text = Array(ignoresCase ? text.lowercased() : text)
    var (position, index) = (0, 0)
    var star: (index: Int, position: Int)?
    while position < text.count {
      if index < pattern.count, pattern[index] == "*" {
        star = (index, position)
        index += 1
      } else if index < pattern.count, pattern[index] == "?" || pattern[index] == text[position] {
        index += 1
        position += 1
      } else if let last = star {
        star = (last.index, last.position + 1)
        index = last.index + 1
        position = last.position + 1
      } else {
        return false
      }
    }
    return pattern[index...].allSatisfy { $0 == "*" }
  }
}

extension Glob {
  /// The common prefix, byte for byte, of all texts that match: without regard to case it ends
  /// before the first letter.
  ///
  /// ```swift
  /// print(Glob.prefix(of: "Soil-*"))  // Soil-
  /// ```
  public static func prefix(of pattern: String, ignoringCase: Bool = false) -> String {
    String(
      pattern.prefix { character in
        character != "*" && character != "?"
          && !(ignoringCase && character.lowercased() != character.uppercased())
      }
    )
  }
}
