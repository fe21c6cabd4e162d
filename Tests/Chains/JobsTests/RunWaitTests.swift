// The current operation of a run, as reported to its observer.

import Bluetooth
import Documents
import Signals
import Testing

@testable import Jobs

@Suite("Progress of a run")
struct RunWaitTests {
  private let bench = RunBench()

  /// The waits of a run in short: `1 reading battery-level at 0s for 20s`.
  private func waits(_ plan: Plan) -> [String] {
    let waits = Guarded<[String]>([])
    var runner = bench.runner(plan)
    runner.follow = { wait in
      var text = wait.position.map { "\($0) " } ?? ""
      text += "\(wait.what) at \(wait.begun.sinceStart.written)"
      if let limit = wait.limit { text += " for \(limit.written)" }
      if let values = wait.values { text += ", \(values) values" }
      if let number = wait.stepTry { text += ", try \(number.ordinal) of \(number.most)" }
      if let number = wait.attempt { text += ", attempt \(number.ordinal) of \(number.most)" }
      waits.withLock { $0.append(text) }
    }
    _ = runner.ending().map { Optional($0) }.firstOrDefault(nil, within: .seconds(1000))
    return waits.withLock { $0 }
  }

  @Test("each step reports its operation and its limit: its own, that of the chain or its duration")
  func steps() throws {
    let plan = try Plan.parse(
      line: "read battery-level within 3s; sleep 2s; log done; repeat 2 { rssi }"
    )
    #expect(
      waits(plan).prefix(6) == [
        "connecting to Thermo-1 at 0s for 20s", "1 reading battery-level at 0s for 3s",
        "2 sleeping at 0s for 2s", "4[1].1 measuring the RSSI at 2s for 20s",
        "4[2].1 measuring the RSSI at 2s for 20s",
        "disconnecting from Thermo-1 at 2s for 10s",
      ]
    )
  }

  @Test("attempts of steps and of the chain are numbered, as are the waits between them")
  func tries() throws {
    let lost = DeviceFailure.scripted(.linkLost, .passing)
    bench.device.answer("read battery-level", .failure(lost))
    var plan = try Plan.parse(line: "read battery-level attempts 2 backoff 1s")
    plan.retry = RetryRule(attempts: 2, backoff: .seconds(4))
    #expect(
      waits(plan) == [
        "connecting to Thermo-1 at 0s for 20s, attempt 1 of 2",
        "1 reading battery-level at 0s for 20s, try 1 of 2, attempt 1 of 2",
        "1 waiting before the next try at 0s for 1s, try 2 of 2, attempt 1 of 2",
        "1 reading battery-level at 1s for 20s, try 2 of 2, attempt 1 of 2",
        "disconnecting from Thermo-1 at 1s for 10s, attempt 1 of 2",
        "waiting before attempt 2 at 1s for 4s, attempt 1 of 2",
        "connecting to Thermo-1 at 5s for 20s, attempt 2 of 2",
        "1 reading battery-level at 5s for 20s, try 1 of 2, attempt 2 of 2",
        "1 waiting before the next try at 5s for 1s, try 2 of 2, attempt 2 of 2",
        "1 reading battery-level at 6s for 20s, try 2 of 2, attempt 2 of 2",
        "disconnecting from Thermo-1 at 6s for 10s, attempt 2 of 2",
      ]
    )
  }

  @Test("a stream reports the number of values and the time that end it")
  func streams() throws {
    let counted = try Plan.parse(line: "notify temperature-measurement until 3 within 5s")
    #expect(
      waits(counted).dropFirst().first
        == "1 listening to temperature-measurement at 0s for 5s, 3 values"
    )
    let timed = try Plan.parse(line: "notify temperature-measurement for 2s")
    #expect(
      waits(timed).dropFirst().prefix(2) == [
        "1 listening to temperature-measurement at 0s for 22s",
        "1 listening to temperature-measurement at 0s for 2s",
      ]
    )
  }
}
