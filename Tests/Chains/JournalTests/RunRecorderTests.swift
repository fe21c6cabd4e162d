// A run is recorded up to the point it has reached, whatever happens next.

import Fixtures
import Jobs
import Signals
import Testing

@testable import Journal

@Suite("Recording a run")
struct RunRecorderTests {
  private let bench: JournalBench

  init() throws { bench = try JournalBench() }

  @Test("the result of a step is on the disk when its event has been handled")
  func committed() throws {
    let file = try JournalFile(writing: bench.path)
    let recorder = bench.recorder(to: file)
    recorder.begin()
    #expect(try bench.count("runs") == 1)
    let hear = recorder.chain()
    for event in try EventScript.reading(72) {
      hear(event)
      guard case .step(.finished(let result)) = event.change else { continue }
      let place = result.step.position
      let ended = "steps WHERE status = 'ok' AND position = '\(place)'"
      #expect(try bench.count(ended) == 1, "\(place)")
    }
    #expect(try bench.count("step_values WHERE value = '72' AND hex = '48'") == 1)
    #expect(try bench.count("chains WHERE status = 'ok' AND exit_status = 0") == 1)
    #expect(try bench.count("runs WHERE finished IS NULL") == 1)
    recorder.finish(.ok)
    #expect(try bench.count("runs WHERE exit_status = 0") == 1)
    #expect(bench.failures.all.isEmpty)
  }

  @Test("with a relaxed journal, results are on the disk half a second later, and at the end")
  func relaxed() throws {
    let file = try JournalFile(writing: bench.path, sync: .relaxed)
    let recorder = bench.recorder(to: file)
    recorder.begin()
    let hear = recorder.chain()
    let events = try EventScript.reading(72)
    for event in events.dropLast() { hear(event) }
    #expect(try bench.count("steps WHERE status = 'ok'") == 0)
    #expect(!recorder.isWritten)
    let loop = bench.loop
    try loop.run { try await loop.sleep(for: .milliseconds(499)) }
    #expect(try bench.count("steps WHERE status = 'ok'") == 0)
    try loop.run { try await loop.sleep(for: .milliseconds(1)) }
    #expect(try bench.count("steps WHERE status = 'ok'") == 2)
    #expect(recorder.isWritten)
    for event in events.suffix(1) { hear(event) }
    recorder.finish(.ok)
    #expect(try bench.count("runs WHERE exit_status = 0") == 1)
  }

  @Test("values of a stream are on the disk a second later, even if no more follow")
  func stream() throws {
    let file = try JournalFile(writing: bench.path)
    let recorder = bench.recorder(to: file)
    _ = try bench.listening(recorder, values: 3)
    #expect(try bench.count("step_values") == 0)
    let loop = bench.loop
    try loop.run { try await loop.sleep(for: .milliseconds(999)) }
    #expect(try bench.count("step_values") == 0)
    try loop.run { try await loop.sleep(for: .milliseconds(1)) }
    #expect(try bench.count("step_values") == 3)
    #expect(try bench.count("steps WHERE status IS NULL") == 1)
  }

  @Test("the thousandth value writes those before it")
  func many() throws {
    let file = try JournalFile(writing: bench.path)
    let recorder = bench.recorder(to: file)
    var (hear, script) = try bench.listening(recorder)
    // The start of the step waits with the values.
    for _ in 0..<998 { hear(script.value([1], in: 1)) }
    #expect(try bench.count("step_values") == 0)
    hear(script.value([1], in: 1))
    #expect(try bench.count("step_values") == 999)
  }

  @Test("records that could not be written are retried, and none is missing afterwards")
  func again() throws {
    let file = try JournalFile(writing: bench.path)
    let other = try JournalFile(writing: bench.path)
    file.setWait(.zero)
    let recorder = bench.recorder(to: file)
    recorder.begin()
    let hear = recorder.chain()
    let events = try EventScript.reading(72)
    _ = try other.write { _ in
      for event in events.prefix(3) { hear(event) }
    }
    #expect(bench.failures.all.map(\.kind) == [.locked])
    #expect(recorder.unwritten == 3)
    for event in events.dropFirst(3) { hear(event) }
    recorder.finish(.ok)
    #expect(recorder.failure == nil && recorder.unwritten == 0)
    #expect(try bench.count("steps WHERE status = 'ok'") == 2)
    #expect(bench.failures.all.count == 1)
  }

  @Test("a run whose start could not be written is written as soon as that is possible")
  func lateBegin() throws {
    let file = try JournalFile(writing: bench.path)
    let other = try JournalFile(writing: bench.path)
    file.setWait(.zero)
    let recorder = bench.recorder(to: file)
    _ = try other.write { _ in recorder.begin() }
    #expect(recorder.run == nil)
    let hear = recorder.chain()
    for event in try EventScript.reading(72) { hear(event) }
    let loop = bench.loop
    try loop.run { try await loop.sleep(for: RunRecorder.backoff.first) }
    #expect(recorder.run == 1)
    #expect(try bench.count("steps") == 2)
  }

