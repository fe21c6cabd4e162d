// Descriptions of values: what they decode, what they encode, and which mistakes are found.

import Testing

@testable import Bluetooth

/// A node of a description, written in Swift.
extension DescriptionNode: ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  init(stringLiteral text: String) { self.init(.scalar(text, isPlain: true)) }
  init(arrayLiteral nodes: DescriptionNode...) { self.init(.sequence(nodes)) }
  init(dictionaryLiteral entries: (String, DescriptionNode)...) {
    self.init(.mapping(entries.map { Entry($0.0, $0.1) }))
  }
}

/// The descriptions in `entries`, and their mistakes: the path and the message.
private func read(
  _ entries: [(String, DescriptionNode)]
) -> (names: AttributeNames, problems: [String]) {
  var problems: [String] = []
  let names = AttributeNames.read(
    entries.map { (name: $0.0, value: $0.1, place: "") }, over: .assigned
  ) { _, problem in
    switch problem {
    case .uuid(let expected): problems.append("expected \(expected)")
    case .name(let message, _), .shadow(let message): problems.append(message)
    case .description(let problem):
      let aside = problem.nearest.map { " (did you mean '\($0)'?)" } ?? ""
      problems.append("\(problem.path.joined(separator: ".")): \(problem.message)\(aside)")
    }
  }
  return (names, problems)
}

/// The description of a record with these fields.
private func record(_ fields: DescriptionNode...) throws -> ValueDescription {
  let (names, problems) = read([("record", ["fields": DescriptionNode(.sequence(fields))])])
  try #require(problems.isEmpty, "\(problems)")
  return try #require(names.descriptions.first)
}

private func octets(_ hex: String) throws -> [UInt8] {
  try #require(try ValueFormat("hex")?.encode(hex))
}

@Suite("Descriptions of values")
struct DescriptionTests {
  static let soil: [DescriptionNode] = [
    ["sequence": "u16"], ["time": "u32", "unit": "s"],
    ["moisture": "u16", "scale": "0.01", "unit": "%", "unknown": "0xffff"],
    [
      "flags": "u8", "bits": ["low-battery": "0", "tamper": "1", "state": "4..5"],
      "names": ["state": ["0": "idle", "1": "measuring"]],
    ],
    ["temperature": "i16be", "scale": "0.1", "unit": "°C", "when": "flags.tamper = 0"],
    ["rest": "bytes"],
  ]

  private func soil() throws -> ValueDescription {
    let (names, problems) = read([("record", ["fields": DescriptionNode(.sequence(Self.soil))])])
    try #require(problems.isEmpty, "\(problems)")
    return try #require(names.descriptions.first)
  }

