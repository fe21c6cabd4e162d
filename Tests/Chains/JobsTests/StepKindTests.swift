// The behaviour of each kind of step.

import Bluetooth
import Signals
import Testing

@testable import Jobs

@Suite("Steps of a chain")
struct StepKindTests {
  let bench = RunBench()

  /// Heart rates as a device sends them, one a second.
  func hearts(_ rates: UInt8...) -> [(after: Duration, octets: [UInt8])] {
    rates.map { (.seconds(1), [0, $0]) }
  }

  var failure: RunFailure? { bench.ending?.failure }

  @Test("each action reports its own kind")
  func actions() {
    for case let kind as any StepKind.Type in Step.entries {
      #expect(type(of: kind.init().action.kind) == kind)
    }
  }

  @Test("no word is a synonym of two steps, and no step name is a synonym")
  func synonyms() {
    let words = Step.entries.flatMap { $0.synonyms }
    #expect(Set(words).count == words.count)
    #expect(Set(words).isDisjoint(with: Step.verbs))
  }

  // MARK: Values

  @Test("a value is decoded with the layout of its characteristic or in a given format")
  func decoding() throws {
    bench.device.answer("read 6e5d0002-1b1a-4e1c-8f6b-0b6c1d2e3f40", .value([1, 0x2c]))
    let own = "6e5d0002-1b1a-4e1c-8f6b-0b6c1d2e3f40"
    try bench.run("read battery-level; read \(own); read \(own) format u16be")
    let values = bench.endings.compactMap { result -> DecodedValue? in
      if case .value(let value)? = result.outcome { value.decoded } else { nil }
    }
    #expect(values.map(\.description) == ["72 %", "012c", "300"])
  }

