// Responses to writes to control points.

import Bluetooth
import Signals
import Testing

@testable import SimulatedDevices

@Suite("Responses")
struct ResponseTests {
  func bench(_ rules: [ResponseRule], _ unrecorded: UnrecordedWrite? = nil) -> DeviceBench {
    var definition = DeviceDefinition.with([
      CharacteristicDefinition([.read, .write, .notify], .response(Response(rules: rules))),
      CharacteristicDefinition([.read, .notify], .constant([0]), uuid: .second),
    ])
    definition.unrecorded = unrecorded
    return DeviceBench(definition)
  }

  @Test("the first matching rule decides")
  func firstRule() throws {
    let bench = bench([
      ResponseRule(pattern: .exactly([1])),
      ResponseRule(pattern: .beginning([2]), refusal: .valueNotAllowed),
      ResponseRule(refusal: ATTErrorCode(rawValue: 0x80)),
    ])
    try bench.write(12, [1])
    #expect(try bench.read(12) == [1])
    #expect(bench.device.write(12, [2, 9], withResponse: true).error == .valueNotAllowed)
    #expect(bench.device.write(12, [1, 1], withResponse: true).error?.rawValue == 0x80)
    #expect(try bench.read(12) == [1], "a refused write is not stored")
  }

  @Test(
    "a write without a matching rule is accepted, refused, or answered like the nearest value",
    arguments: [
      (.accept, [9], nil, [0]), (.refuse, [9], .requestNotSupported, [0]),
      // More first bytes in common, then the smaller difference, in bytes and in length.
      (.nearest, [1, 1, 5], nil, [11]), (.nearest, [1, 2, 8], nil, [12]),
      (.nearest, [1, 2, 5], nil, [13]), (.nearest, [1, 2, 3, 4], nil, [13]),
      (.nearest, [8], .valueNotAllowed, [0]), (.nearest, [], .valueNotAllowed, [0]),
    ] as [(UnrecordedWrite, [UInt8], ATTErrorCode?, [UInt8])]
  )
  func unrecorded(
    _ unrecorded: UnrecordedWrite, _ value: [UInt8], _ error: ATTErrorCode?, _ effect: [UInt8]
  ) throws {
    func rule(_ when: [UInt8], _ then: UInt8) -> ResponseRule {
      let set = ResponseAction(.set, characteristic: .second, value: .octets([then]))
      return ResponseRule(pattern: .exactly(when), actions: [set])
    }
    let rules = [
      rule([1, 1], 11), rule([1, 2, 9], 12), rule([1, 2, 3], 13),
      ResponseRule(pattern: .beginning([7]), refusal: .valueNotAllowed),
    ]
    let bench = bench(rules, unrecorded)
    #expect(bench.device.write(12, value, withResponse: true).error == error)
    #expect(try bench.read(15) == effect)
    #expect(bench.device.unusedResponses.map(\.index) == [1, 2, 3, 4])
    try bench.write(12, [1, 2, 3])
    #expect(
      bench.device.unusedResponses.map(\.description) == [
        "Bench: response 1 of fff1, to 01 01, was never used",
        "Bench: response 2 of fff1, to 01 02 09, was never used",
        "Bench: response 4 of fff1, to 07 …, was never used",
      ]
    )
  }

  @Test("a pattern is never the nearest value: it applies only to values that match it")
  func unlike() throws {
    let bench = bench(
      [ResponseRule(pattern: .like(try BytePattern(written: "01 ??")), refusal: .valueNotAllowed)],
      .nearest
    )
    #expect(bench.device.write(12, [2, 1], withResponse: true).error == nil)
    #expect(bench.device.write(12, [1, 2], withResponse: true).error == .valueNotAllowed)
  }

  @Test("an action notifies another characteristic after its delay, and the value is stored")
  func notifies() throws {
    let action = ResponseAction(
      .notify, characteristic: .second, value: .octets([7]), after: .milliseconds(50)
    )
    let bench = bench([ResponseRule(actions: [action])])
    try bench.subscribe(15)
    try bench.write(12, [1])
    #expect(try bench.read(15) == [0])
    try bench.run(to: 100)
    #expect(bench.sent(on: 15) == [Sent(50, [7])])
    #expect(try bench.read(15) == [7])
  }

  @Test("an action can store the written value, at once or later")
  func sets() throws {
    let bench = bench([
      ResponseRule(
        actions: [
          ResponseAction(.set, characteristic: .second, value: .written),
          ResponseAction(.set, value: .octets([9]), after: .seconds(1)),
        ]
      )
    ])
    try bench.write(12, [5])
    #expect(try bench.read(15) == [5])
    #expect(try bench.read(12) == [5])
    try bench.run(to: 1001)
    #expect(try bench.read(12) == [9])
  }

  @Test("a lost link cancels pending actions, and a missing characteristic is ignored")
  func lost() throws {
    let missing = BluetoothUUID(short: 0xffff)
    let bench = bench([
      ResponseRule(
        actions: [
          ResponseAction(.set, value: .octets([9]), after: .seconds(1)),
          ResponseAction(.notify, characteristic: missing, value: .written),
        ]
      )
    ])
    try bench.write(12, [5])
    bench.device.linkDown()
    #expect(throws: LoopIdle.self) { try bench.loop.drive { false } }
    #expect(try bench.read(12) == [5])
  }

  @Test("a read in the same instant returns the value stored by an undelayed notify")
  func storesAtOnce() throws {
    let notify = ResponseAction(.notify, characteristic: .second, value: .written)
    let bench = bench([ResponseRule(actions: [notify])])
    try bench.subscribe(15)
    try bench.write(12, [5])
    #expect(try bench.read(15) == [5])
    try bench.write(12, [6])
    #expect(try bench.read(15) == [6])
    #expect(bench.sent(on: 15) == [], "notifications are sent in the loop's next turn")
    try bench.run(to: 1)
    #expect(bench.sent(on: 15) == [Sent(0, [5]), Sent(0, [6])])
    #expect(try bench.read(15) == [6])
  }

  @Test("actions on one characteristic are stored in order")
  func order() throws {
    let bench = bench([
      ResponseRule(
        actions: [
          ResponseAction(.notify, characteristic: .second, value: .octets([1])),
          ResponseAction(.set, characteristic: .second, value: .octets([2])),
        ]
      )
    ])
    try bench.subscribe(15)
    try bench.write(12, [5])
    try bench.run(to: 1)
    #expect(bench.sent(on: 15) == [Sent(0, [1])])
    #expect(try bench.read(15) == [2])
  }

  @Test("a delayed notification does not store its value again")
  func sendsLater() throws {
    let bench = DeviceBench(CharacteristicDefinition([.read, .write, .notify]))
    try bench.subscribe(12)
    bench.device.setValue([1], at: 12)
    try bench.write(12, [2])
    try bench.run(to: 1)
    #expect(bench.sent(on: 12) == [Sent(0, [1])])
    #expect(try bench.read(12) == [2])
  }
}
