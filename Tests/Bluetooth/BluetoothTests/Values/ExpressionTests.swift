// Calculations and conditions: their grammar, their results and their mistakes.

import Testing

@testable import Bluetooth

@Suite("Expressions")
struct ExpressionTests {
  static let values: [String: DecodedValue] = [
    "percent": .integer(20), "celsius": .real(21.5, decimals: 1), "flags": .integer(0x95),
    "low-battery": .boolean(true), "state": .text("idle"), "moisture": .text("unknown"),
    "data": .octets([1, 2, 3, 0xff]), "big": .integer(Int128(UInt64.max)),
    "record": .fields([.init("sequence", .integer(7)), .init("tamper", .boolean(false))]),
    "record.tamper": .boolean(false), "record.flags.tamper": .boolean(true),
    "wrapped": .fields([.init("percent", .integer(20), unit: "%")]),
    "log.values": .list([
      .fields([.init("sequence", .integer(7)), .init("gain", .real(0.1, decimals: 1))]),
      .fields([.init("sequence", .integer(9)), .init("gain", .real(0.2, decimals: 1))]),
    ]),
    "gains": .list([.real(0.1, decimals: 1), .real(0.2, decimals: 1), .real(0.1, decimals: 1)]),
    "none": .list([]), "a": .integer(5), "b": .integer(2),
  ]

  private func result(_ text: String) throws -> DecodedValue {
    try Expression(parsing: text).value { Self.values[$0.text] }
  }

  @Test(
    "operators bind in their order, and those of one level from the left",
    arguments: [
      ("1 + 2 * 3", "7"), ("(1 + 2) * 3", "9"), ("10 - 4 - 3", "3"), ("-a * b", "-10"),
      ("~0 & 0xff", "255"), ("1 << 4 + 1", "32"), ("flags & 4 = 4", "yes"),
      ("flags & 0x0f | 0x30", "53"), ("1 | 6 ^ 3 & 2", "5"), ("7 // 2", "3"), ("-7 // 2", "-3"),
      ("-7 % 3", "-1"), ("0b101 << 2", "20"), ("not a = 5 or b = 2", "yes"),
      ("not (a = 5 or b = 2)", "no"), ("a > 1 and not b > 2", "yes"), ("a - -b", "7"),
      ("a != 5", "no"), ("a >= 5", "yes"), ("a <= 4", "no"), ("a < b", "no"), ("- - a", "5"),
      ("big + 1", "18446744073709551616"), ("low-battery", "yes"), ("true = 1", "yes"),
    ]
  )
  func operators(text: String, shown: String) throws {
    #expect("\(try result(text))" == shown)
  }

  @Test(
    "decimals are exact, and a result that is whole is a whole number",
    arguments: [
      ("0.1 + 0.2 = 0.3", .boolean(true)), ("0.1 + 0.2", .real(0.3, decimals: 1)),
      ("celsius * 2", .integer(43)), ("celsius + 1", .real(22.5, decimals: 1)),
      ("7 / 2", .real(3.5, decimals: 1)), ("6 / 2", .integer(3)),
      ("1 / 3 * 3 = 1", .boolean(true)), ("celsius * 10 // 1 & 0xff", .integer(215)),
      ("2.5 // 1", .integer(2)), ("round(2.5)", .integer(3)), ("round(-2.5)", .integer(-3)),
      ("round(2.449, 1)", .real(2.4, decimals: 1)), ("abs(-0.5)", .real(0.5, decimals: 1)),
      ("big - 1", .integer(Int128(UInt64.max) - 1)), ("celsius = 21.5", .boolean(true)),
    ] as [(String, DecodedValue)]
  )
  func decimals(text: String, value: DecodedValue) throws {
    #expect(try result(text) == value)
  }

  @Test("a number with more than 128 bits, or with an exponent, is printed")
  func largeNumbers() throws {
    let digits = "1" + String(repeating: "0", count: 40)
    #expect("\(try result(digits))" == "1e+40")
    #expect(DecodedValue(number: "1e5").map { "\($0)" } == "100000")
    #expect("\(DecodedValue.real(2, decimals: -1))" == "2")
  }