  @Test("bytes that do not match their format fail the step, which still reports them")
  func undecodable() throws {
    bench.device.answer("read temperature-measurement", .value([0, 1, 2]))
    _ = try bench.run("read temperature-measurement")
    #expect(failure?.code == .invalidValue)
    #expect(failure?.class == .definite)
    let problem = "temperature, byte 1: expected 4 bytes, found 2"
    #expect(failure?.why == "the value does not match its format: \(problem)")
    let failed = bench.endings.first { $0.status == .failed }
    #expect(
      failed?.outcome == .value(StepValue(octets: [0, 1, 2], decoded: nil, problem: problem)))
  }

  @Test("an expectation that is not met fails the step, with the value")
  func expecting() throws {
    _ = try bench.run("read temperature-measurement expect celsius in 38..40")
    #expect(failure?.code == .expectationNotMet)
    #expect(failure?.class == .definite)
    #expect(
      failure?.message == "reading temperature-measurement: "
        + "expected celsius in 38..40, got 36.6 °C (bytes 006e0100ff)"
    )
    #expect(bench.ending?.exitStatus == .failed)
    #expect(!bench.device.isConnected)
  }

  @Test("a write sends the given bytes with the requested write type")
  func writing() throws {
    try bench.run(#"write alert-level u8:1 utf8:"a b" command; write 2a06 hex:ff reliable"#)
    #expect(
      bench.device.calls == [
        "connect", "write alert-level 01612062 command", "write alert-level ff reliable",
        "disconnect",
      ]
    )
  }

  // MARK: Listening

  @Test("notify subscribes, then writes the trigger, then receives the requested number of values")
  func listening() throws {
    bench.device.notify("heart-rate-measurement", hearts(60, 61, 62, 63))
    let error = try bench.run(
      file: """
        steps:
          - notify: heart-rate-measurement
            after: { write: heart-rate-control-point, value: { hex: "01" } }
            until: { count: 3 }
            as: heart
            expect: { bpm: { min: 60 }, count: 3, rate: { between: [0.9, 1.1] } }
          - log: "{heart.bpm}"
        """
    )
    #expect(error == nil)
    #expect(
      bench.device.calls == [
        "connect", "subscribe heart-rate-measurement", "write heart-rate-control-point 01",
        "unsubscribe heart-rate-measurement at 3s", "disconnect at 3s",
      ]
    )
    #expect(
      bench.story.dropFirst(3).prefix(7) == [
        "1 notify…", "1 60 bpm", "1 61 bpm", "1 62 bpm", "1 notify ok", "2 log…", "2 log ok",
      ]
    )
    #expect(bench.endings[1].outcome == .listened(count: 3, rate: 1))
    #expect(bench.endings[2].outcome == .logged("62"))
  }

  @Test("a notify with a duration receives what arrives, and succeeds without values")
  func listeningFor() throws {
    bench.device.notify("heart-rate-measurement", hearts(60, 61, 62, 63))
    #expect(try bench.run("notify heart-rate-measurement for 2500ms") == nil)
    #expect(bench.endings[1].outcome == .listened(count: 2, rate: 0.8))
    #expect(bench.endings[1].took == .milliseconds(2500))
    bench.device.notify("heart-rate-measurement", [])
    #expect(try bench.run("notify heart-rate-measurement for 1h") == nil)
    #expect(bench.endings[4].outcome == .listened(count: 0, rate: 0))
  }

  @Test("with both a count and a duration, the first one reached ends the step")
  func listeningBoth() throws {
    bench.device.notify("heart-rate-measurement", hearts(60, 61, 62, 63))
    #expect(try bench.run("notify heart-rate-measurement for 9s until 2x") == nil)
    #expect(bench.endings[1].took == .seconds(2))
    #expect(try bench.run("notify heart-rate-measurement for 3500ms until 9x") == nil)
    #expect(bench.endings[4].outcome == .listened(count: 3, rate: 3 / 3.5))
  }

  @Test("too few values within the limit are a failure that reports their number")
  func tooFew() throws {
    bench.device.notify("heart-rate-measurement", hearts(60, 61))
    _ = try bench.run("notify heart-rate-measurement until 5x within 10s")
    #expect(failure?.code == .timedOut)
    #expect(failure?.class == .passing)
    #expect(failure?.why == "2 of 5 values came within 10s; the last was 61 bpm")
    #expect(bench.device.calls.suffix(2).last == "disconnect at 10s")
    #expect(bench.device.calls.contains("unsubscribe heart-rate-measurement at 10s"))
  }

  @Test("a failed subscription is not reported as a lack of values")
  func notSubscribed() throws {
    bench.device.answer("subscribe heart-rate-measurement", .silence)
    _ = try bench.run("notify heart-rate-measurement for 10s within 15s")
    #expect(failure?.why == "the subscription was not active within 15s")
  }

  @Test("notifications that end before a stop condition is met are a failure")
  func ended() throws {
    _ = try bench.run("notify heart-rate-measurement until 5x")
    #expect(failure?.why == "the notifications ended after 0 of 5 values")
    #expect(failure?.class == .passing)
  }

  @Test("the first value that does not meet the expectation ends the step")
  func expectingEach() throws {
    bench.device.notify("heart-rate-measurement", hearts(60, 250, 61))
    _ = try bench.run("notify heart-rate-measurement until 3x expect bpm < 200")
    #expect(failure?.why == "expected bpm < 200, got 250 bpm (bytes 00fa)")
    #expect(bench.device.calls.contains("unsubscribe heart-rate-measurement at 2s"))
  }

  @Test("too low a rate or too few values fail with the measured number")
  func expectingAll() throws {
    bench.device.notify("heart-rate-measurement", [(.seconds(4), [0, 60])])
    _ = try bench.run("notify heart-rate-measurement for 10s expect rate >= 0.5")
    #expect(failure?.why == "expected rate >= 0.5, got 0.10 a second")
    _ = try bench.run("notify heart-rate-measurement for 10s expect count > 2")
    #expect(failure?.why == "expected count > 2, got 1 value")
  }

  // MARK: Repeating and deciding

  @Test("each iteration of a repeat has its own position and captures anew")
  func repeating() throws {
    bench.device.answer("read battery-level", .value([1]), .value([2]), .value([3]))
    let error = try bench.run(
      file: """
        steps:
          - sleep: 1s
          - repeat: 2
            steps: [ { read: battery-level, as: b }, { log: "{b.percent}" } ]
        """
    )
    #expect(error == nil)
    #expect(
      bench.endings.map { "\($0.step.position)" } == [
        "connect", "1", "2[1].1", "2[1].2", "2[2].1", "2[2].2", "2", "disconnect",
      ]
    )
    let said = bench.endings.compactMap { result -> String? in
      if case .logged(let text)? = result.outcome { text } else { nil }
    }
    #expect(said == ["1", "2"])
    #expect(bench.ending?.done == 5)
  }

  @Test(
    "the steps of a when run if its condition holds, and are skipped otherwise",
    arguments: [("30", true), ("37", false)]
  )
  func deciding(bound: String, holds: Bool) throws {
    let error = try bench.run(
      file: """
        steps:
          - { read: temperature-measurement, as: reading }
          - when: { reading.celsius: { above: \(bound) } }
            steps: [ { write: alert-level, value: { u8: 2 } } ]
        """
    )
    #expect(error == nil)
    #expect(bench.device.calls.contains("write alert-level 02") == holds)
    #expect(bench.endings[holds ? 3 : 2].status == (holds ? .ok : .skipped))
  }

  @Test("a failure of an inner step is reported once, and its outer steps fail with it")
  func nestedFailure() throws {
    _ = try bench.run(
      file: """
        steps:
          - repeat: 3
            steps: [ { read: battery-level, expect: { percent: { above: 90 } } } ]
        """
    )
    #expect(bench.endings.map(\.status) == [.ok, .failed, .failed, .ok])
    #expect(bench.endings.map { $0.failure == nil } == [true, false, true, true])
    #expect(bench.ending?.step?.position.description == "1[1].1")
  }

  /// A run of `step`, repeated `count` times, that ignores its events.
  func repeating(_ count: Int, _ step: Step, at change: @escaping @Sendable (Int) -> Void)
    -> Signal<RunEnding>
  {
    let plan = Plan(steps: [Step.repeated(count) { step }])
    let counted = Guarded(0)
    return ChainRunner(
      plan: plan, service: bench.device, identity: RunIdentity(seed: 0, plan: plan)
    ) { _ in
      change(
        counted.withLock { count in
          count += 1
          return count
        }
      )
    }.ending()
  }

  @Test("the deadline of the run ends a repeat that takes too long")
  func longRepetition() throws {
    let last = Guarded(0)
    let outcome = repeating(1_000_000, .sleep(.seconds(1))) { count in
      last.withLock { $0 = count }
    }.map { Optional($0) }.firstOrDefault(nil, within: .seconds(2000))
    #expect(outcome.error is TimedOut)
    // One start and one finish each; the rest belongs to the run, its connection and the repeat.
    #expect(last.withLock { $0 } == 4008)
    #expect(!bench.device.isConnected)
  }

  @Test("a repeat of steps that never wait can still be interrupted")
  func busyRepetition() throws {
    let (loop, scheduler) = (bench.loop, bench.device.scheduler)
    let last = Guarded(0)
    let outcome = repeating(1_000_000, try .log("again")) { count in
      last.withLock { $0 = count }
      if count == 100 { loop.post { scheduler.cancelAll(Interrupted(signal: 2)) } }
    }.map { Optional($0) }.firstOrDefault(nil, within: .seconds(2000))
    #expect(outcome.error as? Interrupted == Interrupted(signal: 2))
    #expect(last.withLock { $0 } < 110)
  }
}
