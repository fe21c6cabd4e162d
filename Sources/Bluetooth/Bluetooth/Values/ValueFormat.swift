// The format of plain numbers and texts.

/// A format such as `u8`, `i16be`, `f32`, `utf8` or `hex`.
public struct ValueFormat: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: Hashable, Sendable {
    case unsigned(octets: Int)
    case signed(octets: Int)
    case float32, float64, utf8, hex
    case described(ValueDescription)
  }

  private let kind: Kind
  private let isBigEndian: Bool
  /// The format as written.
  public let name: String

  public var description: String { name }

  static let f32 = ValueFormat(.float32, "f32")
  static let f64 = ValueFormat(.float64, "f64")

  /// The format that a description has under its name.
  package init(_ description: ValueDescription) {
    self.init(.described(description), description.name)
  }

  /// The description; nil for the formats of plain numbers and texts.
  package var valueDescription: ValueDescription? {
    if case .described(let description) = kind { description } else { nil }
  }

  private init(_ kind: Kind, _ name: String) {
    self.kind = kind
    self.name = name
    isBigEndian = false
  }

  /// The names of all formats.
  public static let names: [String] =
    ["u8", "u16", "u24", "u32", "u64", "i8", "i16", "i24", "i32", "i64", "f32", "f64"]
    + ["u16be", "u24be", "u32be", "u64be", "i16be", "i24be", "i32be", "i64be", "f32be", "f64be"]
    + ["utf8", "hex"]

  /// The format with a name; nil when it is unknown.
  ///
  /// ```swift
  /// let format = ValueFormat("u16be")  // nil for a name that is not in ValueFormat.names
  /// ```
  public init?(_ name: String) {
    guard Self.names.contains(name) else { return nil }
    self.name = name
    isBigEndian = name.hasSuffix("be")
    let base = isBigEndian ? String(name.dropLast(2)) : name
    switch base {
    case "utf8": kind = .utf8
    case "hex": kind = .hex
    case "f32": kind = .float32
    case "f64": kind = .float64
    default:
      guard let bits = Int(base.dropFirst()) else { return nil }
      kind = base.hasPrefix("u") ? .unsigned(octets: bits / 8) : .signed(octets: bits / 8)
    }
  }

  /// The range of the format's numbers; nil if they are not whole or have more digits than a
  /// Double, and for formats of anything else.
  var range: ClosedRange<Double>? {
    switch kind {
    case .unsigned(8), .signed(8): nil
    case .unsigned(let octets): WireNumber(octets).quantities
    case .signed(let octets): WireNumber(octets, signed: true).quantities
    case .float32, .float64, .utf8, .hex, .described: nil
    }
  }

  /// The number of octets of a whole number, and whether it has a sign; nil for other formats.
  package var whole: (octets: Int, isSigned: Bool)? {
    switch kind {
    case .unsigned(let octets): (octets, false)
    case .signed(let octets): (octets, true)
    case .float32, .float64, .utf8, .hex, .described: nil
    }
  }

  /// The octets of a whole number, truncated to its lowest bits; none for other formats.
  package func wrapping(_ number: Int64) -> [UInt8] {
    whole.map { ordered(UInt64(bitPattern: number), $0.octets) } ?? []
  }

  /// Encodes a value written as text: `300`, `0x12c`, `36.6`, `some words`, `01 ff`.
  ///
  /// ```swift
  /// print(try ValueFormat("u16be")!.encode("300"))  // [1, 44]
  /// ```
  ///
  /// - Throws: ``ValueError`` with what the format expects.
  public func encode(_ text: String) throws(ValueError) -> [UInt8] {
    switch kind {
    case .described(let description): return try description.encode(.text(text))
    case .utf8: return Array(text.utf8)
    case .hex: return try Self.hexadecimal(text)
    case .float32:
      let value: Float = try real(text)
      return ordered(UInt64(value.bitPattern), 4)
    case .float64:
      let value: Double = try real(text)
      return ordered(value.bitPattern, 8)
    case .unsigned(let octets):
      guard let value = Self.unsigned(text) else {
        throw problem("'\(text)' is not a whole number of at least 0")
      }
      guard octets == 8 || value < 1 << (8 * UInt64(octets)) else {
        throw problem("\(text) is more than \((UInt64(1) << (8 * UInt64(octets))) - 1)")
      }
      return ordered(value, octets)
    case .signed(let octets):
      guard let value = Int64(text) else { throw problem("'\(text)' is not a whole number") }
      let limit = octets == 8 ? Int64.max : (Int64(1) << (8 * Int64(octets) - 1)) - 1
      guard value <= limit, value >= -limit - 1 else {
        throw problem("\(text) is not in \(-limit - 1)...\(limit)")
      }
      return ordered(UInt64(bitPattern: value), octets)
    }
  }

  /// Decodes octets.
  ///
  /// ```swift
  /// print(try ValueFormat("u16be")!.decode([1, 44]))  // 300
  /// ```
  ///
  /// - Throws: ``ValueError`` when there are too few or too many.
  public func decode(_ octets: [UInt8]) throws(ValueError) -> DecodedValue {
    switch kind {
    case .described(let description): return try description.decode(octets)
    case .hex: return .octets(octets)
    case .utf8:
      guard let text = String(validating: octets, as: UTF8.self) else {
        throw problem("invalid UTF-8")
      }
      return .text(text)
    case .float32:
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: try bits(octets, 4)))
      // The shortest digits: 26.1, not 26.100000381469727.
      return .real(Double("\(float)") ?? Double(float), decimals: 3)
    case .float64: return .real(Double(bitPattern: try bits(octets, 8)), decimals: 6)
    case .unsigned(let count): return .integer(Int128(try bits(octets, count)))
    case .signed(let count):
      let shift = UInt64(64 - 8 * count)
      return .integer(Int128(Int64(bitPattern: try bits(octets, count) << shift) >> Int64(shift)))
    }
  }

  /// Parses a number as the nearest one of the type.
  ///
  /// - Throws: ``ValueError`` also where the nearest one is infinity or 0 and the number is not.
  private func real<Real: BinaryFloatingPoint & LosslessStringConvertible>(
    _ text: String
  ) throws(ValueError) -> Real {
    guard let value = Real(text) else { throw problem("'\(text)' is not a number") }
    if value.isInfinite, text.contains(where: \.isNumber) {
      let most = Real.greatestFiniteMagnitude
      throw problem("\(text) is not in -\(most)...\(most)")
    }
    let digits = text.prefix { !"eEpP".contains($0) }
    if value.isZero, digits.contains(where: { "123456789".contains($0) }) {
      throw problem("\(text) is nearer to 0 than \(Real.leastNonzeroMagnitude)")
    }
    return value
  }

  private func problem(_ text: String) -> ValueError {
    ValueError(field: name, octet: 0, problem: text)
  }

  private func ordered(_ bits: UInt64, _ count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
    return isBigEndian ? little.reversed() : little
  }

  private func bits(_ octets: [UInt8], _ count: Int) throws(ValueError) -> UInt64 {
    guard octets.count == count else {
      throw problem(ValueError.length(count, found: octets.count))
    }
    let most = isBigEndian ? octets : octets.reversed()
    return most.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func unsigned(_ text: String) -> UInt64? {
    text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
  }

  private static func hexadecimal(_ text: String) throws(ValueError) -> [UInt8] {
    let digits = text.filter { !" :-".contains($0) }
    let body = digits.hasPrefix("0x") ? digits.dropFirst(2) : digits[...]
    guard body.count.isMultiple(of: 2), body.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      throw ValueError(field: "hex", octet: 0, problem: "'\(text)' is not pairs of hex digits")
    }
    var octets: [UInt8] = []
    var rest = body
    while !rest.isEmpty {
      octets.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
      rest = rest.dropFirst(2)
    }
    return octets
  }
}
