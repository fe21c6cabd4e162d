// The functions of expressions, and of expectations about all values of a stream.

import Spelling

/// A function. There are no others: for more there are programs.
package enum ExpressionFunction: String, CaseIterable, Sendable, Hashable {
  case len, abs, round, min, max, sum, mean, distinct, sum8, xor8, crc8, crc16, crc32, hex

  /// How it is called.
  package var usage: String {
    switch self {
    case .len: "len(x)"
    case .abs: "abs(x)"
    case .round: "round(x) or round(x, decimals)"
    case .min: "min(a, b) or min(list)"
    case .max: "max(a, b) or max(list)"
    case .sum: "sum(list)"
    case .mean: "mean(list)"
    case .distinct: "distinct(list)"
    case .sum8: "sum8(bytes)"
    case .xor8: "xor8(bytes)"
    case .crc8: "crc8(bytes) or crc8(bytes, \"maxim\")"
    case .crc16: "crc16(bytes, \"modbus\")"
    case .crc32: "crc32(bytes) or crc32(bytes, \"iscsi\")"
    case .hex: "hex(x)"
    }
  }

  /// The result, as the continuation of "is".
  package var documentation: String {
    switch self {
    case .len: "the number of bytes, of characters, or of values of a list"
    case .abs: "the number without its sign"
    case .round: "the nearest whole number, or the nearest with some decimals"
    case .min: "the smallest number"
    case .max: "the largest number"
    case .sum: "the sum of the numbers"
    case .mean: "the mean of the numbers"
    case .distinct: "how many different values there are"
    case .sum8: "the lowest 8 bits of the sum of the bytes"
    case .xor8: "the exclusive or of the bytes"
    case .crc8: "a CRC-8 of the bytes: \(Self.names(8)); without a name the first"
    case .crc16: "a CRC-16 of the bytes: \(Self.names(16))"
    case .crc32: "a CRC-32 of the bytes: \(Self.names(32)); without a name the first"
    case .hex: "the bytes, or the whole number, in hexadecimal digits, as a text"
    }
  }

  private static func names(_ bits: Int) -> String {
    CyclicChecksum.names(bits: bits).map { "`\($0)`" }.joined(separator: ", ")
  }

  /// The numbers of values that it takes.
  var counts: ClosedRange<Int> {
    switch self {
    case .len, .abs, .sum, .mean, .distinct, .sum8, .xor8, .hex: 1...1
    case .round, .crc8, .crc32: 1...2
    case .crc16: 2...2
    case .min, .max: 1...16
    }
  }

  /// The bits of a CRC; nil for other functions.
  var bits: Int? {
    switch self {
    case .crc8: 8
    case .crc16: 16
    case .crc32: 32
    case .len, .abs, .round, .min, .max, .sum, .mean, .distinct, .sum8, .xor8, .hex: nil
    }
  }

  /// Whether it makes one value of many: of a list, or of all values of a stream.
  package var isTotal: Bool {
    switch self {
    case .min, .max, .sum, .mean, .distinct, .sum8, .xor8, .crc8, .crc16, .crc32: true
    case .len, .abs, .round, .hex: false
    }
  }

  /// Whether it takes bytes.
  package var takesOctets: Bool {
    switch self {
    case .sum8, .xor8, .crc8, .crc16, .crc32: true
    case .len, .abs, .round, .min, .max, .sum, .mean, .distinct, .hex: false
    }
  }

  /// Whether it is a CRC, which may have the name of one in the catalogue.
  package var hasChecksums: Bool { bits != nil }

  /// The names of its CRCs; empty for other functions.
  package var checksumNames: [String] { bits.map { CyclicChecksum.names(bits: $0) } ?? [] }

  /// Refuses an unknown CRC.
  func check(_ arguments: [ExpressionNode], at offset: Int) throws(ExpressionProblem) {
    guard let bits, arguments.count == 2 else { return }
    guard case .constant(.text(let name)) = arguments[1].form else {
      throw ExpressionProblem(
        "the name of a CRC is a text", expected: usage, at: arguments[1].range.lowerBound
      )
    }
    guard CyclicChecksum.named(name, bits: bits) == nil else { return }
    let known = CyclicChecksum.names(bits: bits)
    let nearest = Spelling.nearest(to: name, among: known)
    throw ExpressionProblem(
      "unknown CRC-\(bits) '\(name)'",
      expected: nearest == nil ? "one of \(known.joined(separator: ", "))" : nil, nearest: nearest,
      at: arguments[1].range.lowerBound
    )
  }

  /// The CRC with a name; without, the usual one.
  func checksum(_ name: String?) -> CyclicChecksum? {
    guard let bits else { return nil }
    return name.map { CyclicChecksum.named($0, bits: bits) }
      ?? CyclicChecksum.catalogue[bits]?.first?.value
  }
}