  @Test(
    "values of a kind are compared, and a text in place of a number is in no order",
    arguments: [
      ("state = \"idle\"", true), ("state = 'busy'", false), ("data = '01 02:03-FF'", true),
      ("data != \"010203\"", true), ("moisture < 5", false), ("moisture > 5", false),
      ("moisture = 5", false), ("moisture != 5", true), ("moisture = 'unknown'", true),
      ("wrapped > 19", true), ("record.tamper = no", true), ("record.flags.tamper", true),
      ("low-battery = true", true), ("gains = gains", true),
    ]
  )
  func comparisons(text: String, holds: Bool) throws {
    #expect(try Expression(parsing: text).holds { Self.values[$0.text] } == holds)
  }

  @Test(
    "functions and parts of bytes and lists",
    arguments: [
      ("len(data)", "4"), ("len(state)", "4"), ("len(gains)", "3"), ("min(a, b, 3)", "2"),
      ("max(gains)", "0.2"), ("sum(gains)", "0.4"), ("sum(none)", "0"),
      ("mean(gains) < 0.14", "yes"),
      ("distinct(gains)", "2"), ("sum8(data)", "5"), ("xor8(data)", "255"), ("hex(255)", "ff"),
      ("hex(7)", "07"), ("hex(data[1:3])", "0203"), ("data[0]", "1"), ("data[-1]", "255"),
      ("data[:2]", "0102"), ("data[-2:]", "03ff"), ("gains[1]", "0.2"), ("data[b - 1]", "2"),
      ("sum(log.values[0:2].sequence)", "16"),
      ("log.values[1].sequence - log.values[0].sequence", "2"),
      ("crc32('123456789') = 0xcbf43926", "yes"), ("crc16('123456789', 'modbus') = 0x4b37", "yes"),
      ("crc8('123456789') = 0xf4", "yes"), ("crc8('123456789', \"maxim\") = 0xa1", "yes"),
    ]
  )
  func functions(text: String, shown: String) throws {
    #expect("\(try result(text))" == shown)
  }

