// Parses JSON.
//
// Without positions: files written by people are parsed by Document.

/// A text that is not JSON, or is nested too deeply.
package struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The position, in bytes from the start.
  package let offset: Int

  package var description: String { "invalid JSON at byte \(offset)" }
}

extension JSONValue {
  /// Parses a JSON text.
  ///
  /// - Source: RFC 8259.
  package init(parsing text: String) throws(JSONSyntaxError) {
    var parser = JSONParser(octets: Array(text.utf8))
    self = try parser.document()
  }
}

private struct JSONParser {
  /// The maximum nesting depth.
  private static let depthLimit = 64

  let octets: [UInt8]
  private var next = 0

  init(octets: [UInt8]) { self.octets = octets }

  mutating func document() throws(JSONSyntaxError) -> JSONValue {
    let value = try value(depth: 0)
    skipSpaces()
    guard next == octets.count else { throw failure }
    return value
  }

  private var failure: JSONSyntaxError { JSONSyntaxError(offset: next) }

  private var current: UInt8? { next < octets.count ? octets[next] : nil }

  private mutating func skipSpaces() {
    while let octet = current, [0x20, 0x09, 0x0a, 0x0d].contains(octet) { next += 1 }
  }

  private mutating func consume(_ character: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: character) else { return false }
    next += 1
    return true
  }

  private mutating func expect(
    _ text: StaticString, _ value: JSONValue
  ) throws(JSONSyntaxError) -> JSONValue {
    for index in 0..<text.utf8CodeUnitCount {
      guard current == text.utf8Start[index] else { throw failure }
      next += 1
    }
    return value
  }

  private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
    guard depth < Self.depthLimit else { throw failure }
    skipSpaces()
    switch current {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try expect("true", .boolean(true))
    case UInt8(ascii: "f"): return try expect("false", .boolean(false))
    case UInt8(ascii: "n"): return try expect("null", .null)
    // open: octets
    default: return .number(try number())
    }
  }

  private mutating func object(_ depth: Int) throws(JSONSyntaxError) -> JSONValue {
    next += 1
    var members: [JSONValue.Member] = []
    skipSpaces()
    if consume("}") { return .object([]) }
    repeat {
      skipSpaces()
      guard current == UInt8(ascii: "\"") else { throw failure }
      let key = try string()
      skipSpaces()
      guard consume(":") else { throw failure }
      members.append(JSONValue.Member(key, try value(depth: depth + 1)))
      skipSpaces()
    } while consume(",")
    guard consume("}") else { throw failure }
    return .object(members)
  }

  private mutating func array(_ depth: Int) throws(JSONSyntaxError) -> JSONValue {
    next += 1
    var values: [JSONValue] = []
    skipSpaces()
    if consume("]") { return .array([]) }
    repeat {
      values.append(try value(depth: depth + 1))
      skipSpaces()
    } while consume(",")
    guard consume("]") else { throw failure }
    return .array(values)
  }

  private mutating func number() throws(JSONSyntaxError) -> String {
    let start = next
    while let octet = current, "+-.0123456789Ee".utf8.contains(octet) { next += 1 }
    let text = String(decoding: octets[start..<next], as: UTF8.self)
    guard let first = text.utf8.first, first != UInt8(ascii: "+"), Double(text) != nil else {
      throw failure
    }
    return text
  }

  private mutating func string() throws(JSONSyntaxError) -> String {
    next += 1
    var text: [UInt8] = []
    while let octet = current {
      next += 1
      switch octet {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try escaped()
      case 0..<0x20: throw failure
      // open: octets
      default: text.append(octet)
      }
    }
    throw failure
  }

  private mutating func escaped() throws(JSONSyntaxError) -> [UInt8] {
    guard let octet = current else { throw failure }
    next += 1
    switch octet {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [octet]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0c]
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      var units = [try unit()]
      if (0xd800...0xdbff).contains(units[0]), octets[next...].starts(with: "\\u".utf8) {
        next += 2
        units.append(try unit())
      }
      return Array(String(decoding: units, as: UTF16.self).utf8)
    // open: octets
    default: throw failure
    }
  }

  private mutating func unit() throws(JSONSyntaxError) -> UInt16 {
    guard next + 4 <= octets.count else { throw failure }
    let digits = String(decoding: octets[next..<next + 4], as: UTF8.self)
    guard digits.allSatisfy(\.isHexDigit), let unit = UInt16(digits, radix: 16) else {
      throw failure
    }
    next += 4
    return unit
  }
}
