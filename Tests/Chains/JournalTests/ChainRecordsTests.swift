// The records made from the events of a chain.

import Bluetooth
import Documents
import Jobs
import Testing

@testable import Journal

@Suite("Records of a chain")
struct ChainRecordsTests {
  private func records(_ events: [RunEvent]) -> [JournalRecord] {
    var records = ChainRecords()
    return events.compactMap { records.record(of: $0) }
  }

  @Test("events are numbered, and values and ends refer to their step")
  func numbers() throws {
    let records = records(try EventScript.reading(72))
    #expect(records.count == 7)
    guard case .value(let value) = records[4], case .stepFinished(let end) = records[5] else {
      Issue.record("\(records)")
      return
    }
    #expect(value.step == 2)
    #expect(value.moment.event == 5)
    #expect(value.value == "72")
    #expect(value.hex == "48")
    #expect(end.step == 2)
    #expect(end.result == #"{"value":72,"hex":"48"}"#)
    #expect(end.took == 5000)
  }

  @Test("a step that runs again gets a new number each time")
  func repeated() throws {
    var script = try EventScript("read battery-level")
    script.begin(1)
    script.finish(1, failure: .lost)
    script.attempt = 2
    script.begin(1)
    script.value([1], in: 1)
    let records = records(script.events)
    guard case .stepFinished(let end) = records[1], case .value(let value) = records[3] else {
      Issue.record("\(records)")
      return
    }
    #expect(end.step == 1)
    #expect(end.error?.contains(#""code":"link-lost""#) == true)
    #expect(value.step == 2)
  }

  @Test("a suite test records its name; its operations record their title, target and notes")
  func suite() throws {
    func step(_ number: Int, _ target: String) -> ReportedStep {
      ReportedStep(
        number: number, operation: "scan-for", action: "scan-for", attribute: nil, label: "Find it",
        target: ReportedStep.Target(id: target, device: "C0:FF:EE:00:00:01"),
        source: Place(file: "suite.xml", line: 1, column: 1)
      )
    }
    func finished(_ step: ReportedStep) -> RunEvent.Change {
      let result = StepResult(
        step, status: .warning, outcome: nil, failure: nil, notes: ["late"], took: .zero
      )
      return .step(.finished(result))
    }
    var script = try EventScript("read battery-level")
    script.tell(.run(.groupStarted(RunGroup(kind: "test-suite", title: "Cells", count: 1))))
    let test = RunEvent.Test(
      index: 1, id: "level", title: "Level", description: "again", target: "one"
    )
    script.test = test
    script.tell(.run(.started(RunStart(chain: "Cells", steps: 2, seed: 7))))
    for (number, target) in [(1, "one"), (2, "two")] {
      script.tell(.step(.started(step(number, target))))
      script.tell(finished(step(number, target)))
    }
    script.test = nil
    script.tell(.run(.groupFinished(RunGroupEnding(results: [], notRun: 1))))
    let records = records(script.events)
    guard case .chainStarted(let start) = records[0], case .stepFinished(let first) = records[2],
      case .stepFinished(let second) = records[4]
    else {
      Issue.record("\(records)")
      return
    }
    #expect(records.count == 5 && start.moment.event == 1, "the suite itself is not recorded")
    #expect(start.name == "Level, again")
    #expect(first.status == "warning")
    #expect(first.result == #"{"name":"Find it","notes":["late"]}"#)
    #expect(second.result == #"{"name":"Find it","target":"two","notes":["late"]}"#)
  }

  @Test("a passkey to type on the device is not recorded")
  func pairing() throws {
    var script = try EventScript("read battery-level")
    script.begin(1)
    script.tell(.remark(.pairingDisplay(script.step(1), .passkey(123_456))))
    script.finish(1)
    let records = records(script.events)
    #expect(records.count == 2)
    #expect(!"\(records)".contains("123456"))
  }

  @Test("notes are recorded with the keys of the output")
  func notes() throws {
    var script = try EventScript("read battery-level")
    script.start()
    script.attempt = 2
    script.tell(.remark(.note("window open")))
    let found = records(script.events).dropFirst().map { record -> [String] in
      guard case .note(let moment, let attempt, let text) = record else { return [] }
      return ["\(moment.event)", "\(attempt)", text]
    }
    #expect(found == [["2", "2", #"{"text":"window open"}"#]])
  }

  @Test("a value that does not match its format keeps its bytes")
  func undecodable() throws {
    var script = try EventScript("read battery-level")
    script.begin(1)
    script.tell(
      .data(script.step(1), .value(StepValue(octets: [0xff, 0x01], decoded: nil))))
    guard case .value(let value) = records(script.events)[1] else { return }
    #expect(value.value == "null")
    #expect(value.hex == "ff01")
  }
}

@Suite("When records are written")
struct RecordBatchTests {
  private let value = JournalRecord.value(
    JournalRecord.StoredValue(
      step: 1, moment: Moment(event: 1, time: "", offset: 0), value: "1", hex: nil
    )
  )
  private let end = JournalRecord.stepFinished(
    JournalRecord.StepEnd(
      step: 1, moment: Moment(event: 2, time: "", offset: 0), took: 0, status: "ok", result: nil,
      error: nil
    )
  )

  @Test("the end of a step is written immediately, with all records waiting before it")
  func urgent() {
    var batch = RecordBatch()
    let isDue1 = batch.add(value, chain: 1, at: .zero)
    #expect(!isDue1)
    let isDue2 = batch.add(end, chain: 1, at: .zero)
    #expect(isDue2)
    #expect(batch.entries.count == 2)
    batch.written(batch.entries.count)
    #expect(batch.wait(at: .zero) == nil)
  }

  @Test("the ends of steps are batched for at most half a second, if they may be late")
  func relaxed() {
    var batch = RecordBatch(isRelaxed: true)
    let isDue1 = batch.add(end, chain: 1, at: .zero)
    #expect(!isDue1)
    #expect(batch.wait(at: .milliseconds(100)) == .milliseconds(400))
    let isDue2 = batch.add(value, chain: 1, at: .milliseconds(499))
    #expect(!isDue2)
    let isDue3 = batch.add(end, chain: 1, at: .milliseconds(500))
    #expect(isDue3)
  }

  @Test("values are batched for at most a second or 1 000 values")
  func stream() {
    var batch = RecordBatch()
    for number in 1...999 {
      let isDue3 = batch.add(value, chain: 1, at: .microseconds(number))
      #expect(!isDue3)
    }
    let isDue4 = batch.add(value, chain: 1, at: .milliseconds(2))
    #expect(isDue4)
    batch.written(batch.entries.count)
    let isDue5 = batch.add(value, chain: 1, at: .seconds(10))
    #expect(!isDue5)
    #expect(batch.wait(at: .seconds(10.25)) == .milliseconds(750))
    let isDue6 = batch.add(value, chain: 1, at: .seconds(11))
    #expect(isDue6)
  }

  @Test("records that cannot be written are dropped beyond a limit and counted")
  func bounded() {
    var batch = RecordBatch()
    for _ in 0..<RecordBatch.mostUnwritten { _ = batch.add(value, chain: 1, at: .zero) }
    _ = batch.add(end, chain: 1, at: .zero)
    #expect(batch.entries.count == RecordBatch.mostUnwritten)
    #expect(batch.lost == 1)
  }
}