  @Test("distinct tells values apart that are printed alike")
  func distinct() throws {
    func count(_ values: [DecodedValue]) throws -> DecodedValue {
      var total = ExpressionTotal(.distinct)
      for value in values { try total.add(value, shown: "x") }
      return try total.value(shown: "x")
    }
    let small = DecodedValue.real(0.0001, decimals: 3)
    #expect(try count([small, .real(0.0002, decimals: 3), small]) == .integer(2))
    #expect(
      try count([.integer(5), .text("5"), .octets([5]), .real(5, decimals: 2)]) == .integer(3))
    #expect(try count([.boolean(true), .text("yes"), .octets([0xab]), .text("ab")]) == .integer(4))
    let lists: [DecodedValue] = [.list([.text("a, b")]), .list([.text("a"), .text("b")])]
    #expect(try count(lists) == .integer(2))
    let nan = DecodedValue.real(.nan, decimals: 3)
    #expect(try count([nan, nan]) == .integer(1))
  }

  @Test("distinct keeps at most a mebibyte of different values, and says so")
  func distinctBytes() throws {
    var total = ExpressionTotal(.distinct)
    let long = [UInt8](repeating: 0, count: 300_000)
    try total.add(.octets(long), shown: "x")
    try total.add(.octets(long), shown: "x")
    #expect(
      throws: ExpressionFailure.invalid("the different values of 'x' have more than 1048576 bytes")
    ) {
      try total.add(.octets([1] + long), shown: "x")
    }
  }

  @Test("it mentions each name once, with its first place")
  func names() throws {
    let expression = try Expression(parsing: "len(log.data) > a and a < 3")
    #expect(expression.names.map(\.text) == ["log.data", "a"])
    #expect(expression.names.map(\.offset) == [4, 16])
    #expect(expression.names.map(\.index) == [0, 1])
  }

  @Test(
    "what stands behind a condition that is decided is not evaluated",
    arguments: [("a = 5 or missing = 1", true), ("a = 1 and missing = 1", false)]
  )
  func shortCircuit(text: String, holds: Bool) throws {
    #expect(try Expression(parsing: text).holds { Self.values[$0.text] } == holds)
  }

  @Test(
    "a mistake has its place, and says what was probably meant",
    arguments: [
      ("data[-:3]", 6, "unexpected ':' (expected a number after the minus)"),
      ("data[1:-]", 8, "unexpected ']' (expected a number after the minus)"),
      ("0.1234567890123456 > a", 0, "'0.1234567890123456' has more than 15 digits"),
      ("", 0, "unexpected end (expected a number or a name)"),
      ("a +", 3, "unexpected end (expected a number or a name)"),
      ("a + * b", 4, "unexpected '*' (expected a number or a name)"),
      ("1 2", 2, "unexpected '2' (expected an operator such as + or =)"),
      ("(a", 2, "unexpected end (expected ')')"),
      ("a == 1", 2, "unknown operator '==' (did you mean '='?)"),
      ("a && b", 2, "unknown operator '&&' (did you mean 'and'?)"),
      ("!a", 0, "unknown operator '!' (did you mean 'not'?)"),
      ("1 < a < 9", 6, "comparisons cannot be chained (expected two, such as a > 1 and a < 9)"),
      ("a ? b", 2, "a calculation has no '?' (expected numbers, names and + - * / % ( ))"),
      ("$a + 1", 0, "'$a': names have no $ here (did you mean 'a'?)"),
      ("1 + crc23(a)", 4, "unknown function 'crc23' (did you mean 'crc32'?)"),
      ("crc16(a)", 0, "'crc16' has 1 value (expected crc16(bytes, \"modbus\"))"),
      ("crc16(a, 'modbuss')", 9, "unknown CRC-16 'modbuss' (did you mean 'modbus'?)"),
      ("12ab", 0, "'12ab' is not a number (expected a number such as 12, 0x0c or 1.5)"),
      ("a = 'x", 4, "the text has no closing '"),
      ("a[1", 3, "unexpected end (expected ']')"),
    ]
  )
  func mistakes(text: String, offset: Int, message: String) {
    do throws(ExpressionProblem) {
      let expression = try Expression(parsing: text)
      Issue.record("\(expression) was parsed")
    } catch {
      #expect(error.offset == offset)
      #expect("\(error)" == message)
    }
  }

  @Test("length and nesting are limited")
  func limits() throws {
    let deep = String(repeating: "(", count: 16) + "1" + String(repeating: ")", count: 16)
    #expect(try result(deep) == .integer(1))
    #expect(throws: ExpressionProblem.self) { try Expression(parsing: "(\(deep))") }
    let long = String(repeating: "1+", count: 127) + "1"
    #expect(try result(long) == .integer(128))
    #expect(throws: ExpressionProblem.self) { try Expression(parsing: long + " +1") }
  }

  @Test(
    "an expression without a result says why",
    arguments: [
      ("missing + 1", "'missing' has no value"),
      ("moisture + 1", "'moisture' is unknown, not a number"),
      ("a / (b - 2)", "'a / (b - 2)' is a division by 0"), ("a % 0", "'a % 0' is a division by 0"),
      ("celsius & 1", "'celsius' is 21.5, not a whole number"),
      ("1 << 127", "'1 << 127' has more than 128 bits"), ("1 << -1", "'1 << -1' shifts by -1 bits"),
      ("big * big * big", "'big * big' has more than 128 bits"),
      ("record + 1", "'record' has several fields: name one of them"),
      ("data[4]", "'data' has no value 4: there are only 4"),
      ("data[2:5]", "'data[2:5]': there are only 4"),
      ("min(none)", "'none' has no values"), ("not a", "'a' is 5, neither true nor false"),
      ("log.values[0].x", "'log.values[0].x' has no value"),
    ]
  )
  func failures(text: String, why: String) throws {
    let expression = try Expression(parsing: text)
    do throws(ExpressionFailure) {
      let value = try expression.value { Self.values[$0.text] }
      Issue.record("\(text) is \(value)")
    } catch {
      #expect("\(error)" == why)
    }
  }

  // MARK: Kinds

  private static let kinds: [String: Expression.Kind] = [
    "percent": .number, "moisture": .number(orText: true), "name": .text, "data": .octets,
    "state": .choice(["idle", "measuring"]), "tamper": .boolean, "at": .time,
    "gains": .list(.number), "texts": .list(.text),
  ]

  @Test(
    "a value is refused where its kind has no meaning, before there is a value",
    arguments: [
      ("name + 1", 0, "'name' is a text (expected a number)"),
      ("1 + data * 2", 4, "'data' is bytes (expected a number)"),
      ("name < 3", 0, "'name' is a text (expected a number)"),
      (
        "percent = 'x'", 0,
        "'percent' is a number, and 'x' is a text (expected two values of one kind)"
      ),
      ("state = 'idel'", 8, "unknown name 'idel' (did you mean 'idle'?)"),
      ("percent", 0, "'percent' is a number (expected a comparison such as percent != 0)"),
      (
        "tamper and percent & 4", 11,
        "'percent & 4' is a number (expected a comparison such as percent & 4 != 0)"
      ),
      ("sum(percent) > 1", 4, "'percent' is a number (expected a list)"),
      ("sum(texts) > 1", 4, "'texts' is a text (expected numbers)"),
      ("len(percent) > 1", 4, "'percent' is a number (expected bytes, a text or a list)"),
      ("crc32(percent) > 1", 6, "'percent' is a number (expected bytes)"),
      ("percent[0] = 1", 0, "'percent' is a number (expected bytes or a list)"),
    ]
  )
  func wrongKinds(text: String, offset: Int, message: String) throws {
    let expression = try Expression(parsing: text)
    let problems = expression.problems(isCondition: true) { Self.kinds[$0.text] }
    #expect(problems.map(\.description) == [message])
    #expect(problems.map(\.offset) == [offset])
  }

  @Test(
    "values of the right kind, or of an unknown one, are no mistake",
    arguments: [
      "percent * 2 >= 40", "moisture = 'unknown'", "moisture + 1 > 2", "state = 'idle'",
      "tamper = 0", "not tamper", "data = '01ff'", "at > '2026-01-01 00:00:00'", "other + 1 = 2",
      "other", "sum(gains) > 1", "data[0] = 1", "len(name) > 2", "hex(data[0:2]) = 'ff'",
      "tamper + percent > 2", "other.field = 'x'",
    ]
  )
  func rightKinds(text: String) throws {
    let expression = try Expression(parsing: text)
    #expect(expression.problems(isCondition: true) { Self.kinds[$0.text] } == [])
  }

  @Test(
    "an unknown name is refused with what was probably meant",
    arguments: [
      ("flag.tamper = 0", "unknown name 'flag.tamper' (did you mean 'flags.tamper'?)"),
      ("a-1 = 0", "unknown name 'a-1' (expected a - 1 for a difference)"),
      ("zzzzzz = 0", "unknown name 'zzzzzz' (expected one of flags.tamper, a)"),
    ]
  )
  func unknownNames(text: String, message: String) throws {
    let problems = try Expression(parsing: text).unknownNames(among: ["flags.tamper", "a"])
    #expect(problems.map(\.description) == [message])
  }

  // MARK: Variables

  private func limited(_ text: String) throws -> DecodedValue {
    try Expression(parsing: text, .variables).value { name in
      ["a": .integer(5), "last": .integer(10), "image.count": .integer(4)][name.text]
    }
  }

  @Test(
    "with variables numbers are whole and limited, and nothing fails",
    arguments: [
      ("$a/2", 2), ("-$a / 2", -2), ("$a // 2", 2), ("$a / 0", 0), ("$a % 0", 0), ("$unknown", 0),
      ("$a-1", 4), ("$last-$a", 5), ("$image.count-1", 3), ("$image.count*10", 40),
      ("9223372036854775807 + 1", .max), ("9223372036854775807 * 2 / 2", 4_611_686_018_427_387_903),
      ("9223372036854775807 + 1 - 1", .max), ("-9223372036854775807 - 9", .min),
      ("1 << 200", .max), ("1 << 62", 1 << 62), ("$a > 3", 1), ("($a + 1) * 2", 12),
      ("$a & 0x04 | 2", 6), ("min($a, $last)", 5), ("crc8($a)", 0),
    ] as [(String, Int64)]
  )
  func variables(text: String, result: Int64) throws {
    let value = try limited(text)
    #expect(value == .integer(Int128(result)) || value == .boolean(result != 0))
  }

  @Test(
    "with variables a name has a $, and a number no decimals",
    arguments: [
      ("a + 1", "'a': names have a $ here (did you mean '$a'?)"), ("$ + 1", "'$' has no name"),
      ("$a-b", "'b': names have a $ here (did you mean '$b'?)"),
      ("1.5", "'1.5' is not whole (expected whole numbers)"),
      ("9223372036854775808", "9223372036854775808 has more than 64 bits"),
    ]
  )
  func wrongVariables(text: String, message: String) {
    #expect(throws: ExpressionProblem.self) { try Expression(parsing: text, .variables) }
    do throws(ExpressionProblem) {
      _ = try Expression(parsing: text, .variables)
    } catch {
      #expect("\(error)" == message)
    }
  }

  // MARK: Inversion

  @Test("a conjunction of flags and constants says what has to be set")
  func requirements() throws {
    let needed = try Expression(parsing: "a and not b.c and 3 = d").requirements
    #expect(needed?.map(\.name.text) == ["a", "b.c", "d"])
    #expect(needed?.map(\.value) == [.boolean(true), .boolean(false), .integer(3)])
    #expect(try Expression(parsing: "a or b").requirements == nil)
    #expect(try Expression(parsing: "a > 3").requirements == nil)
  }

  @Test(
    "a name with a number added says both",
    arguments: [("n", 0), ("n - 4", -4), ("n + 1", 1)]
  )
  func displaced(text: String, by: Int) throws {
    let displaced = try #require(try Expression(parsing: text).displaced)
    #expect(displaced.name.text == "n")
    #expect(displaced.by == Int128(by))
    #expect(try Expression(parsing: "n * 2").displaced == nil)
  }
}

