// What writes to control points bring about.

import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("Responses")
struct ResponseTests {
  func bench(_ rules: [ResponseRule]) -> DeviceBench {
    DeviceBench(
      CharacteristicDefinition([.read, .write, .notify], .response(Response(rules: rules))),
      CharacteristicDefinition([.read, .notify], .constant([0]), uuid: .second)
    )
  }

  @Test("the first rule that matches decides")
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
    #expect(try bench.read(12) == [1], "a refused write is not kept")
  }

  @Test("an action notifies another characteristic after its delay, and is kept there")
  func notifies() throws {
    let action = ResponseAction(
      .notify,
      characteristic: .second,
      value: .octets([7]),
      after: .milliseconds(50)
    )
    let bench = bench([ResponseRule(actions: [action])])
    try bench.subscribe(15)
    try bench.write(12, [1])
    #expect(try bench.read(15) == [0])
    try bench.run(to: 100)
    #expect(bench.sent(on: 15) == [Sent(50, [7])])
    #expect(try bench.read(15) == [7])
  }

  @Test("an action may set what was written, at once or later")
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

  @Test("a lost link ends what was due, and a missing characteristic has no consequences")
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
}
