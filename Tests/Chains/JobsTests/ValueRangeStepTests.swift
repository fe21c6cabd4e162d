// Steps that receive values outside the ranges of their specification, or longer than it says.

import Bluetooth
import Testing

@testable import Jobs

@Suite("Steps with out-of-range values")
struct ValueRangeStepTests {
  let bench = RunBench()

  private static let reason = "percent, byte 0: 101 is not in 0 to 100"

  init() { bench.device.answer("read battery-level", .value([101])) }

  @Test("a step that only reads continues, and prints the bytes with the reason")
  func reading() throws {
    try bench.run("read battery-level; read battery-level expect hex = 65; log done")
    #expect(bench.ending?.status == .ok)
    #expect(bench.text().contains("1  read battery-level  bytes 65 (\(Self.reason))"))
    #expect(bench.text().contains("3  log  done"))
    let ends = bench.json().filter { $0.contains("step-finished") && $0.contains(#""step":"1""#) }
    #expect(ends.count == 1)
    #expect(ends.first?.contains(#""value":null,"hex":"65","problem":"\#(Self.reason)""#) == true)
  }

  @Test(
    "a step that compares or captures a field fails",
    arguments: [
      "read battery-level expect percent > 20", "read battery-level expect value = 100",
      "read battery-level as b",
    ]
  )
  func using(line: String) throws {
    try bench.run(line)
    #expect(bench.ending?.failure?.code == .invalidValue)
    #expect(bench.ending?.failure?.why == "the value is invalid: \(Self.reason)")
    #expect(bench.text().contains("1  read battery-level  failed (bytes 65 (\(Self.reason)))"))
  }

  @Test("a step that listens continues; one that compares fails at the value")
  func listening() throws {
    let level: [(after: Duration, octets: [UInt8])] = [60, 101, 62].map { (.seconds(1), [$0]) }
    bench.device.notify("battery-level", level)
    try bench.run("notify battery-level until 3x")
    #expect(bench.ending?.status == .ok)
    #expect(bench.text().contains("1  notify battery-level  3 values, 1.00 a second"))
    for line in ["expect percent < 100 until 3x", "until percent = 62"] {
      let bench = RunBench()
      bench.device.notify("battery-level", level)
      try bench.run("notify battery-level \(line)")
      #expect(bench.ending?.failure?.code == .invalidValue, "\(line)")
    }
  }

  @Test("text that is not UTF-8 is printed as bytes by a step that only reads")
  func encoding() throws {
    // "Tür" in Latin-1.
    bench.device.answer("read manufacturer-name-string", .value([0x54, 0xfc, 0x72]))
    try bench.run("read manufacturer-name-string; read manufacturer-name-string expect value = x")
    let reason = "text, byte 0: invalid UTF-8"
    #expect(bench.text().contains("1  read manufacturer-name-string  bytes 54fc72 (\(reason))"))
    #expect(bench.ending?.failure?.why == "the value is invalid: \(reason)")
  }

  @Test("too few bytes fail each step")
  func short() throws {
    bench.device.answer("read temperature-measurement", .value([0, 1, 2]))
    try bench.run("read temperature-measurement")
    #expect(bench.ending?.failure?.code == .invalidValue)
  }

  @Test("trailing bytes can be compared and captured; an explicit format stays strict")
  func further() throws {
    bench.device.answer("read battery-level", .value([72, 5]))
    try bench.run(
      "read battery-level expect percent = 72 expect further = 05 as b; "
        + "log \"{b.percent} {b.further}\"; read battery-level expect value = 72"
    )
    #expect(bench.ending?.status == .ok)
    bench.device.answer("read body-sensor-location", .value([1, 7]))
    try bench.run("read body-sensor-location expect value = chest expect further = 07")
    #expect(bench.ending?.status == .ok)
    #expect(bench.text().contains("1  read battery-level  72 %, further 05"))
    #expect(bench.text().contains("2  log  72 05"))
    let strict = RunBench()
    strict.device.answer("read battery-level", .value([72, 5]))
    try strict.run("read battery-level format u8")
    #expect(strict.ending?.failure?.code == .invalidValue)
  }
}
