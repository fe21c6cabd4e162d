// The signature of values: type `g`.

/// A valid sequence of complete types, possibly none.
///
/// - Source: D-Bus Specification 0.41, "Type System" and "Valid Signatures".
public struct Signature: Hashable, Sendable {
  /// The signature as it is written: `a{sv}`.
  public let text: String

  /// Checks a signature.
  ///
  /// - Throws: ``SignatureError`` when it is not well formed, or passes a limit: 255 octets, 32
  ///   arrays in one another, 32 structures in one another.
  public init(_ text: String) throws(SignatureError) {
    try SignatureParser.check(text)
    self.text = text
  }

  /// A signature that was checked elsewhere.
  init(valid text: String) { self.text = text }

  /// The signature of nothing.
  public static let empty = Signature(valid: "")

  /// Whether there is no type in it.
  public var isEmpty: Bool { text.utf8.isEmpty }

  /// The complete types, in order, one signature each.
  public var completeTypes: [Signature] {
    SignatureParser.completeTypes(of: text).map { Signature(valid: String($0)) }
  }

  /// Whether this is exactly one complete type.
  public var isSingle: Bool { SignatureParser.completeTypes(of: text).count == 1 }

  /// Whether this is exactly one basic type: not a container.
  public var isBasic: Bool {
    guard text.utf8.count == 1, let code = text.utf8.first else { return false }
    return SignatureParser.isBasic(code)
  }

  /// The element type of an array that is no dictionary; nil for all else.
  public var arrayElement: Signature? {
    guard isSingle, text.utf8.first == UInt8(ascii: "a"), !text.hasPrefix("a{") else { return nil }
    return Signature(valid: String(text.dropFirst()))
  }

  /// The types of key and value of a dictionary; nil for all else.
  public var dictionaryTypes: (key: Signature, value: Signature)? {
    guard isSingle, text.hasPrefix("a{") else { return nil }
    let inside = text.dropFirst(2).dropLast()
    return (
      Signature(valid: String(inside.prefix(1))), Signature(valid: String(inside.dropFirst()))
    )
  }

  /// The types of the fields of a structure; nil for all else.
  public var fields: [Signature]? {
    guard isSingle, text.utf8.first == UInt8(ascii: "(") else { return nil }
    return Signature(valid: String(text.dropFirst().dropLast())).completeTypes
  }
}

extension Signature: ExpressibleByStringLiteral {
  /// A signature written in code.
  ///
  /// - Precondition: It is valid.
  public init(stringLiteral text: String) {
    do {
      try self.init(text)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

extension Signature: CustomStringConvertible {
  public var description: String { text }
}
