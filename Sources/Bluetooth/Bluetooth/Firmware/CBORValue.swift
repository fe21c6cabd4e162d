// CBOR data items, in the subset that SMP uses, and their decoder and encoder.
//
// Pure. Input comes from devices: its depth and the number of its items are limited, and no length
// that it announces is trusted.

/// A CBOR data item, as in the bodies of SMP requests and responses.
///
/// Floating-point numbers, tags, and indefinite-length strings are not part of the subset.
///
/// - Source: RFC 8949, 3.
package enum CBORValue: Hashable, Sendable {
  case integer(Int64)
  case octets([UInt8])
  case text(String)
  case truth(Bool)
  case null
  case list([CBORValue])
  /// A map with text keys, in the order of the bytes.
  case map([Member])

  /// An entry of a map.
  package struct Member: Hashable, Sendable {
    package let key: String
    package let value: CBORValue

    package init(_ key: String, _ value: CBORValue) {
      self.key = key
      self.value = value
    }
  }

  /// The maximum nesting of lists and maps.
  package static let deepest = 8
  /// The maximum number of items, including those inside lists and maps.
  package static let mostItems = 4096

  /// The value of a key of a map; nil if it is missing, or this is no map.
  package subscript(_ key: String) -> CBORValue? {
    guard case .map(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  package var octets: [UInt8]? { if case .octets(let value) = self { value } else { nil } }
  package var text: String? { if case .text(let value) = self { value } else { nil } }
  package var truth: Bool? { if case .truth(let value) = self { value } else { nil } }
  package var list: [CBORValue]? { if case .list(let value) = self { value } else { nil } }
}

/// An error in CBOR, with its position.
package struct CBORError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The index of the byte where the item with the error begins.
  package let position: Int
  package let problem: String

  package var description: String { "invalid CBOR at byte \(position): \(problem)" }
}

// MARK: Decoding

extension CBORValue {
  /// Decodes one item, which must span all of the bytes.
  package init(decoding octets: [UInt8]) throws(CBORError) {
    var decoder = CBORDecoder(octets: octets)
    self = try decoder.item(depth: 0)
    try decoder.expectEnd()
  }
}

/// A decoder with its position in the bytes.
private struct CBORDecoder {
  let octets: [UInt8]
  private var position = 0
  private var items = 0

  init(octets: [UInt8]) { self.octets = octets }

  /// The first byte of an item, and its argument; nil if the length is indefinite and a break ends
  /// it.
  private struct Head {
    let start: Int
    let type: UInt8
    let argument: UInt64?
    let information: UInt8
  }

  private func error(_ position: Int, _ problem: String) -> CBORError {
    CBORError(position: position, problem: problem)
  }

  func expectEnd() throws(CBORError) {
    guard position == octets.count else {
      throw error(position, "\(octets.count - position) bytes follow the end")
    }
  }

  private mutating func head() throws(CBORError) -> Head {
    let start = position
    guard start < octets.count else { throw error(start, "the data ends early") }
    items += 1
    guard items <= CBORValue.mostItems else {
      throw error(start, "there are more than \(CBORValue.mostItems) items")
    }
    let (type, information) = (octets[start] >> 5, octets[start] & 31)
    position += 1
    switch information {
    case 0..<24:
      return Head(start: start, type: type, argument: UInt64(information), information: information)
    case 24...27:
      let count = 1 << (information - 24)
      let bytes = try take(count, from: start)
      let argument = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return Head(start: start, type: type, argument: argument, information: information)
    case 31: return Head(start: start, type: type, argument: nil, information: information)
    default: throw error(start, "the length \(information) is reserved")
    }
  }

  private mutating func take(_ count: Int, from start: Int) throws(CBORError) -> ArraySlice<UInt8> {
    guard count <= octets.count - position else { throw error(start, "the data ends early") }
    defer { position += count }
    return octets[position..<position + count]
  }

  mutating func item(depth: Int) throws(CBORError) -> CBORValue {
    let head = try head()
    switch head.type {
    case 0:
      guard let value = Int64(exactly: try argument(head)) else {
        throw error(head.start, "the number is too large")
      }
      return .integer(value)
    case 1:
      guard let value = Int64(exactly: try argument(head)) else {
        throw error(head.start, "the number is too small")
      }
      return .integer(-1 - value)
    case 2: return .octets(Array(try string(head)))
    case 3: return .text(try text(head))
    case 4, 5:
      guard depth < CBORValue.deepest else {
        throw error(head.start, "lists and maps are nested more than \(CBORValue.deepest) deep")
      }
      return head.type == 4 ? .list(try list(head, depth)) : .map(try map(head, depth))
    case 6: throw error(head.start, "tags are not supported")
    default:
      switch head.information {
      case 20, 21: return .truth(head.information == 21)
      case 22, 23: return .null
      case 25...27: throw error(head.start, "floating-point numbers are not supported")
      default: throw error(head.start, "the simple value is not supported")
      }
    }
  }

  private func argument(_ head: Head) throws(CBORError) -> UInt64 {
    guard let argument = head.argument else { throw error(head.start, "the length is missing") }
    return argument
  }

  private mutating func string(_ head: Head) throws(CBORError) -> ArraySlice<UInt8> {
    guard let length = head.argument else {
      throw error(head.start, "strings in pieces are not supported")
    }
    guard let count = Int(exactly: length) else { throw error(head.start, "the data ends early") }
    return try take(count, from: head.start)
  }

  private mutating func text(_ head: Head) throws(CBORError) -> String {
    guard let text = String(validating: try string(head), as: UTF8.self) else {
      throw error(head.start, "the text is not UTF-8")
    }
    return text
  }

  /// Whether another element follows. Consumes the break that ends an item of indefinite length.
  private mutating func hasNext(_ head: Head, _ count: Int) -> Bool {
    if let length = head.argument { return count < length }
    guard position < octets.count, octets[position] == 0xff else { return true }
    position += 1
    return false
  }

  private mutating func list(_ head: Head, _ depth: Int) throws(CBORError) -> [CBORValue] {
    var values: [CBORValue] = []
    while hasNext(head, values.count) { values.append(try item(depth: depth + 1)) }
    return values
  }

  private mutating func map(_ head: Head, _ depth: Int) throws(CBORError) -> [CBORValue.Member] {
    var members: [CBORValue.Member] = []
    var keys: Set<String> = []
    while hasNext(head, members.count) {
      let key = try self.head()
      guard key.type == 3 else { throw error(key.start, "the key of a map is not text") }
      let text = try text(key)
      guard keys.insert(text).inserted else {
        throw error(key.start, "the map has the key '\(text)' twice")
      }
      members.append(CBORValue.Member(text, try item(depth: depth + 1)))
    }
    return members
  }
}

// MARK: Encoding

extension CBORValue {
  /// The shortest encoding, with the entries of maps in their order.
  package var encoded: [UInt8] {
    var octets: [UInt8] = []
    encode(into: &octets)
    return octets
  }

  private func encode(into octets: inout [UInt8]) {
    switch self {
    case .integer(let value):
      Self.head(value < 0 ? 1 : 0, UInt64(bitPattern: value < 0 ? ~value : value), into: &octets)
    case .octets(let value):
      Self.head(2, UInt64(value.count), into: &octets)
      octets += value
    case .text(let value):
      Self.head(3, UInt64(value.utf8.count), into: &octets)
      octets += value.utf8
    case .truth(let value): octets.append(value ? 0xf5 : 0xf4)
    case .null: octets.append(0xf6)
    case .list(let values):
      Self.head(4, UInt64(values.count), into: &octets)
      for value in values { value.encode(into: &octets) }
    case .map(let members):
      Self.head(5, UInt64(members.count), into: &octets)
      for member in members {
        CBORValue.text(member.key).encode(into: &octets)
        member.value.encode(into: &octets)
      }
    }
  }

  private static func head(_ type: UInt8, _ argument: UInt64, into octets: inout [UInt8]) {
    let (information, count): (UInt8, Int) =
      switch argument {
      case 0..<24: (UInt8(argument), 0)
      case ...0xff: (24, 1)
      case ...0xffff: (25, 2)
      case ...0xffff_ffff: (26, 4)
      default: (27, 8)
      }
    octets.append(type << 5 | information)
    for byte in (0..<count).reversed() {
      octets.append(UInt8(truncatingIfNeeded: argument >> UInt64(8 * byte)))
    }
  }
}
