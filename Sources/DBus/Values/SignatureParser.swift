// Parses signatures: whether they are well formed, and where each complete type ends.

/// An invalid signature.
package struct SignatureError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  package let text: String
  /// The position of the error, in octets from the start.
  package let offset: Int
  /// What is wrong there.
  package let reason: String

  package var description: String {
    "'\(text)' is not a valid signature: \(reason) at byte \(offset)"
  }
}

/// The grammar of signatures.
///
/// - Source: D-Bus Specification 0.41, "Valid Signatures".
struct SignatureParser {
  static let maximumLength = 255
  static let maximumArrayDepth = 32
  static let maximumStructureDepth = 32

  private let codes: [UInt8]
  private let text: String
  private var position = 0

  private init(_ text: String) {
    self.text = text
    codes = Array(text.utf8)
  }

  /// Checks that `text` is a sequence of complete types.
  static func check(_ text: String) throws(SignatureError) {
    // The frequent ones, decided without an array.
    if text.utf8.count == 1, let code = text.utf8.first, isBasic(code) || code == variant { return }
    var parser = SignatureParser(text)
    guard parser.codes.count <= maximumLength else {
      throw SignatureError(
        text: text,
        offset: maximumLength,
        reason: "it is longer than \(maximumLength) bytes"
      )
    }
    while parser.position < parser.codes.count {
      try parser.completeType(arrays: 0, structures: 0)
    }
  }

  /// Splits a valid signature into its complete types.
  static func completeTypes(of valid: String) -> [Substring] {
    var types: [Substring] = []
    let codes = valid.utf8
    var start = codes.startIndex
    while start < codes.endIndex {
      let end = endOfType(in: codes, from: start)
      types.append(valid[start..<end])
      start = end
    }
    return types
  }

  private static func endOfType(
    in codes: String.UTF8View,
    from start: String.Index
  ) -> String.Index {
    var index = start
    while codes[index] == UInt8(ascii: "a") { index = codes.index(after: index) }
    var depth = 0
    repeat {
      switch codes[index] {
      case UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
      index = codes.index(after: index)
    } while depth > 0
    return index
  }

  private static let variant = UInt8(ascii: "v")

  /// Whether `code` is the code of a basic type, not a container.
  static func isBasic(_ code: UInt8) -> Bool {
    switch code {
    case UInt8(ascii: "y"), UInt8(ascii: "b"), UInt8(ascii: "n"), UInt8(ascii: "q"),
      UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "x"), UInt8(ascii: "t"),
      UInt8(ascii: "d"), UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"),
      UInt8(ascii: "h"):
      true
    default: false
    }
  }

  // MARK: Grammar

  private func fault(_ reason: String, at offset: Int) -> SignatureError {
    SignatureError(text: text, offset: offset, reason: reason)
  }

  private mutating func completeType(arrays: Int, structures: Int) throws(SignatureError) {
    guard position < codes.count else { throw fault("a type is missing", at: position) }
    let start = position
    let code = codes[position]
    position += 1
    switch code {
    case UInt8(ascii: "a"):
      guard arrays < Self.maximumArrayDepth else {
        throw fault("more than \(Self.maximumArrayDepth) nested arrays", at: start)
      }
      if position < codes.count, codes[position] == UInt8(ascii: "{") {
        position += 1
        try entry(arrays: arrays + 1, structures: structures)
      } else {
        try completeType(arrays: arrays + 1, structures: structures)
      }
    case UInt8(ascii: "("):
      guard structures < Self.maximumStructureDepth else {
        throw fault(
          "more than \(Self.maximumStructureDepth) nested structures",
          at: start
        )
      }
      try structure(arrays: arrays, structures: structures + 1)
    case UInt8(ascii: "{"): throw fault("a dictionary entry outside an array", at: start)
    case UInt8(ascii: ")"), UInt8(ascii: "}"): throw fault("an unmatched bracket", at: start)
    case Self.variant: break
    default:
      guard Self.isBasic(code) else { throw fault("unknown type code", at: start) }
    }
  }

  private mutating func structure(arrays: Int, structures: Int) throws(SignatureError) {
    guard position < codes.count else { throw fault("unterminated structure", at: position) }
    guard codes[position] != UInt8(ascii: ")") else {
      throw fault("empty structure", at: position)
    }
    while codes[position] != UInt8(ascii: ")") {
      try completeType(arrays: arrays, structures: structures)
      guard position < codes.count else { throw fault("unterminated structure", at: position) }
    }
    position += 1
  }

  /// A dictionary entry counts as a structure for the depth, as in libdbus.
  private mutating func entry(arrays: Int, structures: Int) throws(SignatureError) {
    guard structures < Self.maximumStructureDepth else {
      throw fault(
        "more than \(Self.maximumStructureDepth) nested structures",
        at: position
      )
    }
    guard position < codes.count, Self.isBasic(codes[position]) else {
      throw fault("the key of a dictionary entry is not a basic type", at: position)
    }
    position += 1
    try completeType(arrays: arrays, structures: structures + 1)
    guard position < codes.count, codes[position] == UInt8(ascii: "}") else {
      throw fault("a dictionary entry must have exactly two types", at: position)
    }
    position += 1
  }
}