  @Test("numbers, units, names, bits and conditions decode as they are described")
  func decodes() throws {
    let description = try soil()
    let whole = try description.decode(try octets("0700 3c000000 a00f 11 00d7 ff"))
    #expect(
      "\(whole)"
        == "sequence 7, 60 s, moisture 40.00 %, flags low-battery yes, tamper no, state measuring, "
        + "21.5 °C, rest ff"
    )
    let tampered = try description.decode(try octets("0700 3c000000 ffff 32"))
    #expect(tampered["moisture"] == .text("unknown"))
    #expect(tampered["temperature"] == nil)
    #expect(tampered["flags"]?["state"] == .text("reserved (3)"))
    #expect(
      description.fieldNames == [
        "sequence", "time", "moisture", "flags", "flags.low-battery", "flags.tamper",
        "flags.state", "temperature", "rest",
      ]
    )
  }

  @Test(
    "fields encode to the bytes that decode to them, and flags follow from the fields that are given"
  )
  func encodes() throws {
    let description = try soil()
    let given = DecodedValue.fields([
      .init("sequence", .text("7")), .init("time", .integer(60)),
      .init("moisture", .text("unknown")),
      .init("flags", .fields([.init("state", .text("measuring"))])),
      .init("temperature", .text("21.54")), .init("rest", .text("0a 0b")),
    ])
    #expect(try description.encode(given) == (try octets("0700 3c000000 ffff 10 00d7 0a0b")))
    let without = DecodedValue.fields([
      .init("sequence", .integer(1)), .init("time", .integer(2)), .init("moisture", .integer(3)),
      .init("flags", .fields([.init("state", .text("idle"))])), .init("rest", .octets([])),
    ])
    // The temperature is left out, so that the flag that excludes it is set.
    #expect(try description.encode(without) == (try octets("0100 02000000 2c01 02")))
  }

  @Test(
    "what cannot be sent is refused with its field",
    arguments: [
      (
        "mode", "bost",
        "mode: unknown name 'bost' (did you mean 'boost'?); names of mode: off, eco, boost"
      ),
      ("level", "101", "level: 101 is not in 0 to 100"),
      ("level", "x", "level: 'x' is not a number"),
      ("levle", "1", "levle: unknown field of record (did you mean 'level'?)"),
    ]
  )
  func refused(name: String, text: String, message: String) throws {
    let description = try record(
      ["mode": "u8", "names": ["0": "off", "1": "eco", "2": "boost"]], ["level": "u8", "unit": "%"]
    )
    var fields: [DecodedValue.Field] = [.init("mode", .text("eco")), .init("level", .text("50"))]
    fields.removeAll { $0.name == name }
    do throws(ValueError) {
      let octets = try description.encode(.fields(fields + [.init(name, .text(text))]))
      Issue.record("it became \(octets)")
    } catch {
      #expect("\(error.field): \(error.problem)" == message)
    }
  }

  @Test(
    "every format of numbers decodes and encodes back",
    arguments: [
      ("u8", "ff", "255"), ("u16be", "0102", "258"), ("u24", "010203", "197121"),
      ("u40", "0100000001", "4294967297"), ("u48be", "000000000102", "258"),
      ("u56", "01000000000080", "36028797018963969"),
      ("u64", "ffffffffffffffff", "18446744073709551615"), ("i8", "80", "-128"),
      ("i24be", "fffffe", "-2"), ("i64", "feffffffffffffff", "-2"), ("f16", "003c", "1.000"),
      ("f16be", "c000", "-2.000"), ("f32", "0000c841", "25.000"),
      ("f64be", "4039000000000000", "25.000000"),
      ("medfloat16", "6ef1", "36.6"), ("bool", "01", "yes"),
      ("address", "0102030405c6", "C6:05:04:03:02:01"),
      ("datetime", "ea07010203040a", "2026-01-02 03:04:10"), ("utf8", "6869", "hi"),
      ("bytes", "00ff", "00ff"),
    ]
  )
  func formats(name: String, hex: String, text: String) throws {
    let description = try record(["x": DescriptionNode(stringLiteral: name)])
    let bytes = try octets(hex)
    let value = try #require(try description.decode(bytes)["x"])
    #expect("\(value)" == text)
    #expect(try description.encode(.fields([.init("x", value)])) == bytes)
    #expect(try description.encode(.fields([.init("x", .text(text))])) == bytes)
  }

  @Test("every number of a scale and an offset decodes exactly and encodes back")
  func scales() throws {
    let description = try record(["x": "u16", "scale": "0.1", "offset": "-273.1"])
    #expect(try description.decode([0x76, 0x0b])["x"] == .real(20.3, decimals: 1))
    for number in stride(from: 0, through: 65535, by: 251) {
      let bytes = [UInt8(number & 0xff), UInt8(number >> 8)]
      #expect(try description.encode(try description.decode(bytes)) == bytes)
    }
    let whole = try record(["x": "u8", "scale": "-2", "offset": "10"])
    #expect(try whole.decode([7])["x"] == .integer(-4))
    #expect(try whole.encode(.fields([.init("x", .integer(-4))])) == [7])
  }

  @Test(
    "lengths, numbers of values and checksums are found when they are left out, and checked when read"
  )
  func computed() throws {
    let description = try record(
      ["is": "a5"], ["total": "u8", "is": "len(record)"], ["size": "u8"], ["number": "u8"],
      ["text": "utf8", "size": "size - 1"], ["numbers": "u16be", "repeat": "number"],
      ["sum": "u8", "checksum": ["sum": "8", "negate": "true"], "over": ["size", "numbers"]]
    )
    let given = DecodedValue.fields([
      .init("text", .text("hi")), .init("numbers", .list([.integer(1), .integer(2)])),
    ])
    // The sum of 03 02 68 69 00 01 00 02 is d9.
    let bytes = try octets("a5 0b 03 02 68 69 0001 0002 27")
    #expect(try description.encode(given) == bytes)
    #expect("\(try description.decode(bytes))" == "size 3, number 2, text hi, numbers 1, 2")
    var wrong = bytes
    wrong[10] = 0x28
    #expect(
      throws: ValueError(
        field: "sum", octet: 10, problem: "expected 27, found 28", isOutOfRange: true
      )
    ) { try description.decode(wrong) }
    wrong = bytes
    wrong[1] = 9
    #expect(
      throws: ValueError(
        field: "total", octet: 1, problem: "expected 11, found 9", isOutOfRange: true
      )
    ) { try description.decode(wrong) }
  }

  @Test("a choice takes the fields of its case, by number or by name")
  func choice() throws {
    let description = try record(
      ["command": "u8", "names": ["1": "power", "5": "colour"]],
      [
        "switch": "command",
        "cases": [
          "power": [["power": "bool"]], "colour": [["red": "u8"], ["green": "u8"]],
          "7..9": [["number": "u16"]],
        ],
      ],
      ["pad-to": "4"], ["check": "u8", "checksum": "xor8"]
    )
    #expect("\(try description.decode([5, 1, 2, 0, 6]))" == "command colour, red 1, green 2")
    let power = DecodedValue.fields([
      .init("command", .text("power")), .init("power", .text("yes")),
    ])
    #expect(try description.encode(power) == [1, 1, 0, 0, 0])
    #expect(try description.decode([8, 1, 2, 0, 11])["number"] == .integer(513))
    #expect(
      throws: ValueError(field: "command", octet: 1, problem: "no case for 6", isOutOfRange: true)
    ) {
      try description.decode([6, 0, 0, 0, 6])
    }
    let mixed = DecodedValue.fields([.init("command", .text("power")), .init("red", .integer(1))])
    #expect(throws: ValueError.self) { try description.encode(mixed) }
  }

  @Test(
    "groups, lists and named formats nest; what is left in a group of a fixed size is its 'further'"
  )
  func nested() throws {
    let (names, problems) = read([
      (
        "outer",
        [
          "fields": [
            ["points": [["x": "i8"], ["y": "i8"]], "repeat": "u8"], ["inner": "part", "size": "3"],
            ["tail": "u8", "optional": "true"],
          ]
        ]
      ),
      ("part", ["fields": [["a": "u8"], ["b": "u8", "when": "a > 1"]]]),
    ])
    try #require(problems.isEmpty, "\(problems)")
    let description = try #require(names.descriptions.first)
    let value = try description.decode([2, 1, 0xff, 2, 3, 1, 9, 9])
    #expect(
      value
        == .fields([
          .init(
            "points",
            .list([
              .fields([.init("x", .integer(1)), .init("y", .integer(-1))]),
              .fields([.init("x", .integer(2)), .init("y", .integer(3))]),
            ])
          ),
          .init("inner", .fields([.init("a", .integer(1)), .init("further", .octets([9, 9]))])),
        ])
    )
    #expect(try description.encode(value) == [2, 1, 0xff, 2, 3, 1, 9, 9])
    #expect(throws: ValueError.self) { try description.decode([2, 1, 0xff, 2]) }
  }

  @Test(
    "mistakes are found with their path, and the word that was meant",
    arguments: [
      (
        ["moisture u16"],
        "record.fields.0: expected a field such as { moisture: u16 }, found 'moisture u16'"
      ),
      ([["a": "uint16"]], "record.fields.0.a: unknown format 'uint16' (did you mean 'u16'?)"),
      (
        [["a": "u8", "bit": ["b": "0"]]],
        "record.fields.0.bit: unknown key 'bit' (did you mean 'bits'?)"
      ),
      (
        [["flags": "u8", "bits": ["tamper": "1"]], ["a": "u8", "when": "flag.tamper = 0"]],
        "record.fields.1.when: unknown field 'flag.tamper' (did you mean 'flags.tamper'?); fields before it: flags"
      ),
      (
        [["a": "u8", "bits": ["b": "4..8"]]],
        "record.fields.0.bits.b: bits 4..8 are not in u8, which has 0 to 7"
      ),
      (
        [["count": "u8"]],
        "record.fields.0.count: 'count' is what expect calls the number of values"
      ),
      (
        [["rest": "bytes"], ["crc": "u8"]],
        "record.fields.0.rest: takes all bytes to the end, but 'crc' follows"
      ),
      (
        [["a": "u16", "names": ["0x1ffff": "b"]]],
        "record.fields.0.names.0x1ffff: is not a number of u16 (0 to 65535)"
      ),
      (
        [["unit": "V", "voltage": "u16"]], "record.fields.0.unit: the name of the field comes first"
      ),
      ([["a": "u8"], ["a": "u8"]], "record.fields.1.a: duplicate field 'a'"),
      ([["a": "u8"], ["A": "u8"]], "record.fields.1.A: 'A' and 'a' differ only in case"),
      (
        [["a": "u8", "when": "a"]], "record.fields.0.when: unknown field 'a'; no field is before it"
      ),
      (
        [["a": "u8"], ["b": "u8", "when": "a"]],
        "record.fields.1.when: 'a' is neither true nor false"
      ),
      ([["a": "record"]], "record.fields.0.a: 'record' is part of itself: record, record"),
      (
        [["a": "u8", "checksum": "crc16/modbus"]],
        "record.fields.0.checksum: the checksum has 16 bits"
      ),
      (
        [["a": "u8", "checksum": "crc8/maxm"]],
        "record.fields.0.checksum: unknown checksum 'crc8/maxm' (did you mean 'crc8/maxim'?)"
      ),
      (
        [["a": "u8", "scale": "x"]],
        "record.fields.0.scale: expected a number such as 0.01 or 1/256, of at most 15 digits, found 'x'"
      ),
      ([["a": "utf8", "scale": "2"]], "record.fields.0.scale: 'scale' is not for utf8"),
      (
        [["a": "u8", "size": "2"]],
        "record.fields.0.size: 'size' is not for a number, which has its own"
      ),
    ] as [([DescriptionNode], String)]
  )
  func mistake(fields: [DescriptionNode], message: String) {
    let (_, problems) = read([("record", ["fields": DescriptionNode(.sequence(fields))])])
    #expect(problems == [message])
  }

  @Test("formats that name each other are limited in depth and in fields, in any order")
  func nestedFormats() {
    func chain(_ length: Int, each count: Int) -> [(String, DescriptionNode)] {
      (0..<length).map { index in
        let format = DescriptionNode(stringLiteral: index == 0 ? "u8" : "d\(index - 1)")
        let fields = (0..<count).map { DescriptionNode(.mapping([.init("x\($0)", format)])) }
        return ("d\(index)", ["fields": DescriptionNode(.sequence(fields))])
      }
    }
    #expect(read(chain(8, each: 1)).problems == [])
    let deep = ["d8.fields.0.x0: formats are nested deeper than 8 levels"]
    #expect(read(chain(9, each: 1)).problems == deep)
    #expect(read(chain(12, each: 1)).problems == deep)
    #expect(read(chain(3, each: 15)).problems == [])
    let large = ["d2.fields.15.x15: more than 4096 fields, with those of the named formats"]
    #expect(read(chain(3, each: 16)).problems == large)
    #expect(read(chain(3, each: 16).reversed()).problems == large)
  }

  @Test("examples are decoded, compared and encoded again")
  func examples() {
    func problems(_ example: DescriptionNode) -> [String] {
      read([("a", ["fields": [["x": "u16", "scale": "0.01"]], "examples": [example]])]).problems
    }
    #expect(problems(["hex": "a0 0f", "value": ["x": "40"]]) == [])
    #expect(
      problems(["hex": "a0 0f", "value": ["x": "41"]]) == [
        "a.examples.0: x: expected 41, decoded 40.00"
      ])
    #expect(
      problems(["hex": "a0", "value": ["x": "41"]]) == [
        "a.examples.0: x, byte 0: expected 2 bytes, found 1"
      ])
    #expect(problems(["hex": "a0", "error": "expected 2 bytes"]) == [])
    #expect(problems(["hex": "a0 0f", "error": "true"]).count == 1)
    #expect(
      problems(["hex": "a0 0f", "value": [:]]) == [
        "a.examples.0: the example is without x, which is 40.00"
      ])
  }

  @Test(
    "the number of an example is compared with all its digits; one of 32 bits with the digits of those",
    arguments: [
      ("u32", "01 00 00 01", "16777217", true), ("u32", "01 00 00 01", "16777216", false),
      ("u32", "01 00 00 01", "16777217.0", true), ("u32", "01 00 00 01", "16777217.5", false),
      ("u64", "ff ff ff ff ff ff ff ff", "18446744073709551615", true),
      ("u64", "ff ff ff ff ff ff ff ff", "18446744073709551614", false),
      ("f32", "cd cc cc 3d", "0.1", true), ("f32", "cd cc cc 3d", "0.10000000149", true),
      ("f32", "cd cc cc 3d", "0.1001", false),
      ("f64", "01 00 00 00 00 00 f0 3f", "1.0000000001", false),
    ] as [(DescriptionNode, DescriptionNode, DescriptionNode, Bool)]
  )
  func exampleDigits(
    format: DescriptionNode, hex: DescriptionNode, wanted: DescriptionNode, isSame: Bool
  ) {
    let example: DescriptionNode = ["hex": hex, "value": ["x": wanted]]
    let problems = read([("a", ["fields": [["x": format]], "examples": [example]])]).problems
    #expect(problems.isEmpty == isSame, "\(problems)")
  }

  @Test(
    "a description of an assigned UUID replaces its format; one without a UUID is a format by its name"
  )
  func lookUp() throws {
    let (names, problems) = read([
      ("my-weight", ["uuid": "2a80", "fields": [["grams": "u16"]]]),
      ("plain", ["format": "u16be", "scale": "0.5"]), ("soil", "ff01"),
    ])
    #expect(problems == [])
    let description = try #require(names.description(of: BluetoothUUID(short: 0x2a80)))
    #expect("\(try description.decode([1, 0]))" == "grams 1")
    #expect(try names.format("plain")?.decode([0, 3]) == .real(1.5, decimals: 1))
    #expect(try names.format("battery-level")?.decode([50])["percent"] == .integer(50))
    #expect(names.format("u16") == ValueFormat("u16"))
    #expect(names.format("unheard-of") == nil)
    #expect(names.entries.map(\.name) == ["my-weight", "soil"])
  }

  @Test("the power of ten and the sign of a number may be in other fields, or in its highest bit")
  func adjusted() throws {
    let description = try record(
      ["info": "u8", "bits": ["decimals": "0..2", "negative": "3"]],
      ["reading": "u16", "exponent": "-info.decimals", "negative": "info.negative"]
    )
    let value = try description.decode([0x0a, 0xd2, 0x04])
    #expect(value["reading"] == .real(-12.34, decimals: 2))
    #expect(try description.encode(value) == [0x0a, 0xd2, 0x04])
    #expect(try description.decode([0, 0xd2, 0x04])["reading"] == .integer(1234))
    let signed = try record(["x": "u16", "sign": "magnitude", "scale": "0.1"])
    #expect(try signed.decode([5, 0x80])["x"] == .real(-0.5, decimals: 1))
    #expect(try signed.encode(.fields([.init("x", .text("-0.5"))])) == [5, 0x80])
    #expect(try signed.encode(.fields([.init("x", .text("0.5"))])) == [5, 0])
  }

  @Test("numbers at the limits of what a description may say are errors, or exact")
  func extremes() throws {
    let fine = try record(
      ["x": "u8", "scale": "0.999999999999999", "offset": "0.00000000000001"]
    )
    #expect(abs((try fine.decode([1])["x"]?.number ?? 0) - 1) < 1e-9)
    let most = "170141183460469231731687303715884105727"
    let powered = try record(
      ["x": "u8", "exponent": DescriptionNode(stringLiteral: "-\(most) - 1")]
    )
    #expect(throws: ValueError.self) { try powered.decode([1]) }
    let sized = try record(
      ["n": "u8"], ["x": "bytes", "size": DescriptionNode(stringLiteral: "n - \(most)")]
    )
    #expect(throws: ValueError.self) {
      try sized.encode(.fields([.init("x", .octets([1, 2]))]))
    }
  }

  @Test("names of signed numbers, also of ranges around 0")
  func signedNames() throws {
    let description = try record(
      ["level": "i8", "names": ["-128": "off", "-2..2": "near", "3..127": "high"]]
    )
    let texts = try ([0x80, 0xfe, 0xff, 0, 2, 3, 0xfd] as [UInt8]).map { octet in
      "\(try description.decode([octet])["level"] ?? .text(""))"
    }
    #expect(texts == ["off", "near", "near", "near", "near", "high", "reserved (-3)"])
    let negative = DecodedValue.fields([.init("level", .text("reserved (-3)"))])
    #expect(try description.encode(negative) == [0xfd])
  }

  @Test("special numbers with a sign and a size are found by their bits, also those of -0")
  func magnitudes() throws {
    let description = try record(
      [
        "x": "i8", "sign": "magnitude", "unknown": "0x80",
        "special": ["0xff": "over", "-2": "two"],
      ]
    )
    let texts = try ([0x80, 0xff, 0x82, 0x81, 1, 0xfe] as [UInt8]).map { octet in
      "\(try description.decode([octet])["x"] ?? .text(""))"
    }
    #expect(texts == ["unknown", "over", "two", "-1", "1", "-126"])
    #expect(try description.encode(.fields([.init("x", .text("unknown"))])) == [0x80])
    #expect(try description.encode(.fields([.init("x", .text("over"))])) == [0xff])
    let plain = try record(["x": "i8", "sign": "magnitude"])
    #expect(try plain.decode([0x80])["x"] == .integer(0))
    #expect(throws: ValueError.self) { try plain.encode(.fields([.init("x", .integer(-128))])) }
  }

  @Test("a field at an offset is read before those that depend on it, and written to its place")
  func offsets() throws {
    let description = try record(
      ["decimals": "u8", "at": "4"], ["sign": "u8", "at": "5", "bits": ["negative": "1"]],
      [
        "weight": "u32", "at": "0", "unit": "g", "exponent": "-decimals",
        "negative": "sign.negative",
      ],
      ["pad-to": "6"], ["tail": "u8"]
    )
    let bytes: [UInt8] = [0x7b, 0, 0, 0, 1, 2, 9]
    let value = try description.decode(bytes)
    #expect("\(value)" == "decimals 1, sign negative yes, -12.3 g, tail 9")
    #expect(try description.encode(value) == bytes)
    #expect(throws: ValueError.self) { try description.decode([0x7b, 0, 0, 0]) }
    let last = try record(["b": "u8", "at": "2"], ["a": "u8", "at": "0"])
    #expect("\(try last.decode([1, 0, 3]))" == "b 3, a 1")
    #expect(
      try last.encode(.fields([.init("b", .integer(3)), .init("a", .integer(1))])) == [1, 0, 3])
  }

  @Test("the checksum of a group is over its own fields, wherever the group is written")
  func movedChecksum() throws {
    let sum: DescriptionNode = ["sum": "u8", "checksum": "sum8", "over": ["x", "y"]]
    let group: DescriptionNode = [["x": "u8"], ["y": "u8"], sum]
    let description = try record(["a": "u32"], ["g": group, "at": "0"])
    let value = try description.decode([1, 2, 3, 4])
    #expect(try description.encode(value) == [1, 2, 3, 4])
    let nested = try record(["a": "u32"], ["g": [["h": group]], "at": "1"])
    #expect(try nested.encode(try nested.decode([9, 1, 2, 3])) == [9, 1, 2, 3])
  }

  @Test("a computed field whose length depends on its value is refused")
  func computedLength() throws {
    let (names, problems) = read([
      ("inner", ["fields": [["n": "u8"], ["pad": "3", "when": "n = 5"]]]),
      ("outer", ["fields": [["x": "inner", "is": "5"]]]),
    ])
    #expect(problems == [])
    let outer = try #require(names.descriptions.first { $0.name == "outer" })
    #expect(throws: ValueError.self) { try outer.encode(.fields([])) }
  }

  @Test(
    "seconds from an instant are a date and time",
    arguments: [
      ("1970-01-01", "b9f09863", "2022-12-13 21:38:01"),
      ("1970-01-01", "00000000", "1970-01-01 00:00:00"),
      ("2000-01-01", "80510100", "2000-01-02 00:00:00"),
      ("1904-01-01", "00000000", "1904-01-01 00:00:00"),
      ("2000-01-01", "00774c00", "2000-02-28 00:00:00"),
    ]
  )
  func instants(epoch: String, hex: String, text: String) throws {
    let description = try record(
      ["time": "u32", "since": DescriptionNode(stringLiteral: epoch)]
    )
    let bytes = try octets(hex)
    #expect(try description.decode(bytes)["time"] == .text(text))
    #expect(try description.encode(.fields([.init("time", .text(text))])) == bytes)
  }

  @Test("advertised data is decoded by the first description that fits")
  func advertised() throws {
    let (names, problems) = read([
      (
        "scale",
        ["service-data": "181b", "fields": [["weight": "u16", "scale": "0.005", "unit": "kg"]]]
      ),
      ("first", ["manufacturer": "0x0702", "fields": [["is": "01"], ["level": "u8"]]]),
      ("second", ["manufacturer": "0x0702", "fields": [["is": "02"], ["other": "u8"]]]),
    ])
    #expect(problems == [])
    let seen = Advertisement(
      address: try #require(BluetoothAddress("C0:FF:EE:00:00:01")), addressType: .random,
      name: nil, alias: "Scale", rssi: -50, manufacturerData: [(company: 0x0702, data: [2, 7])],
      serviceData: [(service: BluetoothUUID(short: 0x181b), data: [0xec, 0x09])], adapter: "hci0"
    ).described(by: names)
    guard case .decoded(let format)? = seen.reading(of: BluetoothUUID(short: 0x181b)) else {
      Issue.record("the service data is not decoded")
      return
    }
    #expect("\(format)" == "scale 12.700 kg")
    #expect(seen.reading(ofCompany: 0x0702)?.description == "second other 7")
  }

  @Test(
    "no value of any bytes stops a decoder, and what decodes encodes to bytes that decode to the same"
  )
  func anyBytes() throws {
    let description = try soil()
    var state: UInt64 = 1
    for _ in 0..<2000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let count = Int(state >> 60)
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: state >> UInt64($0 * 4 % 57)) }
      guard let value = try? description.decode(bytes) else { continue }
      let again = try description.encode(value)
      #expect(try description.decode(again) == value, "\(bytes)")
    }
  }

  // MARK: Exact numbers and bounds

  @Test(
    "a written number of more than 53 bits is exact in its steps",
    arguments: [
      ("1844674407370955161.5", [UInt8](repeating: 0xff, count: 8)),
      ("900719925474099.3", [1, 0, 0, 0, 0, 0, 0x20, 0]),
      ("-0.04", [0, 0, 0, 0, 0, 0, 0, 0]), ("0.05", [1, 0, 0, 0, 0, 0, 0, 0]),
    ] as [(String, [UInt8])]
  )
  func exactSteps(text: String, octets: [UInt8]) throws {
    let time = try record(["time": "u64", "scale": "0.1"])
    let value = DecodedValue.fields([.init("time", .text(text))])
    #expect(try time.encode(value) == octets)
  }

  @Test("a number of more than 53 bits is decoded as the nearest decimal")
  func nearest() throws {
    let time = try record(["time": "u64", "scale": "0.000000001"])
    let octets: [UInt8] = [1, 0, 0, 0, 0, 0, 0x20, 0]
    #expect(try time.decode(octets)["time"] == .real(9007199.254740993, decimals: 9))
  }

  @Test("bytes that a shorter list leaves of its size are out of range")
  func leftOfSize() throws {
    let cells = try record(["cells": "u8", "repeat": "2", "size": "4"], ["crc": "u8"])
    do {
      _ = try cells.decode([1, 2, 9, 9, 7])
      Issue.record("it was decoded")
    } catch {
      #expect(error.problem == "2 bytes of its size left over" && error.octet == 2)
    }
  }

  @Test("fields that go back again and again end at a named limit")
  func goesBack() throws {
    let rows = (0..<20).map { ["g\($0)": "u8", "repeat": "500", "at": "0"] as DescriptionNode }
    let groups = (0..<20).map { number in
      ["f\(number)": DescriptionNode(.sequence(rows)), "at": "0"] as DescriptionNode
    }
    let (names, problems) = read([("record", ["fields": DescriptionNode(.sequence(groups))])])
    try #require(problems.isEmpty, "\(problems)")
    let description = try #require(names.descriptions.first)
    do {
      _ = try description.decode([UInt8](repeating: 0, count: 512))
      Issue.record("it was decoded")
    } catch {
      #expect(error.problem == "the value has more than 100000 fields")
    }
  }

  // MARK: Pieces

  private func inPieces() throws -> ValueDescription {
    let fields: DescriptionNode = [
      ["is": "dd77"], ["length": "u8"], ["data": "bytes", "size": "length"],
      ["check": "u8", "checksum": "sum8", "over": "data"],
    ]
    let (names, problems) = read([("answer", ["pieces": "true", "fields": fields])])
    try #require(problems.isEmpty, "\(problems)")
    return try #require(names.descriptions.first)
  }

  /// The values in notifications, in hexadecimal digits, and the octets that are left.
  private func joined(
    _ description: ValueDescription, _ pieces: [[UInt8]]
  ) throws -> (values: [String], rest: String) {
    var joined = try #require(ValuePieces(of: description))
    let values = pieces.flatMap { joined.add($0) }
    return (values.map { $0.map(hexadecimal).joined() }, joined.rest.map(hexadecimal).joined())
  }

  @Test(
    "the pieces of a value are complete when its fields are",
    arguments: [
      ("dd", [], "dd"), ("dd77", [], "dd77"), ("dd770201", [], "dd770201"),
      ("dd7702010203", ["dd7702010203"], ""), ("dd7702010203dd77", ["dd7702010203"], "dd77"),
      ("0102dd77", ["0102"], "dd77"), ("01dd02dd", ["01dd02"], "dd"), ("0102", ["0102"], ""),
      ("dd7702010204", ["dd7702010204"], ""), ("dd77dd7700", [], "dd77dd7700"),
      ("dd7701dd00dd77", ["dd7701dd00"], "dd77"),
    ] as [(String, [String], String)]
  )
  func pieces(hex: String, values: [String], rest: String) throws {
    let found = try joined(inPieces(), [octets(hex)])
    #expect(found.values == values)
    #expect(found.rest == rest)
  }

  @Test("values in pieces are the same wherever they are divided", arguments: 1...40)
  func divided(size: Int) throws {
    let items: DescriptionNode = [["a": "u8"], ["b": "bytes", "size": "a"]]
    let fields: DescriptionNode = [
      ["is": "dd"], ["length": "u16", "is": "len(record) - 3"], ["kind": "u8"],
      ["label": "utf8", "terminator": "0"], ["items": items, "repeat": "u8"],
      ["more": "u16be", "repeat": "kind", "at": "20"],
      ["crc": "u16", "checksum": "crc16/modbus"],
    ]
    let (names, problems) = read([("record", ["pieces": "true", "fields": fields])])
    try #require(problems.isEmpty, "\(problems)")
    let description = try #require(names.descriptions.first)
    let item = DecodedValue.fields([.init("a", .integer(3)), .init("b", .octets([7, 8, 9]))])
    let one = try description.encode(
      .fields([
        .init("kind", .integer(2)), .init("label", .text("abc")),
        .init("items", .list([item, item])),
        .init("more", .list([.integer(1), .integer(0x203)])),
      ])
    )
    let stream = one + one
    let pieces = stride(from: 0, to: stream.count, by: size).map {
      Array(stream[$0..<min($0 + size, stream.count)])
    }
    let found = try joined(description, pieces)
    let shown = one.map(hexadecimal).joined()
    #expect(found.values == [shown, shown])
    #expect(found.rest == "")
  }

  @Test("a value in pieces whose length is wrong is invalid at once, not only when 64 KiB came")
  func wrongLength() throws {
    let inner: DescriptionNode = ["data": [["a": "u32"]], "size": "length"]
    let (names, problems) = read([
      ("short", ["pieces": "true", "fields": [["is": "dd"], ["length": "u8"], inner]]),
      (
        "long",
        [
          "pieces": "true",
          "fields": [["is": "dd"], ["length": "u16"], ["data": "bytes", "size": "length"]],
        ]
      ),
    ])
    try #require(problems.isEmpty, "\(problems)")
    let short = try joined(names.descriptions[0], [octets("dd02"), octets("0102")])
    #expect(short.values == ["dd020102"])
    let long = try joined(names.descriptions[1], [octets("ddffff"), octets("dd010007")])
    #expect(long.values == ["ddffff", "dd010007"])
  }

  @Test(
    "a long value in pieces of one byte is decoded once, not again for each of them",
    .timeLimit(.minutes(1))
  )
  func longPieces() throws {
    let items: DescriptionNode = [["a": "u8"], ["b": "bytes", "size": "a"]]
    let fields: DescriptionNode = [["number": "u16"], ["items": items, "repeat": "number"]]
    let (names, problems) = read([("log", ["pieces": "true", "fields": fields])])
    try #require(problems.isEmpty, "\(problems)")
    let item = [13] + [UInt8](repeating: 1, count: 13)
    let stream: [UInt8] = [0, 0x10] + (0..<4096).flatMap { _ in item }
    let found = try joined(names.descriptions[0], stream.map { [$0] })
    #expect(found.values.count == 1)
    #expect(found.rest == "")
  }

  @Test(
    "the end of a value in pieces must follow from its fields",
    arguments: [
      (["fields": [["length": "u8"], ["data": "bytes"]]], "'data' takes all bytes to the end"),
      (["format": "bytes"], "'value' takes all bytes to the end"),
      (["format": "utf8"], "'value' takes all bytes to the end"),
      (
        ["fields": [["a": "u8"], ["b": "u8", "optional": "true"]]],
        "'b' is present if bytes are left"
      ),
      (["fields": [["a": "u8"], ["b": [["c": "bytes"]]]]], "'c' takes all bytes to the end"),
      (
        ["fields": [["a": "u8"], ["c": "bytes", "when": "a = 1"]]],
        "'c' takes all bytes to the end"
      ),
      (
        ["fields": [["data": "bytes", "size": "len(record) - 1"], ["b": "u8"]]],
        "'data' has a size of 'record'"
      ),
      (
        ["fields": [["a": "u8"], ["b": "u8", "when": "len(record) > 4"]]],
        "'b' depends on 'record'"
      ),
    ] as [([String: DescriptionNode], String)]
  )
  func endlessPieces(keys: [String: DescriptionNode], message: String) {
    let entries = [("pieces", "true")] + keys.map { ($0.key, $0.value) }
    let node = DescriptionNode(.mapping(entries.map { DescriptionNode.Entry($0.0, $0.1) }))
    let (_, problems) = read([("answer", node)])
    #expect(problems == ["answer.pieces: \(message), and the pieces have no other end"])
  }

  @Test("a value of one format may come in pieces if its end follows from them")
  func formatInPieces() throws {
    let text: DescriptionNode = ["pieces": "true", "format": "utf8", "terminator": "10"]
    let (names, problems) = read([("line", text)])
    try #require(problems.isEmpty, "\(problems)")
    let description = try #require(names.descriptions.first)
    #expect(description.isInPieces)
    let found = try joined(description, [octets("6162"), octets("63"), octets("0a64")])
    #expect(found.values == ["6162630a"])
    #expect(found.rest == "64")
  }
}
