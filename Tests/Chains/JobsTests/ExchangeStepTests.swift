// Requests with the notification that answers them: in files, on one line, and as they run.

import Bluetooth
import Documents
import Signals
import Testing

@testable import Jobs

@Suite("A request and its answer")
struct ExchangeStepTests {
  let bench = RunBench()

  private static let lines = [
    "exchange alert-level u8:1",
    "exchange alert-level u8:1 answer battery-level as level within 5s",
    "exchange alert-level u8:1 u8:2 request offset 3 answer ff01 format u16 where hex = \"0100\" "
      + "where value > 0 delivery acquire as status expect value = 1",
    "write alert-level u8:1 command delivery acquire",
  ]

  @Test("a step prints the line that it was parsed from", arguments: lines)
  func oneLine(line: String) throws {
    let step = try #require(try Plan.parse(line: line).steps.first)
    #expect(step.description == line)
    #expect(try Plan.parse(line: step.description).steps == [step])
  }

  @Test("the file form parses to the same step as the line")
  func file() throws {
    let plan = try Plan.parse(
      """
      steps:
        - { exchange: alert-level, value: { u8: 1 } }
        - { exchange: alert-level, value: { u8: 1 }, answer: battery-level, as: level, timeout: 5s }
        - exchange: alert-level
          value: [ { u8: 1 }, { u8: 2 } ]
          kind: request
          offset: 3
          answer: ff01
          format: u16
          where: { hex: "0100", value: { above: 0 } }
          delivery: acquire
          as: status
          expect: 1
        - { write: alert-level, value: { u8: 1 }, kind: command, delivery: acquire }
      """,
      file: "chain.yaml"
    )
    #expect(plan.steps.map(\.description) == Self.lines)
  }

  @Test("an exchange needs the services of both characteristics")
  func services() throws {
    let plan = try Plan.parse(line: "exchange link-loss/2a06 u8:1 answer battery/2a19")
    #expect(plan.expectedServices == ["link-loss", "battery"])
  }

  // MARK: Runs

  @Test("an exchange subscribes, writes, ignores unrelated notifications, and unsubscribes")
  func running() throws {
    bench.device.answer("write alert-level", .value([], after: .milliseconds(250)))
    bench.device.notify("battery-level", [(.seconds(1), [99]), (.seconds(1), [7])])
    let line =
      "exchange alert-level u8:1 answer battery-level where percent < 50 as level expect percent = 7"
    #expect(try bench.run(line + "; log \"{level.percent}\"") == nil)
    #expect(
      bench.device.calls == [
        "connect", "subscribe battery-level", "write alert-level 01",
        "unsubscribe battery-level at 2s", "disconnect at 2s",
      ]
    )
    let level = CharacteristicSelector(characteristic: .batteryLevel)
    #expect(
      bench.endings[1].outcome
        == .exchanged(
          StepValue(octets: [7], decoded: try StepValue.decode([7], of: level, format: nil)),
          answered: .milliseconds(250), notified: .milliseconds(2250)
        )
    )
    #expect(bench.endings[2].outcome == .logged("7"))
    #expect(bench.text().contains("1  exchange alert-level u8:1  7 %"))
    let told = bench.json().filter { $0.contains(#""operation":"exchange""#) }
    let ends = told.map { $0.components(after: #""operation":"exchange","#) }
    #expect(
      ends == [
        #""attribute":"battery-level","written":"alert-level"}"#,
        #""attribute":"battery-level","written":"alert-level","value":{"percent":7},"hex":"07"}"#,
        #""attribute":"battery-level","written":"alert-level","status":"ok","value":{"percent":7},"#
          + #""hex":"07","answered":0.250000,"notified":2.250000}"#,
      ]
    )
  }

  @Test("an answer that is not as expected fails the step, which still reports it")
  func unexpected() throws {
    bench.device.notify("battery-level", [(.seconds(1), [99])])
    _ = try bench.run("exchange alert-level u8:1 answer battery-level expect percent < 50")
    #expect(bench.ending?.failure?.code == .expectationNotMet)
    #expect(bench.json().contains { $0.contains(#""value":{"percent":99},"hex":"63","answered""#) })
  }

  @Test(
    "a timeout reports how far the step got",
    arguments: [
      ("", "the value was written, and battery-level notified nothing within 5s"),
      (
        " where percent = 1",
        "battery-level notified 2 values within 5s, none of which is the answer; the last was 98 %"
      ),
    ]
  )
  func late(condition: String, why: String) throws {
    let values: [(after: Duration, octets: [UInt8])] =
      condition.isEmpty ? [] : [(.seconds(1), [99]), (.seconds(1), [98])]
    bench.device.notify("battery-level", values)
    _ = try bench.run("exchange alert-level u8:1 answer battery-level\(condition) within 5s")
    #expect(bench.ending?.failure?.code == .timedOut)
    #expect(bench.ending?.failure?.why == why)
    #expect(bench.device.calls.suffix(2).first == "unsubscribe battery-level at 5s")
  }

  @Test("a write without response is reported as such")
  func unanswered() throws {
    bench.device.answer("write alert-level", .silence)
    bench.device.notify("battery-level", [(.seconds(1), [99])])
    _ = try bench.run("exchange alert-level u8:1 answer battery-level within 5s")
    #expect(bench.ending?.failure?.why == "the write was not answered within 5s")
  }
}

extension BluetoothUUID {
  fileprivate static let linkLoss = BluetoothUUID(short: 0x1803)
  fileprivate static let battery = BluetoothUUID(short: 0x180f)
  fileprivate static let batteryLevel = BluetoothUUID(short: 0x2a19)
}

extension String {
  fileprivate func components(after mark: String) -> String {
    firstRange(of: mark).map { String(self[$0.upperBound...]) } ?? ""
  }
}
