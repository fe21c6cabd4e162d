// The events of a run, read back from a journal.

import Bluetooth
import GRDB
import Jobs
import Signals
import Testing

@testable import Journal

@Suite("Recorded events")
struct RecordedEventTests {
  private let bench: JournalBench
  private let file: JournalFile

  init() throws {
    bench = try JournalBench()
    file = try JournalFile(writing: bench.path, sync: .normal)
  }

  /// The lines of JSON that the events of the run make, and those that the journal exports.
  private func lines(of run: Int64) throws -> (read: [String], exported: [String]) {
    var read: [String] = []
    var exported: [String] = []
    #expect(try file.events(of: run) { read += JSONLinesReport().lines(for: $0) })
    #expect(try file.exportJSON(run) { exported.append($0) })
    return (read, exported)
  }

  private func record(_ script: EventScript) throws -> Int64 {
    let recorder = bench.recorder(to: file)
    recorder.begin()
    let take = recorder.chain()
    for event in script.events { take(event) }
    recorder.finish(.ok)
    return try #require(recorder.run)
  }

  @Test("recorded events produce the lines that were printed")
  func lines() throws {
    let run = try #require(try bench.run([72, 73], in: file))
    let (read, exported) = try lines(of: run)
    #expect(read.count > 4)
    #expect(read == exported)
  }

  @Test("the events of every kind of step are exported as printed")
  func kinds() throws {
    var script = try EventScript(
      """
      connect; services; read battery-level name Level as b; write alert-level u8:1
      notify battery-level until 3x; exchange alert-level hex:01 answer battery-level
      poll battery-level every 1s until 2x; combine { notify 2a37 as h; poll 2a19 every 5s as p } for 10s
      rssi; rssi every 1s until 2x; throughput up ff03 down ff04 for 5s; mtu; connection-parameters
      read-descriptor battery-level/2901; write-descriptor battery-level/2902 hex:0100
      pair; trust; unpair; scan for 2s; sleep 1s; log text; command ls; repeat 2 { mtu }
      when b.percent > 1 { mtu }; assert b.percent > 1; set (b.percent / 2) as c
      try { mtu } finally { mtu }; disconnect
      """
    )
    // An included step is one of its own kind, and a firmware step needs a file.
    let kinds = Set(Plan.verbs).subtracting(["include", "firmware"])
    #expect(Set(script.steps.map(\.operation)) == kinds)
    let value = StepValue(octets: [72], decoded: .integer(72))
    script.start()
    for (number, step) in script.steps.enumerated() {
      script.begin(number)
      script.tell(.data(step, .value(value)))
      script.tell(.data(step, .gap(NotificationGap(.linkLost, from: .start, to: .start))))
      script.finish(number, .value(value))
      script.begin(number)
    }
    let run = try record(script)
    let printed = script.events.flatMap { JSONLinesReport().lines(for: $0) }
    #expect(try lines(of: run).exported == printed)
    #expect(printed.count { $0.contains(#""stream":true"#) } == 5)
    let results = try file.steps(of: 1, run: run).compactMap(\.result)
    #expect(!results.joined().contains("stream"))
  }

  @Test("every event of a step has the name of the step, as printed")
  func names() throws {
    var script = try EventScript("read battery-level", named: "Level, \"full\"")
    script.start()
    script.begin(1)
    script.value([72], in: 1)
    script.finish(1, .value(StepValue(octets: [72], decoded: .integer(72))))
    script.begin(1)
    let run = try record(script)
    let printed = script.events.flatMap { JSONLinesReport().lines(for: $0) }
    #expect(printed.count { $0.contains(#""name":"Level, \"full\"""#) } == 4)
    #expect(try lines(of: run).exported == printed)
    #expect(try lines(of: run).read == printed)
    #expect(try file.steps(of: 1, run: run).map(\.result) == [#"{"value":72,"hex":"48"}"#, nil])
  }

