// Expressions and values with names.

import Bluetooth
import Testing

@testable import SimulatedDevices

@Suite("Calculations of device files")
struct CalculationTests {
  let scope = Scope(
    variables: ["first": .number(3), "last": .number(10), "image": .octets([1, 2, 3, 4])],
    tables: [MachineDefinition.Table(name: "records", rows: [[7, 8], [9]])]
  )

  private func expression(_ text: String) throws -> Expression {
    try Expression(parsing: text, .variables)
  }

  @Test(
    "a calculation takes numbers, the sizes of bytes and tables, and bytes",
    arguments: [
      ("7", 7), ("-7", -7), ("0x10", 16), ("$first", 3), ("$last - $first + 1", 8),
      ("1 + 2 * 3", 7), ("2 * 3 - 4 * 5", -14), ("-$first * 2", -6), ("$last / $first", 3),
      ("$last / 0", 0), ("$image.count", 4), ("$last-$first", 7), ("$image.count-1", 3),
      ("$records.count*10", 20), ("$unknown", 0), ("9223372036854775807 + 1", Int64.max),
      ("($last + $first) * 2", 26), ("$last & 6 | 1", 3), ("$last % $first", 1),
      ("1 << $first", 8), ("$last > $first", 1), ("len($image)", 4), ("xor8($image)", 4),
      ("$image[1]", 2), ("crc32($image) & 0xff", 0xcd),
    ] as [(String, Int64)]
  )
  func results(text: String, result: Int64) throws {
    #expect(try expression(text).value(in: scope) == result)
  }

  @Test(
    "a condition joins comparisons",
    arguments: [
      ("$last > $first and $first != 3", false), ("$last > $first or $first != 3", true),
      ("not $last > $first", false), ("$image.count = 4", true), ("$unknown = 0", true),
    ]
  )
  func conditions(text: String, holds: Bool) throws {
    #expect(try expression(text).holds(in: scope) == holds)
  }

  @Test("a template combines bytes, formatted numbers, names and sequences")
  func template() throws {
    let sum = try expression("$last * 256 + $first")
    let (one, two) = (try expression("1"), try expression("2"))
    let template = ValueTemplate([
      .octets([0xff]), .number(try format("u16"), sum), .number(try format("u8"), sum),
      .number(try format("i24be"), try expression("-2")), .variable("image"),
      .row(table: "records", one), .row(table: "records", two),
    ])
    let found = template.octets(in: scope)
    #expect(found == [0xff, 3, 10, 3, 0xff, 0xff, 0xfe, 1, 2, 3, 4, 9])
  }

  @Test("a value never exceeds the maximum attribute length")
  func longest() {
    let long = Array(repeating: UInt8(1), count: 300)
    let scope = Scope(variables: ["long": .octets(long)])
    let template = ValueTemplate([.variable("long"), .variable("long")])
    #expect(template.octets(in: scope).count == 512)
  }
}
