// Expressions and values with names.

import Bluetooth
import Testing

@testable import SimulatedDevices

@Suite("Expressions")
struct ExpressionTests {
  let scope = Scope(
    variables: ["first": .number(3), "last": .number(10), "image": .octets([1, 2, 3, 4])],
    tables: [MachineDefinition.Table(name: "records", rows: [[7, 8], [9]])]
  )

  @Test(
    "multiplication precedes addition, and both are left-associative",
    arguments: [
      ("7", 7), ("-7", -7), ("0x10", 16), ("$first", 3), ("$last - $first + 1", 8),
      ("1 + 2 * 3", 7), ("2 * 3 - 4 * 5", -14), ("-$first * 2", -6), ("$last / $first", 3),
      ("$last / 0", 0), ("$image.count", 4),
      ("$records.count*10", 20), ("$unknown", 0), ("9223372036854775807 + 1", Int64.max),
    ] as [(String, Int64)]
  )
  func results(text: String, result: Int64) throws {
    #expect(try #require(Expression(written: text)).value(in: scope) == result)
  }

  @Test(
    "text that is not an expression is rejected",
    arguments: [
      "", "$", "+", "1 +", "1 2", "1 % 2", "$a.b", "$1", "(1)", "1.5", "$a.count.count", "a",
    ]
  )
  func wrong(text: String) {
    #expect(Expression(written: text) == nil)
  }

  @Test("a template combines bytes, formatted numbers, names and sequences")
  func template() throws {
    let sum = try #require(Expression(written: "$last * 256 + $first"))
    let (one, two) = (Expression(written: "1"), Expression(written: "2"))
    let template = ValueTemplate([
      .octets([0xff]), .number(try format("u16"), sum), .number(try format("u8"), sum),
      .number(try format("i24be"), try #require(Expression(written: "-2"))), .variable("image"),
      .row(table: "records", try #require(one)), .row(table: "records", try #require(two)),
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