  @Test("only warnings of the last attempt are counted, and a step has its reason once")
  func warnings() throws {
    var script = try EventScript("read battery-level; read battery-level")
    script.start()
    for (attempt, steps) in [(1, [1, 2]), (2, [1])] {
      script.attempt = attempt
      for step in steps {
        script.begin(step)
        script.finish(
          step, failure: .lost, warns: true,
          notes: ["slow", "try 1 of 2 failed: the link was lost", "the link was lost"],
          tries: [StepTry(began: .zero, took: .zero, why: "the link was lost")]
        )
      }
    }
    script.end(warnings: 1)
    let run = try record(script)
    let printed = script.events.flatMap { JSONLinesReport().lines(for: $0) }
    #expect(printed.last?.hasSuffix(#""warnings":1}"#) == true)
    #expect(try lines(of: run).exported == printed)
    #expect(try lines(of: run).read == printed)
    #expect(try file.run(run)?.chains.map(\.warnings) == [1])
    #expect(try file.finishedDevices(of: run).map(\.warnings) == [1])
    let steps = try file.steps(of: 1, run: run)
    let result =
      #"{"notes":["slow"],"tries":[{"offset":0.000000,"took":0.000000,"why":"the link was lost"}]}"#
    #expect(steps.map(\.result) == Array(repeating: result, count: 3))
    #expect(steps.map(\.message) == Array(repeating: RunFailure.lost.message, count: 3))
  }

  @Test("an out-of-range value is exported with the reason")
  func outOfRange() throws {
    var script = try EventScript("read battery-level")
    script.start()
    script.begin(1)
    let problem = "percent, byte 0: 101 is not in 0 to 100"
    let value = StepValue(octets: [101], decoded: nil, problem: problem)
    script.tell(.data(script.step(1), .value(value)))
    script.finish(1)
    let (read, exported) = try lines(of: try record(script))
    #expect(read == exported)
    #expect(exported.contains { $0.hasSuffix(#""hex":"65","problem":"\#(problem)"}"#) })
  }

