// The step that measures the link: in files, on one line, and in a run.

import Bluetooth
import Documents
import Signals
import Testing

@testable import Jobs

@Suite("Measuring the link")
struct MeasuringTests {
  let bench = RunBench()

  init() {
    bench.device.answer("rssi", .value([UInt8(bitPattern: -50), 4]))
  }

  @Test(
    "a step prints the line that it was parsed from",
    arguments: ["rssi", "rssi as link expect rssi > -80 expect txPower in 0..10 within 3s"]
  )
  func roundTrip(line: String) throws {
    let plan = try Plan.parse(line: line)
    #expect(plan.steps.map(\.description) == [line])
  }

  @Test("a file may give the step as one word, or with expectations, a name and a limit")
  func file() throws {
    try bench.run(
      file: """
        steps:
          - rssi
          - rssi:
            as: link
            expect: { rssi: { above: -80 } }
            timeout: 2s
          - when: { link.rssi: { below: 0 } }
            steps: [{ log: "{link.rssi} dBm" }]
        """
    )
    #expect(bench.ending?.status == .ok)
    #expect(
      bench.story == [
        "run", "connect connect…", "connect connect ok", "1 rssi…", "1 -50 dBm, 4 dBm TX power",
        "1 rssi ok", "2 rssi…", "2 -50 dBm, 4 dBm TX power", "2 rssi ok", "3 when…", "3.1 log…",
        "3.1 log ok", "3 when ok", "disconnect disconnect…", "disconnect disconnect ok", "run ok",
      ]
    )
  }

  @Test(
    "connection parameters are reported in ms and connection events, and can be expected"
  )
  func timing() throws {
    let line = "connection-parameters as link expect interval in 7.5..50 expect latency = 0"
    #expect(try Plan.parse(line: line).steps.map(\.description) == [line])
    try bench.run(
      file: """
        steps:
          - connection-parameters
          - connection-parameters:
            as: link
            expect: { interval: { max: 50 }, supervisionTimeout: 420 }
          - log: "{link.interval} ms"
        """
    )
    #expect(bench.ending?.status == .ok)
    let text = "1  connection-parameters  30.00 ms, latency 0, 420 ms timeout, phy 1m"
    #expect(bench.text().contains(text))
    let value = #""value":{"interval":30.0,"latency":0,"supervisionTimeout":420,"phy":"1m"}"#
    #expect(bench.json().count { $0.contains(value) && !$0.contains("hex") } == 4)
    try bench.run("connection-parameters expect interval < 20")
    #expect(bench.ending?.failure?.code == .expectationNotMet)
  }

  @Test("the unit of a field in CSV is only that; text also says which of two numbers it is")
  func units() throws {
    try bench.run("rssi; connection-parameters")
    let cells = bench.events.flatMap { CSVReport().lines(for: $0) }.map { line in
      line.split(separator: ",", omittingEmptySubsequences: false)[8...10].joined(separator: " ")
    }
    #expect(
      cells.prefix(5) == [
        "rssi -50 dBm", "txPower 4 dBm", "interval 30.0 ms", "latency 0 ",
        "supervisionTimeout 420 ms",
      ]
    )
  }

  // MARK: Wanted parameters

  @Test(
    "a step with wanted parameters prints the line that it was parsed from",
    arguments: [
      "connection-parameters interval 15ms", "connection-parameters interval 7.500ms latency 4",
      "connection-parameters interval 15ms timeout 420ms as link expect interval <= 20 within 9s",
      "connection-parameters phy 2m", "connection-parameters interval 15ms latency 1 phy 1m",
      "connection-parameters phy coded as link expect phy = coded within 9s",
    ]
  )
  func wantedLine(line: String) throws {
    #expect(try Plan.parse(line: line).steps.map(\.description) == [line])
  }

  @Test("wanted parameters are equal in a file, on a line and in Swift; the usual timeout is 4 s")
  func wantedForms() throws {
    let file = """
      steps:
        - connection-parameters: { interval: 15ms }
        - { connection-parameters: { interval: 1s, latency: 1, timeout: 4010ms }, timeout: 9s }
        - connection-parameters: { interval: 15ms, phy: coded }
        - connection-parameters: { phy: 2m }
      """
    let line = """
      connection-parameters interval 15ms latency 0 timeout 4s
      connection-parameters timeout 4010ms latency 1 interval 1s within 9s
      connection-parameters phy coded interval 15ms; connection-parameters phy 2m
      """
    let swift = try Plan {
      Step.connectionParameters(interval: .milliseconds(15))
      Step.connectionParameters(
        interval: .seconds(1), latency: 1, timeout: .milliseconds(4010)
      )
      .within(.seconds(9))
      Step.connectionParameters(interval: .milliseconds(15), phy: .coded)
      Step.connectionParameters(phy: .twoMegabit)
    }
    #expect(try Plan.parse(file, file: "c").steps == swift.steps)
    #expect(try Plan.parse(line: line).steps == swift.steps)
  }

  @Test("a step with wanted parameters changes them, and its value is what was agreed on")
  func changed() throws {
    try bench.run(
      file: """
        steps:
          - connection-parameters: { interval: 15ms, latency: 4, timeout: 5s }
            as: link
            expect: { interval: 15, latency: { max: 4 } }
          - log: "{link.supervisionTimeout} ms"
        """
    )
    #expect(bench.ending?.status == .ok, "\(bench.text())")
    #expect(bench.device.calls.filter { $0.hasPrefix("change") } == ["change to 15ms 4 5s"])
    #expect(!bench.device.calls.contains { $0.hasPrefix("connection-parameters") })
    let title = "connection-parameters interval 15ms latency 4 timeout 5s"
    #expect(
      bench.text().contains {
        $0.hasSuffix("\(title)  15.00 ms, latency 4, 5000 ms timeout, phy 1m")
      },
      "\(bench.text())"
    )
  }

  @Test("a change has a longer default timeout than a reading, which a step can override")
  func limit() throws {
    for call in ["change-parameters", "change-phy", "connection-parameters"] {
      bench.device.answer(call, .silence)
    }
    for (line, limit) in [
      ("connection-parameters interval 4s timeout 32s", "45s"), ("connection-parameters", "20s"),
      ("connection-parameters interval 15ms within 3s", "3s"),
      ("connection-parameters phy 2m", "45s"),
      ("connection-parameters interval 15ms phy 2m", Duration.seconds(90).written),
    ] {
      try bench.run(line)
      #expect(bench.ending?.failure?.message.contains("within \(limit)") == true, "\(line)")
    }
  }

  @Test("a refused change fails the step, and can be expected")
  func refused() throws {
    let refusal = DeviceFailure(
      code: .refused, class: .definite, operation: "changing the connection parameters",
      meaning: "the controller answered 0x3b", hint: ""
    )
    bench.device.answer("change-parameters", .failure(refusal))
    try bench.run("connection-parameters interval 15ms")
    #expect(bench.ending?.failure?.code == .refused)
    try bench.run("connection-parameters interval 15ms expect error = refused")
    #expect(bench.ending?.status == .ok)
  }

  // MARK: The PHY

  @Test("a wanted PHY is changed before the parameters, and the value has what was agreed on")
  func changedPHY() throws {
    try bench.run(
      file: """
        steps:
          - connection-parameters: { interval: 15ms, phy: 2m }
            as: link
            expect: { interval: 15, phy: 2m }
          - log: "{link.phy}"
        """
    )
    #expect(bench.ending?.status == .ok, "\(bench.text())")
    let changes = bench.device.calls.filter { $0.hasPrefix("change") }
    #expect(changes == ["change to 2m", "change to 15ms 0 4s"])
    #expect(!bench.device.calls.contains("phy"))
    #expect(bench.text().contains("2  log  2m"))
  }

  @Test("a PHY that the device kept is the value of the step, and fails only an expectation")
  func keptPHY() throws {
    bench.device.answer("change-phy", .value([0, 0]))
    try bench.run("connection-parameters phy 2m")
    #expect(bench.ending?.status == .ok)
    #expect(bench.json().contains { $0.contains(#""phy":"1m"}"#) })
    try bench.run("connection-parameters phy 2m expect phy = 2m")
    #expect(bench.ending?.failure?.code == .expectationNotMet)
    bench.device.answer("change-phy", .value([1, 0]))
    try bench.run("connection-parameters phy 2m expect phy = 2m")
    #expect(bench.ending?.failure?.code == .expectationNotMet)
    try bench.run("connection-parameters phy 2m expect phy = 2m/1m")
    #expect(bench.ending?.status == .ok)
  }

  private static func unavailable(_ code: DeviceFailure.Code) -> DeviceFailure {
    DeviceFailure(
      code: code, class: .unavailable, operation: "querying", meaning: "no answer", hint: ""
    )
  }

  @Test("with a PHY alone, parameters that are unknown are left out of the value")
  func onlyPHY() throws {
    try bench.run("connection-parameters phy coded")
    let known = "30.00 ms, latency 0, 420 ms timeout, phy coded"
    #expect(bench.text().contains { $0.hasSuffix("phy coded  \(known)") }, "\(bench.text())")
    bench.device.answer("connection-parameters", .failure(Self.unavailable(.timingUnknown)))
    try bench.run("connection-parameters phy coded")
    #expect(bench.ending?.status == .ok)
    #expect(bench.json().contains { $0.contains(#""value":{"phy":"coded"}"#) })
    #expect(!bench.device.calls.contains { $0.hasPrefix("change to 30ms") })
  }

  @Test(
    "a PHY that is not wanted and cannot be read is left out of the value",
    arguments: ["connection-parameters", "connection-parameters interval 15ms"]
  )
  func unknownPHY(line: String) throws {
    let unknown: [any Error] = [
      Self.unavailable(.capabilityMissing), Self.unavailable(.refused),
      TimedOut(operation: "querying the kernel", after: .seconds(2)),
    ]
    for error in unknown {
      bench.device.answer("phy", .failure(error))
      try bench.run(line)
      #expect(bench.ending?.status == .ok, "\(error)")
      #expect(!bench.json().contains { $0.contains("phy") })
    }
    for code in [DeviceFailure.Code.notConnected, .linkLost] {
      bench.device.answer("phy", .failure(Self.unavailable(code)))
      try bench.run(line)
      #expect(bench.ending?.failure?.code == code)
    }
  }

  @Test("a PHY that this host or the device lacks fails the step before anything is changed")
  func refusedPHY() throws {
    bench.device.answer("change-phy", .failure(Self.unavailable(.notSupported)))
    try bench.run("connection-parameters interval 15ms phy 2m")
    #expect(bench.ending?.failure?.code == .notSupported)
    #expect(!bench.device.calls.contains { $0.hasPrefix("change to 15ms") })
  }

  @Test("a PHY that no connection has cannot be expected")
  func expectedPHY() {
    let problems = Plan.complaints(
      "steps: [ { connection-parameters: { phy: 2m }, expect: { phy: 2M } } ]"
    )
    #expect(problems.count == 1 && problems[0].contains("phy cannot be '2M'"), "\(problems)")
  }

  @Test(
    "invalid parameters are found before the chain runs",
    arguments: [
      ("{ latency: 1 }", "interval"), ("{ interval: 5ms }", "from 7.500ms to 4s"),
      ("{ interval: 16ms }", "in steps of 1.250ms"), ("{ interval: 4001.25ms }", "found"),
      ("{ interval: 15 }", "a duration such as 15ms"), ("{ interval: 15ms, latency: 500 }", "499"),
      ("{ interval: 15ms, timeout: 90ms }", "from 100ms to 32s"),
      ("{ interval: 15ms, timeout: 425ms }", "in steps of 10ms"),
      ("{ interval: 15ms, timeout: 33s }", "from 100ms to 32s"),
      ("{ interval: 500ms, latency: 3 }", "expected more than 4s"),
      ("{ interval: 15ms, phi: 2m }", "phy"), ("15ms", "parameters such as { interval: 15ms"),
      ("{ phy: 3m }", "unknown word '3m'"), ("{}", "neither 'interval' nor 'phy'"),
      ("{ phy: 2m, latency: 1 }", "'latency' is only valid with 'interval'"),
      ("{ phy: 2m, timeout: 5s }", "'timeout' is only valid with 'interval'"),
    ]
  )
  func mistakes(parameters: String, complaint: String) {
    let problems = Plan.complaints("steps: [ { connection-parameters: \(parameters) } ]")
    #expect(problems.count == 1 && problems[0].contains(complaint), "\(problems)")
  }

  @Test("invalid parameters in Swift are found, too, and a limit that is just long enough is none")
  func mistakesInSwift() throws {
    #expect(throws: Problem.self) {
      try Plan { Step.connectionParameters(interval: .milliseconds(16)) }
    }
    #expect(throws: Problem.self) {
      try Plan {
        Step.connectionParameters(interval: .seconds(1), latency: 1, timeout: .seconds(4))
      }
    }
    _ = try Plan {
      Step.connectionParameters(interval: .seconds(1), latency: 1, timeout: .milliseconds(4010))
    }
  }

  @Test("only a step that changes the parameters has an effect beyond characteristics")
  func privilege() throws {
    let steps = try Plan.parse(
      line: """
        connection-parameters; connection-parameters interval 15ms; connection-parameters phy 2m
        """
    ).steps
    let change = "changes the connection parameters"
    #expect(steps.map(\.privilege) == [nil, change, change])
  }

  @Test("an unexpected RSSI fails the step and is reported")
  func expectation() throws {
    try bench.run("rssi expect rssi > -40")
    #expect(bench.ending?.failure?.code == .expectationNotMet)
    #expect(
      bench.ending?.failure?.message
        == "measuring the RSSI: expected rssi > -40, got -50 dBm"
    )
    #expect(!bench.device.isConnected)
  }

  @Test("TX power is omitted if the controller does not report it")
  func withoutPower() throws {
    bench.device.answer("rssi", .value([UInt8(bitPattern: -61)]))
    try bench.run("rssi")
    #expect(bench.text().contains("1  rssi  -61 dBm"))
    let line =
      #""operation":"rssi","value":{"rssi":-61},"presentation":{"rssi":{"unit":"dBm"}}}"#
    #expect(bench.json().contains { $0.hasSuffix(line) })
  }

  @Test("the JSON lines have RSSI and TX power and no bytes")
  func json() throws {
    try bench.run("rssi")
    let lines = bench.json().filter { $0.contains(#""step":"1""#) && $0.contains("value") }
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.contains(#""value":{"rssi":-50,"txPower":4}"#) })
    #expect(!lines.contains { $0.contains("hex") })
  }

  // MARK: At an interval

  @Test(
    "a step at an interval prints the line that it was parsed from",
    arguments: [
      "rssi every 1s for 10s",
      "rssi every 500ms until 3x until rssi < -80 as link expect mean(rssi) > -70",
    ]
  )
  func intervalRoundTrip(line: String) throws {
    #expect(try Plan.parse(line: line).steps.map(\.description) == [line])
  }

  @Test("at an interval, each value is reported and captured, and measures over all are checked")
  func interval() throws {
    bench.device.setAnswers(
      "rssi",
      [-50, -60, -70].map { .value([UInt8(bitPattern: $0)], after: .milliseconds(20)) }
    )
    let error = try bench.run(
      file: """
        steps:
          - rssi:
            every: 1s
            until: { count: 3 }
            as: link
            expect: { mean(rssi): -60, count: 3, latency-p99: { max: 20ms } }
          - log: "{link.rssi} dBm of {link.count}, at first {link.first.rssi}"
        """
    )
    #expect(error == nil, "\(bench.text())")
    #expect(
      bench.text().filter { $0.hasPrefix("1") || $0.hasPrefix("2") } == [
        "1  rssi  -50 dBm", "1  rssi  -60 dBm", "1  rssi  -70 dBm",
        "1  rssi  3 values, 1.49 a second, half of the reads within 20ms, 95 % within 20ms",
        "2  log  -70 dBm of 3, at first -50",
      ]
    )
    let times = bench.events.compactMap { event -> Duration? in
      if case .data(_, .value) = event.change { event.offset } else { nil }
    }
    #expect(times == [20, 1020, 2020].map { .milliseconds($0) })
  }

  @Test("one in a file needs an end, and a single measurement has none")
  func ends() {
    func problems(_ keys: String...) -> String {
      let lines = keys.map { "    \($0)\n" }.joined()
      return Plan.complaints("steps:\n  - rssi:\n\(lines)").joined(separator: "\n")
    }
    #expect(problems("every: 1s").contains("this step would never end"))
    #expect(problems("for: 1s").contains("'for' is only valid with 'every'"))
    #expect(problems("until: { count: 2 }").contains("'until' is only valid with 'every'"))
    #expect(problems("expect: { count: 2 }").contains("the value has no 'count'"))
    #expect(problems("every: 1s", "for: 5s", "expect: { count: 5 }").isEmpty)
  }

  @Test("the JSON lines of a stream are read back as one, and those of a single value are not")
  func recorded() throws {
    try bench.run("rssi; rssi every 1s until 2x")
    var lines = EventLines()
    let read = try bench.json().compactMap { try lines.event(in: $0) }
    let text = { (events: [RunEvent]) in events.flatMap { TextReport().lines(for: $0) } }
    let (before, after) = (text(bench.events), text(read))
    #expect(before.count { $0 == "2  rssi  -50 dBm, 4 dBm TX power" } == 2, "\(before)")
    #expect(after.count { $0.hasPrefix("2  rssi  ") } == 3, "\(after)")
    #expect(after.count { $0.hasPrefix("1  rssi  ") } == 1, "\(after)")
    #expect(bench.json().count { $0.contains(#""stream":true"#) } == 4)
  }
}
