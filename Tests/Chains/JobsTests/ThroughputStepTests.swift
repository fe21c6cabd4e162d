// The step that measures throughput: its forms, what it counts, and what it reports.

import Bluetooth
import Documents
import Signals
import Testing

@testable import Jobs

@Suite("The step throughput")
struct ThroughputStepTests {
  static let heart = "heart-rate-measurement"
  let bench = RunBench()

  var outcome: DecodedValue? {
    guard
      case .value(let value)? = bench.endings.first(where: { $0.step.operation == "throughput" })?
        .outcome
    else { return nil }
    return value.decoded
  }

  // MARK: Forms

  @Test(
    "a step prints the line that it was parsed from",
    arguments: [
      "throughput up alert-level down heart-rate-measurement for 10s",
      "throughput up ff01 bytes 1000 size 20 as link expect up.rate >= 900 within 30s",
      "throughput down ff02 after { write ff03 u8:1 } for 2s sequence \"u16be at 4\" packets 6 every 500ms delivery call expect down.lost = 0",
    ]
  )
  func roundTrip(line: String) throws {
    #expect(try Plan.parse(line: line).steps.map(\.description) == [line])
  }

  @Test("an invalid combination of keys, or an invalid place of the number, is an error")
  func problems() {
    func problems(_ keys: String...) -> String {
      let lines = keys.map { "    \($0)\n" }.joined()
      return Plan.complaints("steps:\n  - throughput:\n\(lines)").joined(separator: "\n")
    }
    #expect(problems("for: 1s").contains("this step measures nothing"))
    #expect(problems("up: ff01").contains("this step would never end"))
    #expect(problems("up: ff01", "for: 1s", "sequence: u8").contains("only valid with 'down'"))
    #expect(problems("down: ff01", "for: 1s", "size: 20").contains("only valid with 'up'"))
    #expect(problems("up: ff01", "for: 9s", "timeout: 3s").contains("is shorter than the 9s"))
    #expect(
      problems("up: ff01", "for: 1s", "expect: { down.rate: 1 }").contains("no 'down.rate'")
    )
    #expect(
      problems("down: ff01", "for: 1s", "expect: { down.lost: 0 }").contains("no 'down.lost'"))
    for wrong in ["i16", "u24", "u16 to 4", "u16 at -1", "u16 at 511", "utf8"] {
      #expect(problems("down: ff01", "for: 1s", "sequence: \(wrong)").contains("such as u16 at 4"))
    }
    #expect(problems("down: ff01", "for: 1s", "sequence: u32 at 508").isEmpty)
  }

  // MARK: Counting

  @Test("gaps in the numbers are lost values, also where they wrap; others are counted apart")
  func following() {
    var carried = CarriedValues()
    let rule = CounterRule(bits: 8)
    for number in [254, 255, 1, 2, 2, 7, 3] as [Int128] { carried.follow(number, by: rule) }
    #expect(carried.lost == 1 + 4)
    #expect(carried.repeated == 2)
  }

  @Test("a window has the rate of its own bytes, the whole that of the time up to the end")
  func windows() {
    var carried = CarriedValues()
    let at = { (time: Int) in Instant.start + .milliseconds(time) }
    #expect(carried.windowRate(at: at(10)) == nil)
    carried.begin(at: at(1000))
    carried.add(octets: 300, at: at(1500))
    #expect(carried.windowRate(at: at(2000)) == 300)
    carried.add(octets: 100, count: 2, at: at(2500))
    #expect(carried.windowRate(at: at(2500)) == 200)
    #expect(carried.windowRate(at: at(2500)) == nil)
    #expect(carried.octets == 400 && carried.count == 3)
    #expect(carried.rate(at: at(9000)) == 400 / 1.5)
    carried.finish(at: at(5000))
    carried.finish()
    #expect(carried.rate(at: at(9000)) == 100)
    #expect(carried.windowRate(at: at(9000)) == 0)
    #expect(carried.windowRate(at: at(9000)) == nil)
  }

  // MARK: Down

  private func notify(_ numbers: [UInt8]) {
    let values = numbers.map { number in
      (after: Duration.milliseconds(200), octets: [0, number] + [UInt8](repeating: 0, count: 8))
    }
    bench.device.notify(Self.heart, values)
  }

  @Test("notifications are counted with their rate and loss, and beside what the link carries")
  func down() throws {
    notify([254, 255, 2, 2])
    let line = "throughput down \(Self.heart) for 1s sequence \"u8 at 1\" packets 4 as link"
    let error = try bench.run("\(line); log {link.down.rate}")
    #expect(error == nil)
    let title = "1  throughput down \(Self.heart)"
    #expect(
      bench.text().filter { $0.hasPrefix("1") || $0.hasPrefix("2") } == [
        "\(title)  40 bytes/s",
        "\(title)  down 40 bytes/s, 40 bytes, 4 values, 0.12 per interval, lost 2, loss 33.33 %, "
          + "repeated 1, 30.00 ms interval, 517 bytes MTU, 68533 bytes/s at most", "2  log  40",
      ]
    )
    #expect(bench.device.calls.contains("subscribe \(Self.heart) acquire"))
    #expect(bench.endings.first { $0.step.operation == "throughput" }?.took == .seconds(1))
  }

  @Test("an amount ends the step with the value that reaches it, after the trigger is written")
  func amount() throws {
    notify([1, 2, 3, 4])
    bench.device.answer("write alert-level", .value([], after: .milliseconds(50)))
    let line =
      "throughput down \(Self.heart) after { write alert-level u8:1 } bytes 25 delivery call"
    #expect(try bench.run("\(line) expect down.count = 3 expect down.bytes = 30") == nil)
    #expect(bench.device.calls.contains("subscribe \(Self.heart)"))
    #expect(outcome?.field(at: "down.rate")?.value == .integer(50))
  }

  @Test("an amount that does not come in time is a failure that reports how much came")
  func late() throws {
    notify([1, 2])
    _ = try bench.run("throughput down \(Self.heart) bytes 100 within 5s")
    #expect(bench.ending?.failure?.code == .timedOut)
    #expect(bench.ending?.failure?.why == "20 of 100 bytes down were carried within 5s")
    #expect(outcome?.field(at: "down.count")?.value == .integer(2))
  }

  @Test("a rate that is too low, and a value without the number, fail the step")
  func expectations() throws {
    notify([1, 2])
    _ = try bench.run("throughput down \(Self.heart) for 2s expect down.rate > 100")
    #expect(bench.ending?.failure?.code == .expectationNotMet)
    _ = try bench.run("throughput down \(Self.heart) for 2s sequence \"u32 at 8\"")
    #expect(bench.ending?.failure?.code == .invalidValue)
  }

  @Test("an interval that no connection has counts as unknown")
  func impossibleInterval() throws {
    notify([1, 2])
    bench.device.answer("connection-parameters", .value([0, 0, 0]))
    #expect(try bench.run("throughput down \(Self.heart) for 1s packets 4") == nil)
    #expect(outcome?.field(at: "down.bytes")?.value == .integer(20))
    for name in ["interval", "limit", "down.perInterval"] {
      #expect(outcome?.field(at: name) == nil, "\(name)")
    }
  }

  @Test("an MTU that no connection has is a failure that names it", arguments: [0, 3, 22])
  func impossibleMTU(mtu: UInt8) throws {
    bench.device.answer("mtu", .value([mtu]))
    _ = try bench.run("throughput up alert-level bytes 50 delivery call")
    #expect(bench.ending?.failure?.code == .unknown)
    #expect(bench.ending?.failure?.why.contains("an MTU of \(mtu) bytes") == true)
    #expect(!bench.device.calls.contains { $0.hasPrefix("write") })
  }

  // MARK: Up

  @Test(
    "commands count when the device has answered a read behind them, even with a refusal",
    arguments: [
      ScriptedDevice.Answer.value([7], after: .milliseconds(100)),
      .failure(
        DeviceFailure.scripted(.notPermitted, .definite, "reading"), after: .milliseconds(100)
      ),
    ]
  )
  func up(answer: ScriptedDevice.Answer) throws {
    bench.device.answer("read alert-level", answer)
    #expect(try bench.run("throughput up alert-level bytes 50 size 20 delivery call") == nil)
    let writes = bench.device.calls.filter { $0.hasPrefix("write") }
    #expect(writes.map { $0.split(separator: " ")[2].prefix(2) } == ["00", "01", "02"])
    #expect(writes.map { $0.split(separator: " ")[2].utf8.count } == [40, 40, 20])
    #expect(writes.allSatisfy { $0.hasSuffix(" command") })
    #expect(bench.device.calls.count { $0.hasPrefix("read") } == 1)
    #expect(outcome?.field(at: "up.rate")?.value == .integer(500))
    #expect(outcome?.field(at: "up.count")?.value == .integer(3))
  }

  @Test("a device that does not answer in time is not said to lack a trigger")
  func unanswered() throws {
    bench.device.answer("read alert-level", .silence)
    _ = try bench.run("throughput up alert-level bytes 50 size 20 delivery call within 5s")
    #expect(bench.ending?.failure?.why == "0 of 50 bytes up were carried within 5s")
    #expect(bench.ending?.failure?.hint.hasPrefix("bring the device closer") == true)
  }

  @Test("a measurement that takes too long says how much it carried, not that a read failed")
  func tooLong() throws {
    let late = DeviceFailure(
      code: .timedOut, class: .passing, operation: "reading alert-level",
      timedOut: TimedOut(
        operation: "reading alert-level", after: .seconds(9),
        limitOf: "measuring the throughput of alert-level"
      ),
      meaning: "no answer came", hint: "pair"
    )
    bench.device.answer(
      "read alert-level", .value([], after: .seconds(1)), .failure(late, after: .seconds(1))
    )
    let line = "throughput up alert-level bytes 5000 size 10 delivery call within 9s"
    _ = try bench.run(line)
    #expect(bench.ending?.failure?.why == "320 of 5000 bytes up were carried within 9s")
    // A device that answers no read at all may want to be paired, as the failure of the read says.
    let silent = RunBench()
    silent.device.answer("read alert-level", .failure(late, after: .seconds(1)))
    _ = try silent.run(line)
    #expect(silent.ending?.failure?.why == "no answer came")
  }

  @Test("the next commands are written while the request behind the first ones is answered")
  func overlapping() throws {
    bench.device.answer("read alert-level", .value([], after: .seconds(1)))
    #expect(try bench.run("throughput up alert-level bytes 1280 size 20 delivery call") == nil)
    let calls = bench.device.calls.filter { $0.contains("alert-level") }
    // 64 commands are two rows; both are written at once, the reads one after the other.
    #expect(calls.count { $0.hasPrefix("write") && !$0.hasSuffix("s") } == 64)
    #expect(
      calls.filter { $0.hasPrefix("read") } == ["read alert-level", "read alert-level at 1s"])
    #expect(outcome?.field(at: "up.rate")?.value == .integer(640))
  }

  @Test("a lost connection fails the step, which still reports what was carried")
  func lost() throws {
    bench.device.answer(
      "read alert-level", .value([], after: .seconds(1)),
      .failure(DeviceFailure.scripted(.linkLost, .passing), after: .seconds(1))
    )
    _ = try bench.run("throughput up alert-level for 5s size 10 delivery call")
    #expect(bench.ending?.failure?.code == .linkLost)
    #expect(outcome?.field(at: "up.bytes")?.value == .integer(320))
  }

  @Test("CSV has the rates, and below them the numbers of the result")
  func csv() throws {
    notify([1, 2, 3, 4])
    try bench.run("throughput down \(Self.heart) for 1s every 500ms")
    let lines: [String] = bench.events.flatMap { CSVReport().lines(for: $0) }
    let cells = lines.map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    #expect(cells.allSatisfy { $0[5...6] == ["1", "throughput"] }, "\(cells)")
    #expect(
      cells.map { $0[8] }
        == ["down", "down", "down.rate", "down.bytes", "down.count", "down.perInterval"]
        + ["interval", "mtu"]
    )
    #expect(cells[2][8...10] == ["down.rate", "40", "bytes/s"])
  }

  @Test("the lines of JSON have the rates as events, and all numbers in the result")
  func json() throws {
    notify([1, 2, 3, 4])
    try bench.run("throughput down \(Self.heart) for 1s every 500ms")
    let lines = bench.json().filter { $0.contains(#""operation":"throughput""#) }
    #expect(lines.count == 4, "\(lines)")
    #expect(lines.dropFirst().prefix(2).allSatisfy { $0.contains(#""value":{"down":40},"#) })
    #expect(
      lines.last?.contains(#""value":{"down":{"rate":40,"bytes":40,"count":4,"perInterval":0.12}"#)
        == true
    )
  }
}
