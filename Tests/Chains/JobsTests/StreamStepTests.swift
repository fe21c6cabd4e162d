// poll, combine, and stop conditions.

import Bluetooth
import Signals
import Testing

@testable import Jobs

@Suite("Steps with many values")
struct StreamStepTests {
  let bench = RunBench()

  func hearts(_ rates: UInt8..., after: Duration = .seconds(1)) -> [(
    after: Duration, octets: [UInt8]
  )] {
    rates.map { (after, [0, $0]) }
  }

  // MARK: Stop conditions

  @Test("until ends the step at the first value that matches")
  func condition() throws {
    bench.device.notify("heart-rate-measurement", hearts(60, 61, 99, 62))
    try bench.run("notify heart-rate-measurement until bpm > 90 as h; log {h.bpm}")
    #expect(bench.text().contains("2  log  99"))
    #expect(bench.text().contains("1  notify heart-rate-measurement  3 values, 1.00 a second"))
  }

  @Test("a value that never arrives is reported with the condition awaited")
  func neverMet() throws {
    bench.device.notify("heart-rate-measurement", hearts(60, 61))
    try bench.run("notify heart-rate-measurement until bpm > 90 within 5s")
    #expect(
      bench.ending?.failure?.why
        == "2 values came within 5s, none of them with bpm > 90; the last was 61 bpm"
    )
    #expect(bench.ending?.failure?.code == .timedOut)
  }

  @Test("no value after an accepted trigger is reported as that, without a hint about the signal")
  func silentAfterTrigger() throws {
    bench.device.notify("battery-level", [(.seconds(60), [1])])
    try bench.run("notify battery-level after { write alert-level u8:1 } until u8 = 1 within 5s")
    let failure = try #require(bench.ending?.failure)
    #expect(
      failure.why
        == "no value came within 5s after the write to alert-level, which was accepted; "
        + "waited for u8 = 1"
    )
    #expect(
      failure.hint == "check what triggers it on the device, or give the step a longer timeout"
    )
    let title = "1  notify battery-level after { write alert-level u8:1 }  failed"
    #expect(bench.text().contains { $0.hasPrefix(title) })
  }

  @Test("the trigger is in the title of the step, and not on the lines of its values")
  func triggerOnce() throws {
    bench.device.notify("battery-level", [(.seconds(1), [80]), (.seconds(1), [79])])
    try bench.run("notify battery-level after { write alert-level u8:1 } until 2x")
    let lines = bench.text().filter { $0.hasPrefix("1") }
    #expect(lines.prefix(2) == ["1  notify battery-level  80 %", "1  notify battery-level  79 %"])
    let end = "1  notify battery-level after { write alert-level u8:1 }  2 values"
    #expect(lines.count == 3 && lines.last?.hasPrefix(end) == true)
  }

  @Test("an unanswered trigger write is reported as such")
  func unansweredTrigger() throws {
    bench.device.answer("write alert-level", .silence)
    try bench.run("notify battery-level after { write alert-level u8:1 } until 1x within 5s")
    #expect(bench.ending?.failure?.why == "the write to alert-level was not answered within 5s")
  }

  // MARK: Invalid values

  private func breathless() {
    bench.device.notify(
      "heart-rate-measurement",
      [(.seconds(1), [0, 70]), (.seconds(1), [0]), (.seconds(1), [0, 71])]
    )
  }

  @Test(
    "a value that does not match its format ends a step or is reported, as on-invalid says",
    arguments: [
      ("for 5s", 3), ("for 5s on-invalid report", 3), ("for 5s expect bpm > 1", nil),
      ("until 3x", nil), ("until 3x on-invalid report", 3), ("for 5s on-invalid fail", nil),
      ("for 5s expect bpm > 1 on-invalid report", 3),
    ] as [(String, Int?)]
  )
  func invalid(options: String, count: Int?) throws {
    breathless()
    try bench.run("notify heart-rate-measurement \(options)")
    let step = try #require(bench.endings.first { $0.step.operation == "notify" })
    guard let count else {
      #expect(step.failure?.code == .invalidValue)
      let isAsked = options.contains("on-invalid")
      return #expect(step.failure?.hint.contains("on-invalid: report") == !isAsked)
    }
    #expect(step.status == .ok)
    guard case .listened(count, _, _)? = step.outcome else {
      Issue.record("\(String(describing: step.outcome))")
      return
    }
    let note = "1 invalid value: bytes 00 (bpm, byte 1: expected 1 byte, found 0)"
    #expect(step.notes == [note], "\(step.notes)")
  }

  @Test("a step without values reports no rate")
  func none() throws {
    bench.device.notify("heart-rate-measurement", [(.seconds(60), [0, 70])])
    try bench.run("notify heart-rate-measurement for 3s")
    #expect(bench.text().contains("1  notify heart-rate-measurement  0 values"))
  }

  @Test("a capture keeps the last valid value")
  func invalidCapture() throws {
    bench.device.notify("heart-rate-measurement", [(.seconds(1), [0, 70]), (.seconds(1), [0])])
    try bench.run("notify heart-rate-measurement for 3s as heart; log {heart.bpm}")
    #expect(bench.text().contains("2  log  70"))
  }

  @Test("a step can end after a period without values")
  func silence() throws {
    bench.device.notify("heart-rate-measurement", hearts(60, 61, 62))
    try bench.run("notify heart-rate-measurement until silence 2500ms as h")
    #expect(bench.device.calls.last == "disconnect at 5s")
    #expect(bench.ending?.status == .ok)
  }

  @Test("the first stop condition met ends the step")
  func first() throws {
    bench.device.notify("heart-rate-measurement", hearts(60, 61, 62, 63))
    try bench.run(
      file: """
        steps:
        - notify: heart-rate-measurement
          until: { count: 2, silence: 10s, bpm: { above: 200 } }
          for: 30s
        """
    )
    #expect(bench.text().contains("1  notify heart-rate-measurement  2 values, 1.00 a second"))
  }

  // MARK: Arrival

  @Test(
    "intervals, rate and times are those of arrival, however slow the subscriber is"
  )
  func slowConsumer() throws {
    // Five values, one every 100 ms; the subscriber needs 400 ms for each.
    bench.device.notify(
      "heart-rate-measurement", hearts(60, 61, 62, 63, 64, after: .milliseconds(100))
    )
    bench.device.delayTaking(by: .milliseconds(400))
    try bench.run(
      "notify heart-rate-measurement until 5x as h; log \"{h.rate} {h.interval-p95} {h.silence}\""
    )
    #expect(bench.text().contains("2  log  10.00 100.000 100.000"))
    let arrivals = bench.events.compactMap { event -> Duration? in
      if case .data(_, .value) = event.change { event.offset } else { nil }
    }
    #expect(arrivals == [100, 200, 300, 400, 500].map { Duration.milliseconds($0) })
    // The step itself ended when its last value was delivered.
    #expect(bench.device.calls.last == "disconnect at 2s")
  }

  // MARK: poll

  @Test("poll reads at once and then in each period, and reports each value and the latencies")
  func polling() throws {
    bench.device.answer(
      "read battery-level",
      .value([72], after: .milliseconds(20)),
      .value([71], after: .milliseconds(1500)),
      .value([70], after: .milliseconds(30))
    )
    try bench.run("poll battery-level every 1s until 3x as b; log \"{b.count} {b.latency-p95}\"")
    let summary = "3 values, 0.99 a second, half of the reads within 30ms, 95 % within 1500ms"
    let expected = [
      "-  connect  ok", "1  poll battery-level  72 %", "1  poll battery-level  71 %",
      "1  poll battery-level  70 %", "1  poll battery-level  \(summary)", "2  log  3 1500.000",
      "-  disconnect  ok", "ok: 2 steps in 3.030 s",
    ]
    #expect(bench.text() == expected)
    #expect(
      bench.device.calls.filter { $0.hasPrefix("read") } == [
        "read battery-level", "read battery-level at 1s", "read battery-level at 3s",
      ]
    )
    let line = bench.json().first { $0.contains("\"rate\"") } ?? ""
    #expect(line.contains("\"latency\":{\"p50\":0.030000,\"p95\":1.500000,\"p99\":1.500000}"))
  }

  @Test("poll continues until the value matches or the time is up")
  func pollingUntil() throws {
    bench.device.answer("read battery-level", .value([72]), .value([71]), .value([20]))
    try bench.run("poll battery-level every 10s until percent <= 20 within 1m")
    #expect(bench.device.calls.last == "disconnect at 20s")
    let other = RunBench()
    try other.run("poll battery-level every 10s for 25s expect count = 3")
    #expect(other.ending?.status == .ok)
    #expect(other.device.calls.last == "disconnect at 25s")
  }

  @Test("a read that fails ends a poll")
  func failedPoll() throws {
    bench.device.answer(
      "read battery-level",
      .value([72]),
      .failure(DeviceFailure.scripted(.linkLost, .passing))
    )
    try bench.run("poll battery-level every 1s until 5x")
    #expect(bench.ending?.failure?.code == .linkLost)
    #expect(bench.endings.contains { $0.outcome != nil && $0.status == .failed })
  }

  @Test("a timeout for missing values mentions the connection losses")
  func losses() throws {
    // The scripted device drops the connection at an empty value.
    let values: [(after: Duration, octets: [UInt8])] = [
      (.seconds(1), []), (.seconds(2), []), (.seconds(3), [5]),
    ]
    bench.device.notify("battery-level", values)
    try bench.run(file: "steps: [ { notify: battery-level, until: { count: 3 }, timeout: 20s } ]")
    #expect(
      bench.ending?.failure?.why
        == "1 of 3 values came within 20s, while the link was lost 2 times; the last was 5 %"
    )
  }

  // MARK: combine

  @Test("combine reports the latest value of every input on each change, once all have one")
  func combining() throws {
    bench.device.notify("heart-rate-measurement", hearts(60, 61, 62))
    bench.device.answer("read battery-level", .value([72]), .value([71]))
    try bench.run(
      file: """
        steps:
        - combine:
          - { notify: heart-rate-measurement, as: heart }
          - { poll: battery-level, every: 1600ms, as: battery }
          until: { count: 4 }
          as: both
          expect: { battery.percent: { min: 70 }, heart.bpm: { between: [50, 70] } }
        - log: "{both.heart.bpm} {both.battery.percent} {both.count}"
        """
    )
    let lines = bench.text().dropFirst().prefix(6).map {
      $0.replacing("1  combine heart, battery  ", with: "")
    }
    let expected = [
      "heart 60 bpm, battery 72 %", "heart 60 bpm, battery 71 %", "heart 61 bpm, battery 71 %",
      "heart 62 bpm, battery 71 %", "4 values, 1.33 a second", "2  log  62 71 4",
    ]
    #expect(lines == expected)
  }

  @Test("an invalid value of a combined input is reported with its name")
  func invalidInput() throws {
    bench.device.notify("heart-rate-measurement", [(.seconds(1), [0])])
    bench.device.answer("read battery-level", .value([72]))
    try bench.run(
      "combine { notify heart-rate-measurement as h; poll battery-level every 1m as b } until 3x"
    )
    #expect(
      bench.ending?.failure?.why.contains("does not match its format: h: bpm, byte 1") == true
    )
  }

  @Test("a failed expectation on a combined value is reported with its bytes")
  func combinedFailure() throws {
    bench.device.notify("heart-rate-measurement", hearts(60, 199))
    try bench.run(
      "combine { notify heart-rate-measurement as h; poll battery-level every 1m as b } for 10s "
        + "expect h.bpm < 100"
    )
    #expect(bench.ending?.failure?.why == "expected h.bpm < 100, got 199 bpm (bytes 00c7)")
    #expect(bench.device.calls.contains { $0.hasPrefix("unsubscribe") })
  }

  @Test("each record in a notification is reported as a value")
  func records() throws {
    let records: [UInt8] = [6, 0, 0x73, 0, 0x2c, 1, 6, 0, 0x74, 0, 0x2d, 1]
    bench.device.notify("cgm-measurement", [(.seconds(1), records)])
    try bench.run("notify cgm-measurement until milligrams-per-decilitre = 116")
    let values = bench.text().filter { $0.contains("mg/dL") }
    #expect(
      values == [
        "1  notify cgm-measurement  115 mg/dL, 300 min",
        "1  notify cgm-measurement  116 mg/dL, 301 min",
      ]
    )
  }
}