@Suite("CRCs")
struct CyclicChecksumTests {
  /// The checksums of "123456789" in the catalogue.
  static let checks: [Int: [String: UInt64]] = [
    8: [
      "smbus": 0xf4, "autosar": 0xdf, "bluetooth": 0x26, "cdma2000": 0xda, "darc": 0x15,
      "dvb-s2": 0xbc, "i-432-1": 0xa1, "maxim": 0xa1, "nrsc-5": 0xf7, "rohc": 0xd0,
      "sae-j1850": 0x4b, "wcdma": 0x25,
    ],
    16: [
      "arc": 0xbb3d, "modbus": 0x4b37, "ibm-3740": 0x29b1, "ccitt-false": 0x29b1, "xmodem": 0x31c3,
      "kermit": 0x2189, "ibm-sdlc": 0x906e, "x-25": 0x906e, "mcrf4xx": 0x6f91,
      "spi-fujitsu": 0xe5cc, "genibus": 0xd64e, "usb": 0xb4c8, "maxim": 0x44c2, "umts": 0xfee8,
      "dnp": 0xea82, "en-13757": 0xc2b7, "cdma2000": 0x4c06, "t10-dif": 0xd0db,
    ],
    32: [
      "iso-hdlc": 0xcbf4_3926, "autosar": 0x1697_d06a, "bzip2": 0xfc89_1918, "cksum": 0x765e_7680,
      "iscsi": 0xe306_9283, "jamcrc": 0x340b_c6d9, "mpeg-2": 0x0376_e6e7, "xfer": 0xbd0b_e338,
    ],
  ]

  @Test("each CRC has the check value of the catalogue", arguments: [8, 16, 32])
  func catalogue(bits: Int) {
    let found = CyclicChecksum.names(bits: bits).map { name in
      (name, CyclicChecksum.named(name, bits: bits)?.value(of: Array("123456789".utf8)))
    }
    #expect(Dictionary(found) { $1 } == Self.checks[bits]?.mapValues { $0 })
  }

  @Test("a checksum is continued from its value")
  func continued() {
    let crc = CyclicChecksum.crc32
    let half = crc.value(of: Array("1234".utf8))
    let whole = Array("56789".utf8).reduce(crc.register(of: half), crc.continued)
    #expect(crc.finished(whole) == 0xcbf4_3926)
  }
}
