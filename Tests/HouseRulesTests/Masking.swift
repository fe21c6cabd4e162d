// Swift text with comments and string contents blanked, so that a word in them breaks no rule.
//
// It knows nested comments, raw and multi-line strings, and code inside interpolations. It does
// not know regex literals.

/// Reads Swift text once, keeping every newline where it was.
struct Masking {
  private let text: [UInt8]
  private let keepsStrings: Bool
  private var kept: [UInt8]
  private var position = 0

  /// The text with blanks for all that is not code.
  static func codeOnly(_ text: String) -> String {
    var masking = Masking(Array(text.utf8), keepsStrings: false)
    masking.readCode(insideInterpolation: false)
    return String(decoding: masking.kept, as: UTF8.self)
  }

  /// The text with blanks for all that does not stand in a string literal.
  static func stringsOnly(_ text: String) -> String {
    var masking = Masking(Array(text.utf8), keepsStrings: true)
    masking.readCode(insideInterpolation: false)
    return String(decoding: masking.kept, as: UTF8.self)
  }

  private init(_ text: [UInt8], keepsStrings: Bool) {
    self.text = text
    self.keepsStrings = keepsStrings
    kept = text.map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") }
  }

  private func sees(_ token: String, at offset: Int = 0) -> Bool {
    let octets = Array(token.utf8)
    let start = position + offset
    return start + octets.count <= text.count
      && text[start..<start + octets.count].elementsEqual(octets)
  }

  /// Whether anything but plain code may begin with this octet.
  private func isSpecial(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "#"): true
    case UInt8(ascii: "("), UInt8(ascii: ")"): true
    default: false
    }
  }

  private mutating func keep(inString: Bool = false) {
    if inString == keepsStrings { kept[position] = text[position] }
    position += 1
  }

  private mutating func readCode(insideInterpolation: Bool) {
    var depth = 0
    while position < text.count {
      if !isSpecial(text[position]) {
        keep()
      } else if sees("//") {
        while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
      } else if sees("/*") {
        skipBlockComment()
      } else if let hashes = hashesOfString() {
        readString(hashes: hashes)
      } else {
        if sees("(") { depth += 1 }
        if sees(")") {
          depth -= 1
          if insideInterpolation && depth < 0 { return }
        }
        keep()
      }
    }
  }

  private mutating func skipBlockComment() {
    var depth = 0
    while position < text.count {
      if sees("/*") {
        depth += 1
        position += 2
      } else if sees("*/") {
        depth -= 1
        position += 2
        if depth == 0 { return }
      } else {
        position += 1
      }
    }
  }

  /// How many `#` open the string literal that starts here; `nil` when none starts.
  private func hashesOfString() -> Int? {
    var hashes = 0
    while sees("#", at: hashes) { hashes += 1 }
    return sees("\"", at: hashes) ? hashes : nil
  }

  private mutating func readString(hashes: Int) {
    let fence = String(repeating: "#", count: hashes)
    position += hashes
    let quote = sees("\"\"\"") ? "\"\"\"" : "\""
    for _ in quote.utf8 { keep() }
    while position < text.count {
      if sees(quote + fence) {
        for _ in quote.utf8 { keep() }
        position += hashes
        return
      }
      if sees("\\" + fence + "(") {
        position += 2 + hashes
        readCode(insideInterpolation: true)
        position += 1
      } else if sees("\\" + fence) {
        for _ in 0..<min(2 + hashes, text.count - position) { keep(inString: true) }
      } else {
        keep(inString: true)
      }
    }
  }
}