/// The value of a function over many values, which come one after the other.
package struct ExpressionTotal: Sendable {
  /// The most different values that `distinct` tells apart.
  package static let mostDistinct = 10_000
  /// The most bytes that `distinct` keeps of them.
  package static let mostDistinctBytes = 1_048_576

  package let function: ExpressionFunction
  private let checksum: CyclicChecksum?
  private var count = 0
  private var number = ExpressionNumber.zero
  private var register: UInt64
  private var different: Set<String> = []
  private var differentBytes = 0

  /// A total of no values yet.
  ///
  /// - Parameters:
  ///   - function: A function of which ``ExpressionFunction/isTotal`` is true.
  ///   - checksum: The name of a CRC; nil for the usual one.
  package init(_ function: ExpressionFunction, checksum name: String? = nil) {
    self.function = function
    checksum = function.checksum(name)
    register = checksum?.initial ?? 0
  }

  /// Adds a value.
  ///
  /// - Parameter shown: The words for the value in failures.
  package mutating func add(
    _ value: DecodedValue, shown: @autoclosure () -> String
  ) throws(ExpressionFailure) {
    switch function {
    case .distinct:
      let (isNew, key) = different.insert(value.exactText)
      if isNew { differentBytes += key.utf8.count }
      guard different.count <= Self.mostDistinct else {
        throw .invalid("'\(shown())' has more than \(Self.mostDistinct) different values")
      }
      guard differentBytes <= Self.mostDistinctBytes else {
        throw .invalid(
          "the different values of '\(shown())' have more than \(Self.mostDistinctBytes) bytes"
        )
      }
    case .sum8, .xor8, .crc8, .crc16, .crc32:
      for octet in try Self.octets(value, shown: shown()) { add(octet) }
    case .len, .abs, .round, .min, .max, .sum, .mean, .hex:
      guard let next = ExpressionNumber(value) else {
        throw .invalid(ExpressionFailure.notNumber(value, shown()))
      }
      try add(next, shown())
    }
    count += 1
  }

  private mutating func add(_ octet: UInt8) {
    if let checksum {
      register = checksum.continued(register, octet)
    } else {
      register = function == .xor8 ? register ^ UInt64(octet) : (register + UInt64(octet)) & 0xff
    }
  }

  private mutating func add(
    _ next: ExpressionNumber, _ shown: @autoclosure () -> String
  ) throws(ExpressionFailure) {
    if function == .min || function == .max {
      let relation = function == .min ? ExpressionOperator.less : .more
      if count == 0 || ExpressionNumber.holds(next, relation, number) { number = next }
    } else if let sum = ExpressionNumber.sum(number, next) {
      number = sum
    } else {
      throw .invalid("the sum of '\(shown())' has more than 128 bits")
    }
  }

  /// The bytes of a value: those of bytes, of a text, and of a list of them or of numbers.
  private static func octets(
    _ value: DecodedValue, shown: @autoclosure () -> String
  ) throws(ExpressionFailure) -> [UInt8] {
    switch value.only {
    case .octets(let octets): return octets
    case .text(let text): return Array(text.utf8)
    case .list(let values):
      var all: [UInt8] = []
      for value in values {
        if case .integer(let number) = value, let octet = UInt8(exactly: number) {
          all.append(octet)
        } else {
          all += try octets(value, shown: shown())
        }
      }
      return all
    case .integer, .real, .boolean, .fields: throw .invalid("'\(shown())' has no bytes")
    }
  }

  /// The value.
  ///
  /// - Throws: A failure where there is none: no values have a mean.
  package func value(
    shown: @autoclosure () -> String
  ) throws(ExpressionFailure) -> DecodedValue {
    switch function {
    case .distinct: return .integer(Int128(different.count))
    case .sum8, .xor8: return .integer(Int128(register))
    case .crc8, .crc16, .crc32:
      return .integer(Int128(checksum?.finished(register) ?? register))
    case .len: return .integer(Int128(count))
    case .sum: return number.value
    case .mean:
      guard let mean = ExpressionNumber.quotient(number, ExpressionNumber(whole: Int128(count)))
      else {
        throw .invalid("'\(shown())' has no values")
      }
      return mean.value
    case .min, .max, .abs, .round, .hex:
      guard count > 0 else { throw .invalid("'\(shown())' has no values") }
      return number.value
    }
  }
}

extension DecodedValue {
  /// A text that only equal values have: with all digits of a number, and the type of others.
  fileprivate var exactText: String {
    switch self {
    case .integer(let number): "\(number)"
    case .real(let number, _): Int128(exactly: number).map { "\($0)" } ?? "r\(number.bitPattern)"
    case .boolean(let truth): truth ? "yes" : "no"
    case .text(let text): "t\(text.utf8.count):\(text)"
    case .octets(let octets): "x\(DecodedValue.octets(octets))"
    case .list(let values): "[\(values.map(\.exactText).joined(separator: ","))]"
    case .fields(let fields):
      "{\(fields.map { "\($0.name.utf8.count):\($0.name)=\($0.value.exactText)" }.joined(separator: ","))}"
    }
  }
}

extension ExpressionFailure {
  static func notNumber(_ value: DecodedValue, _ shown: String) -> String {
    switch value.only {
    case .fields: "'\(shown)' has several fields: name one of them"
    case .integer, .real, .text, .boolean, .octets, .list: "'\(shown)' is \(value), not a number"
    }
  }
}