  @Test("a failure has its code, its reason and the answer from BlueZ")
  func failure() throws {
    var script = try EventScript("read battery-level")
    script.start()
    script.begin(1)
    script.pass(.seconds(2))
    let failure = RunFailure(
      code: .refused, class: .definite, what: "reading battery-level on 'Thermo-1'",
      why: "the device refused: it said no",
      bluez: BlueZAnswer(name: "org.bluez.Error.Failed", text: "no"), hint: "ask again"
    )
    script.finish(1, failure: failure)
    var found: [StepResult] = []
    #expect(
      try file.events(of: try record(script)) { event in
        if case .step(.finished(let result)) = event.change { found.append(result) }
      }
    )
    #expect(found.map(\.failure) == [failure])
    #expect(found.map(\.status) == [.failed])
    #expect(found.map(\.took) == [.seconds(2)])
  }

  @Test("the attempts of a step have their times and reasons")
  func tries() throws {
    var script = try EventScript("read battery-level")
    script.start()
    script.begin(1)
    script.pass(.seconds(4))
    let tries = [
      StepTry(began: .zero, took: .milliseconds(500), why: "the link was lost"),
      StepTry(began: .milliseconds(2500), took: .milliseconds(1500), why: nil),
    ]
    script.finish(1, tries: tries)
    let run = try record(script)
    var found: [StepResult] = []
    _ = try file.events(of: run) { event in
      if case .step(.finished(let result)) = event.change { found.append(result) }
    }
    #expect(found.map(\.tries) == [tries])
    let exported = try lines(of: run).exported
    let wanted =
      "\"tries\":[{\"offset\":0.000000,\"took\":0.500000,\"why\":\"the link was lost\"},"
      + "{\"offset\":2.500000,\"took\":1.500000}]"
    #expect(exported.contains { $0.contains(wanted) })
  }

  @Test("a value recorded with its bytes gets its unit back")
  func units() throws {
    var script = try EventScript("read battery-level")
    script.start()
    script.begin(1)
    let decoded = try StepValue.decode([72], of: "battery-level", format: nil)
    script.tell(.data(script.step(1), .value(StepValue(octets: [72], decoded: decoded))))
    var found: [StepValue] = []
    _ = try file.events(of: try record(script)) { event in
      if case .data(_, .value(let value)) = event.change { found.append(value) }
    }
    #expect(found.map(\.octets) == [[72]])
    #expect(found.first?.numbers.map(\.unit) == ["%"])
  }

  @Test("recorded values have the decimals, units and problems of the run")
  func values() throws {
    let strength: [DecodedValue.Field] = [
      .init("rssi", .integer(-50), unit: "dBm"),
      .init("txPower", .integer(4), unit: "dBm", qualifier: "TX power"),
    ]
    let described: [DecodedValue.Field] = [
      .init("level", .real(0.5, decimals: 2), unit: "bar"),
      .init("cells", .list([.real(3.7, decimals: 3), .integer(4)]), unit: "V"),
      .init("flags", .fields([.init("tamper", .boolean(false))])),
    ]
    let values = [
      (1, StepValue(octets: [], decoded: .fields(strength))),
      (2, StepValue(octets: [1, 2], decoded: .fields(described))),
      (2, StepValue(octets: [1], decoded: nil, problem: "level, byte 0: expected 2 bytes")),
    ]
    var script = try EventScript("rssi; read ff01")
    script.start()
    for (number, value) in values {
      script.begin(number)
      script.tell(.data(script.step(number), .value(value)))
      script.finish(number, .value(value))
    }
    let run = try record(script)
    var (found, outcomes): ([StepValue], [StepOutcome?]) = ([], [])
    _ = try file.events(of: run) { event in
      if case .data(_, .value(let value)) = event.change { found.append(value) }
      if case .step(.finished(let result)) = event.change { outcomes.append(result.outcome) }
    }
    #expect(found == values.map { $0.1 })
    #expect(outcomes == values.map { .value($0.1) })
    let printed = script.events.flatMap { JSONLinesReport().lines(for: $0) }
    #expect(try lines(of: run).exported == printed)
    #expect(try lines(of: run).read == printed)
    let first = try file.steps(of: 1, run: run).first
    #expect(first?.result == #"{"value":{"rssi":-50,"txPower":4}}"#)
    #expect(try file.check().isComplete)
  }

  @Test("notes are read back; other remarks of older versions are not")
  func notes() throws {
    var script = try EventScript("read battery-level")
    script.start()
    script.tell(.remark(.note("window open")))
    script.tell(.remark(.note("a packet")))
    let run = try record(script)
    try file.write { database in
      try database.execute(sql: "UPDATE remarks SET kind = 'hci-packet' WHERE event = 3")
    }
    let (read, exported) = try lines(of: run)
    #expect(read == exported)
    #expect(exported.count { $0.contains(#""event":"note""#) } == 1)
    #expect(!exported.joined().contains("packet"))
  }

  @Test("a run that does not exist has no events")
  func missing() throws {
    #expect(try file.events(of: 99) { _ in } == false)
  }

  @Test(
    "a position prints as it was parsed",
    arguments: ["connect", "disconnect", "3", "4.2", "4[7].2", "2.finally.1", "5.else[2].3"]
  )
  func positions(text: String) {
    #expect(StepPosition(text)?.description == text)
  }

  @Test(
    "other text is not parsed as a position", arguments: ["", "x", "4[", "4[x]", "4..2", "finish"]
  )
  func noPositions(text: String) { #expect(StepPosition(text) == nil) }

  @Test("a time prints as it was parsed", arguments: [0, 951_782_399, 1_709_164_800, -1])
  func times(seconds: Int64) {
    let time = Duration.seconds(seconds) + .microseconds(250)
    #expect(Timestamp.time(Timestamp.text(time)) == time)
    #expect(Timestamp.time("2000-01-01") == nil)
  }
}