  @Test("records that come during the pause after a failure are written once, when they are due")
  func firstRecordsInPause() throws {
    let file = try JournalFile(writing: bench.path)
    let other = try JournalFile(writing: bench.path)
    file.setWait(.zero)
    let recorder = bench.recorder(to: file)
    _ = try other.write { _ in recorder.begin() }
    let loop = bench.loop
    try loop.run { try await loop.sleep(for: .milliseconds(400)) }
    let hear = recorder.chain()
    var script = try EventScript("notify heart-rate-measurement until 9x")
    script.pass(.milliseconds(400))
    script.start()
    script.begin(1)
    script.value([7], in: 1)
    for event in script.events { hear(event) }
    try loop.run { try await loop.sleep(for: .milliseconds(999)) }
    #expect(recorder.run == nil)
    try loop.run { try await loop.sleep(for: .milliseconds(1)) }
    #expect(recorder.run == 1)
    #expect(try bench.count("step_values") == 1)
  }

  @Test(
    "values wait at most a second, whatever the times of their events", arguments: [-3600, 3600]
  )
  func otherClock(seconds: Int) throws {
    let file = try JournalFile(writing: bench.path)
    let recorder = bench.recorder(to: file)
    recorder.begin()
    let hear = recorder.chain()
    var script = try EventScript("notify heart-rate-measurement until 9x")
    script.pass(.seconds(seconds))
    script.start()
    script.begin(1)
    for _ in 0..<3 { script.value([7], in: 1) }
    for event in script.events { hear(event) }
    #expect(try bench.count("step_values") == 0)
    let loop = bench.loop
    try loop.run { try await loop.sleep(for: .seconds(1)) }
    #expect(try bench.count("step_values") == 3)
  }

  @Test("a resumed batch knows which devices are done and continues the numbering of its chains")
  func resume() throws {
    let file = try JournalFile(writing: bench.path)
    let recorder = bench.recorder(to: file)
    recorder.begin()
    let ways: [(device: String, failure: RunFailure?, events: Int)] = [
      ("A", nil, 7), ("B", .lost, 6), ("C", nil, 4), ("B", nil, 7), ("D", .lost, 6),
    ]
    for way in ways {
      let hear = recorder.chain()
      let events = try EventScript.reading(1, device: way.device, failure: way.failure)
      for event in events.prefix(way.events) { hear(event) }
    }
    let run = try #require(recorder.run)
    let finished = try file.finishedDevices(of: run)
    #expect(finished.map(\.device) == ["A", "B", "D"])
    #expect(finished.map(\.status) == ["ok", "ok", "failed"])
    #expect(finished.map(\.class) == [nil, nil, "passing"])
    let before = try #require(try file.run(run)).chains.count
    let takeover = RunTakeover(
      former: nil, owner: "2 2 boot", version: "0.2.0", started: .seconds(946_684_900)
    )
    let second = try RunRecorder(resuming: run, takeover, in: file, on: bench.loop) { _ in }
    #expect(try bench.count("runs WHERE owner = '2 2 boot' AND finished IS NULL") == 1)
    let hear = second.chain()
    for event in try EventScript.reading(3, device: "C") { hear(event) }
    second.finish(.ok)
    let chains = try #require(try file.run(run)).chains
    #expect(chains.count == before + 1)
    #expect(chains.last?.status == "ok")
    #expect(try file.finishedDevices(of: run).map(\.device) == ["A", "B", "D", "C"])
    #expect(try file.run(run)?.resumptions.map(\.chain) == [before + 1])
    for number in [run, 99] {
      // The run has another owner than expected, or does not exist.
      let failure = #expect(throws: JournalFailure.self) {
        _ = try RunRecorder(resuming: number, takeover, in: file, on: bench.loop) { _ in }
      }
      #expect(failure?.kind == .locked)
    }
  }

  @Test(
    "a text ends at its first U+0000, and its record is not damaged",
    arguments: [
      ("Belt~ 2", "Belt"), ("~Belt", ""), ("Belt\r~", "Belt\r"), ("e\u{301}~", "e\u{301}"),
    ]
  )
  func nul(written: String, stored: String) throws {
    // Output with U+0000 would hide why the test fails.
    let name = written.replacing("~", with: "\0")
    let file = try JournalFile(writing: bench.path)
    let recorder = bench.recorder(to: file)
    recorder.begin()
    let hear = recorder.chain()
    for event in try EventScript.reading(72, device: name) { hear(event) }
    recorder.finish(.ok)
    #expect(try file.check().problems == [])
    let chains = try #require(try file.run(1)).chains
    #expect(chains.map { Array($0.device.utf8) } == [Array(stored.utf8)])
  }

  @Test("a table quotes text where necessary, whatever the name of a device")
  func table() throws {
    let file = try JournalFile(writing: bench.path)
    let recorder = bench.recorder(to: file)
    recorder.begin()
    let hear = recorder.chain()
    let name = "Belt \"\u{301}, 2\r\nof 3"
    for event in try EventScript.reading(72, device: name) { hear(event) }
    let lines = Recorded<String>()
    #expect(try file.exportCSV(1) { lines.add($0) })
    let row = "1,1,\"Belt \"\"\u{301}, 2\\u{d}\\u{a}of 3\",1,1,read,battery-level,"
    #expect(
      Array(lines.all[2].unicodeScalars.prefix(row.unicodeScalars.count))
        == Array(row.unicodeScalars)
    )
    #expect(lines.all[2].hasSuffix(",value,,,72,48,,"))
    #expect(try !file.exportCSV(2) { _ in })
  }
}
