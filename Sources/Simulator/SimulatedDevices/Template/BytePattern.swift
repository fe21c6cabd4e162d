// Matches values byte by byte, and captures variables from them.
//
// Pure.

import Bluetooth
public import Documents

/// A pattern of bytes: `01 ?? <size:u32> *`.
public struct BytePattern: Sendable, Hashable {
  /// One element of a pattern.
  enum Token: Sendable, Hashable {
    /// One byte, compared in the bits of the mask.
    case octet(UInt8, mask: UInt8)
    /// An integer that is captured in a variable.
    case number(String, ValueFormat)
    /// The remaining bytes, possibly none; optionally captured. Always the last token.
    case rest(String?)

    /// The captured variable, with its kind.
    var named: (name: String, kind: VariableKind)? {
      switch self {
      case .octet, .rest(nil): nil
      case .number(let name, _): (name, .number)
      case .rest(let name?): (name, .octets)
      }
    }
  }

  /// The elements, in order.
  var tokens: [Token]

  /// The captured variables; nil if the value does not match.
  func match(_ value: [UInt8]) -> Variables? {
    var found = Variables()
    var rest = value[...]
    for token in tokens {
      switch token {
      case .octet(let octet, let mask):
        guard let first = rest.popFirst(), first & mask == octet & mask else { return nil }
      case .number(let name, let format):
        guard let count = format.whole?.octets, rest.count >= count,
          case .integer(let number)? = try? format.decode(Array(rest.prefix(count)))
        else { return nil }
        found[name] = .number(Int64(clamping: number))
        rest = rest.dropFirst(count)
      case .rest(let name):
        if let name { found[name] = .octets(Array(rest)) }
        rest = []
      }
    }
    return rest.isEmpty ? found : nil
  }
}

extension BytePattern {
  /// The possible words of a pattern.
  static let words = "01, 0?, ??, 1xxx0000, 'text', <name:u16>, <name:*> or *"

  /// Parses a pattern.
  ///
  /// Spaces separate the words: a byte in hexadecimal digits, `?` for any digit; its eight bits,
  /// `x` for any bit; a text in single quotes; a name in angle brackets with an integer format, or
  /// with `*` for the rest of the value; `*` alone for a rest without a name.
  ///
  /// - Throws: A problem with the first invalid word.
  public init(written text: String) throws(Problem) {
    tokens = []
    var rest = text.drop { $0 == " " }
    while let first = rest.first {
      if case .rest? = tokens.last {
        throw Self.invalid(rest, "the rest must be last")
      }
      if first == "'" {
        guard let end = rest.dropFirst().firstIndex(of: "'") else {
          throw Self.invalid(rest, "the text does not end")
        }
        tokens += rest[rest.index(after: rest.startIndex)..<end].utf8.map {
          .octet($0, mask: 0xff)
        }
        rest = rest[rest.index(after: end)...].drop { $0 == " " }
      } else {
        let word = rest.prefix { $0 != " " }
        let token = try Self.token(String(word))
        if let name = token.named?.name, tokens.contains(where: { $0.named?.name == name }) {
          throw Self.invalid(word, "duplicate name '\(name)'")
        }
        tokens.append(token)
        rest = rest[word.endIndex...].drop { $0 == " " }
      }
    }
  }

  private static func invalid(_ word: some StringProtocol, _ message: String) -> Problem {
    Problem("'\(word)': \(message)", expected: words)
  }

  private static func token(_ word: String) throws(Problem) -> Token {
    if word == "*" { return .rest(nil) }
    if word.hasPrefix("<"), word.hasSuffix(">") { return try capture(word) }
    let (digit, any): (Int, Character) = word.count == 8 ? (1, "x") : (4, "?")
    var (octet, mask) = (0, 0)
    for character in word {
      octet <<= digit
      mask <<= digit
      guard character != any else { continue }
      guard let value = Int(String(character), radix: 1 << digit), character != "+" else {
        throw Self.invalid(word, "invalid byte")
      }
      octet |= value
      mask |= (1 << digit) - 1
    }
    guard [2, 8].contains(word.count) else {
      throw Self.invalid(word, "invalid byte")
    }
    return .octet(UInt8(octet), mask: UInt8(mask))
  }

  private static func capture(_ word: String) throws(Problem) -> Token {
    let inner = word.dropFirst().dropLast()
    let parts = inner.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let (name, kind) = (parts[0], parts.count == 2 ? parts[1] : "u8")
    guard Expression.isVariableName(name), name != ValueTemplate.writtenName else {
      throw Self.invalid(word, "'\(name)' cannot be a name")
    }
    if kind == "*" { return .rest(String(name)) }
    guard let format = ValueFormat(String(kind)), format.whole != nil else {
      throw Self.invalid(word, "'\(kind)' is not an integer format")
    }
    return .number(String(name), format)
  }
}
