// Counters of repeated steps: one counter for all iterations.

import Bluetooth
import Testing

@testable import Jobs

@Suite("Counters in a repeat")
struct CounterTurnTests {
  private let bench = RunBench()

  /// The reason why a line that reads ff01 fails; nil if it succeeds.
  private func why(_ line: String, reading values: [UInt8]) throws -> String? {
    let answers = values.map { ScriptedDevice.Answer.value([$0]) }
    bench.device.setAnswers("read ff01", answers)
    try bench.run(line)
    return bench.ending?.failure?.why
  }

  @Test("a read in a repeat is compared with the same read of the previous iteration")
  func read() throws {
    #expect(try why("repeat 3 { read ff01 expect u8 counts 8 }", reading: [254, 255, 0]) == nil)
  }

  @Test("a value missing between two iterations is reported in the later one")
  func missing() throws {
    let line = "repeat 3 { read ff01 expect u8 counts 8 }"
    #expect(
      try why(line, reading: [1, 2, 4])
        == "expected u8 counts 8, got 4 after 2: 1 value missing (bytes 04)"
    )
    #expect(bench.ending?.step?.position.description == "1[3].1")
  }

  @Test("the allowed gaps are counted across all iterations, including those of an outer repeat")
  func gaps() throws {
    let line = "repeat 2 { repeat 2 { read ff01 expect u8 counts 8 gaps 2 } }"
    #expect(try why(line, reading: [1, 3, 4, 6]) == nil)
    #expect(
      try why(line, reading: [1, 3, 4, 7])
        == "expected u8 counts 8 gaps 2, got 7 after 4: 3 values missing (bytes 07)"
    )
  }

  @Test("two reads of the same characteristic have separate counters")
  func two() throws {
    let read = "read ff01 expect u8 counts"
    #expect(try why("repeat 2 { \(read); \(read) }", reading: [1, 9, 2, 10]) == nil)
  }

  @Test("the values of a stream continue those of the previous iteration")
  func stream() throws {
    bench.device.notify("ff01", [(.seconds(1), [1]), (.seconds(1), [2])])
    try bench.run("repeat 2 { notify ff01 until 2x expect u8 counts 8 }")
    #expect(bench.ending?.failure?.why == "expected u8 counts 8, got 1 after 2 (bytes 01)")
  }

  @Test("a retried chain starts with fresh counters")
  func retried() throws {
    bench.device.setAnswers(
      "read ff01",
      [
        .value([7]), .failure(DeviceFailure.scripted(.linkLost, .passing)), .value([1]),
        .value([2]),
      ]
    )
    try bench.run(
      file: """
        retry: { attempts: 2, backoff: 1s }
        steps: [ { repeat: 2, steps: [ { read: ff01, expect: { u8: { counter: 8 } } } ] } ]
        """
    )
    #expect(bench.ending?.failure == nil)
  }

  @Test("every iteration of a step has the same written position")
  func places() {
    let turn = StepPosition(4).repetition(17).inner(2).repetition(3).inner(1)
    #expect(turn.isTurn && turn.description == "4[17].2[3].1")
    #expect(turn.written == StepPosition(4).inner(2).inner(1))
    let last = StepPosition(1).finally.inner(2)
    #expect(last.written == last && !last.isTurn)
  }
}
