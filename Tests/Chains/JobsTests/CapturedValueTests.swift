// Captured values that are used later: written, compared with.

import Bluetooth
import Documents
import Testing

@testable import Jobs

@Suite("Captured values")
struct CapturedValueTests {
  let bench = RunBench()

  @Test("a captured value can be written to a characteristic")
  func writing() throws {
    try bench.run(
      "read battery-level as b; write alert-level u8:{b.percent} utf8:\"at {b.percent}\""
    )
    let text = "at 72".utf8.map { String($0, radix: 16) }.joined()
    #expect(
      bench.device.calls == [
        "connect", "read battery-level", "write alert-level 48\(text)", "disconnect",
      ]
    )
    #expect(bench.text()[2] == "2  write alert-level u8:72 utf8:\"at 72\"  ok")
  }

  @Test("a value can be compared with one captured earlier")
  func comparing() throws {
    bench.device.answer("read battery-level", .value([72]), .value([71]), .value([73]))
    try bench.run(
      file: """
        steps:
        - { read: battery-level, as: first }
        - { read: battery-level, expect: { percent: { max: "{first.percent}" } } }
        - { read: battery-level, expect: { percent: { below: "{first.percent}" } } }
        """
    )
    let failure = bench.ending?.failure
    #expect(bench.ending?.done == 2)
    #expect(
      failure?.message
        == "reading battery-level: expected percent < 72, got 73 % (bytes 49)"
    )
  }

  @Test(
    "64-bit numbers keep all digits when captured, written, compared and printed as JSON",
    arguments: [
      (
        "u64", [255, 255, 255, 255, 255, 255, 255, 255], "18446744073709551615",
        "18446744073709551614"
      ),
      ("u64", [1, 0, 0, 0, 0, 0, 32, 0], "9007199254740993", "9007199254740992"),
      ("i64", [1, 0, 0, 0, 0, 0, 0, 128], "-9223372036854775807", "-9223372036854775808"),
    ] as [(String, [UInt8], String, String)]
  )
  func allDigits(format: String, octets: [UInt8], number: String, below: String) throws {
    bench.device.answer("read fff1", .value(octets), .value(octets), .value(octets))
    try bench.run(
      file: """
        steps:
        - { read: fff1, format: \(format), as: a, expect: { value: \(number) } }
        - write: alert-level
          value: { \(format): "{a}" }
        - read: fff1
          format: \(format)
          expect: { value: { is: "{a}", not: \(below), above: \(below), max: \(number) } }
        - { read: fff1, expect: { \(format): { is: \(below) } } }
        """
    )
    #expect(bench.device.calls.contains("write alert-level \(DecodedValue.octets(octets))"))
    #expect(bench.ending?.done == 3)
    #expect(
      bench.ending?.failure?.why.contains("expected \(format) = \(below), got \(number) ") == true
    )
    let decoded = try #require(ValueFormat(format)).decode(octets)
    #expect(JSONValue(decoded).text == number)
  }

  @Test("conditions and answers can be compared with captured values")
  func conditions() throws {
    try bench.run(
      file: """
        steps:
        - { read: battery-level, as: a }
        - { read: battery-level, as: b }
        - { when: { b.percent: { is: "{a.percent}" } }, steps: [ { log: same } ] }
        - { when: { b.percent: { not: "{a.percent}" } }, steps: [ { log: other } ] }
        """
    )
    #expect(bench.text().contains("3.1  log  same"))
    #expect(bench.endings.map(\.status).contains(.skipped))
  }

  @Test("a slice of captured bytes can be written and compared with")
  func slices() throws {
    bench.device.answer("read ff01", .value([1, 2, 3, 4, 5]), .value([1, 2, 3, 4, 9]))
    try bench.run(
      file: """
        steps:
        - { read: ff01, as: first }
        - { read: ff01, as: second, expect: { hex: { not: "{first[0:5]}" } } }
        - { write: alert-level, value: [ { hex: "{first[3:]}" }, { hex: "{second[-1:]}" } ] }
        - { assert: { "second[0:4]": "{first[:4]}", "second[1:-2]": { is: "0203" } } }
        - { log: "{first[1:3]} of {first}" }
        - { assert: { "second[4:]": "{first[4:]}" } }
        """
    )
    #expect(bench.device.calls.contains("write alert-level 040509"))
    #expect(bench.text().contains("5  log  0203 of 0102030405"))
    #expect(bench.ending?.step?.place == "step 6")
    #expect(bench.ending?.failure?.why == #"expected second[4:] = "05", got 09"#)
  }

  @Test(
    "a slice beyond the captured bytes fails the step that uses it",
    arguments: [
      ("b[0:2]", ": 'b' has only 1 byte"), ("b[2:]", ": 'b' has only 1 byte"),
      ("b[:-2]", ": 'b' has only 1 byte"), ("b[1:0]", ": 'b' has only 1 byte"),
      ("b.percent[0:1]", " was not captured: its step did not run, or has no such value"),
    ]
  )
  func outside(path: String, why: String) throws {
    try bench.run("read battery-level as b; write alert-level hex:{\(path)}")
    #expect(bench.ending?.failure?.why == "'\(path)'\(why)")
  }

  @Test(
    "a path with a byte slice prints as it was parsed", arguments: ["b[0:4]", "b.c[-2:]", "b[:3]"]
  )
  func paths(text: String) {
    #expect(VariablePath(text)?.description == text)
  }

  @Test(
    "malformed slices are rejected",
    arguments: ["b[", "b[]", "b[1]", "b[a:b]", "b]", "[0:1]", "b[0:1:2]"]
  )
  func noPath(text: String) {
    #expect(VariablePath(text) == nil)
  }

  @Test("a captured value that cannot be written fails the step, with the reason")
  func unfit() throws {
    bench.device.answer("read battery-level", .value([72]))
    try bench.run("read temperature-measurement as t; write alert-level u8:{t.celsius}")
    #expect(bench.ending?.failure?.code == .invalidValue)
    #expect(bench.ending?.step?.place == "step 2")
    #expect(
      bench.ending?.failure?.why.contains("cannot be written with its captured values") == true
    )
    #expect(!bench.device.isConnected)
  }

  @Test("a value that was not captured because its step did not run fails the step that uses it")
  func missing() throws {
    try bench.run(
      file: """
        steps:
        - { read: battery-level, as: b }
        - { when: { b.percent: 1 }, steps: [ { read: battery-level, as: c } ] }
        - { write: alert-level, value: { u8: "{c.percent}" } }
        """
    )
    #expect(
      bench.ending?.failure?.message == "writing alert-level: 'c.percent' was not captured: "
        + "its step did not run, or has no such value"
    )
  }
}
