// Invariants of every run, for many seeds of answers, delays, silences and cancellations.

import Bluetooth
import Signals
import Testing

@testable import Jobs

@Suite("Every run")
struct RunInvariantTests {
  static let chain = """
    timeout: 5s
    retry: { attempts: 2, backoff: 1s }
    steps:
      - { read: battery-level, as: b }
      - notify: heart-rate-measurement
        after: { write: heart-rate-control-point, value: { u8: 1 } }
        until: { count: 2 }
      - repeat: 2
        steps: [ { write: alert-level, value: { u8: 1 } }, { sleep: 700ms } ]
      - when: { b.percent: { above: 50 } }
        steps: [ disconnect, { sleep: 1s }, connect, { read: battery-level } ]
    """

  /// A run in which all calls except the last disconnect may fail, be late or never be answered.
  private func run(seed: UInt64) throws -> RunBench {
    var generator = SeededGenerator(seed: seed, name: "answers")
    func delay() -> Duration {
      .milliseconds([0, 0, 1, 300, 900, 4999, 5000, 5001].randomElement(using: &generator) ?? 0)
    }
    func answer(_ octets: [UInt8]) -> ScriptedDevice.Answer {
      switch Int.random(in: 0..<14, using: &generator) {
      case 0: .silence
      case 1: .failure(DeviceFailure.scripted(.linkLost, .passing), after: delay())
      case 2: .failure(DeviceFailure.scripted(.refused, .definite), after: delay())
      default: .value(octets, after: delay())
      }
    }
    let bench = RunBench()
    bench.device.answer("connect", answer([]), answer([]), .value([]))
    for name in ["read battery-level", "write alert-level", "write heart-rate-control-point"] {
      bench.device.answer(name, answer([72]), answer([7]), answer([72]))
    }
    for name in ["subscribe heart-rate-measurement", "unsubscribe heart-rate-measurement"] {
      bench.device.answer(name, answer([]), .value([]))
    }
    let second: [UInt8] = Int.random(in: 0..<4, using: &generator) == 0 ? [0] : [0, 62]
    bench.device.notify("heart-rate-measurement", [(delay(), [0, 61]), (delay(), second)])
    if Bool.random(using: &generator) {
      let scheduler = bench.device.scheduler
      let at = Duration.milliseconds(Int.random(in: 0..<12_000, using: &generator))
      bench.loop.after(at) { scheduler.cancelAll(Interrupted(signal: 2)) }
    }
    try bench.run(file: Self.chain)
    return bench
  }

  @Test("every run ends exactly once, disconnected, with all steps ended and events in order")
  func invariants() throws {
    var statuses: [RunEnding.Status] = []
    for seed in UInt64(0)..<600 {
      let bench = try run(seed: seed)
      let events = bench.events
      #expect(!bench.device.isConnected, "seed \(seed)")
      #expect(events.filter(\.isEnd).count == 1, "seed \(seed)")
      #expect(events.last?.isEnd == true, "seed \(seed)")
      #expect(events.map(\.offset) == events.map(\.offset).sorted(), "seed \(seed)")
      var open: [StepPosition] = []
      for event in events {
        switch event.change {
        case .step(.started(let step)): open.append(step.position)
        case .data(let step, _):
          #expect(open.last == step.position, "seed \(seed)")
        case .remark: break
        case .step(.finished(let result)):
          #expect(open.popLast() == result.step.position, "seed \(seed)")
        case .run: #expect(open.isEmpty, "seed \(seed)")
        }
      }
      let ending = try #require(bench.ending)
      #expect((ending.failure == nil) == (ending.status == .ok), "seed \(seed)")
      #expect((ending.exitStatus == .ok) == (ending.status == .ok), "seed \(seed)")
      statuses.append(ending.status)
    }
    // The seeds reach every kind of ending.
    #expect(Set(statuses) == [.ok, .failed, .cancelled])
  }

  @Test("a run with the same seed is identical")
  func repeats() throws {
    for seed in UInt64(0)..<50 {
      #expect(try run(seed: seed).json() == run(seed: seed).json(), "seed \(seed)")
    }
  }
}

extension RunEvent {
  fileprivate var isEnd: Bool {
    if case .run(.finished) = change { true } else { false }
  }
}
