// Trying a chain again.

import Bluetooth
import Signals
import Testing

@testable import Jobs

@Suite("Retrying a chain")
struct RetryTests {
  let bench = RunBench()

  func plan(attempts: Int, backoff: Duration = .seconds(2)) throws -> Plan {
    var plan = try Plan.parse(line: "read battery-level as b")
    plan.retry = RetryRule(attempts: attempts, backoff: backoff)
    return plan
  }

  @Test(
    "a transient failure retries the chain from the connect, with a backoff that doubles"
  )
  func passing() throws {
    let lost = DeviceFailure.scripted(.linkLost, .passing)
    bench.device.answer(
      "read battery-level",
      .failure(lost),
      .failure(lost),
      .value([72])
    )
    #expect(bench.run(try plan(attempts: 3)) == nil)
    #expect(
      bench.device.calls == [
        "connect", "read battery-level", "disconnect",
        "connect at 2s", "read battery-level at 2s", "disconnect at 2s",
        "connect at 6s", "read battery-level at 6s", "disconnect at 6s",
      ]
    )
    #expect(
      bench.story.suffix(8) == [
        "try 3: connect connect…", "try 3: connect connect ok", "try 3: 1 read…",
        "try 3: 1 72 %", "try 3: 1 read ok",
        "try 3: disconnect disconnect…", "try 3: disconnect disconnect ok", "try 3: run ok",
      ]
    )
    #expect(bench.ending?.done == 1)
  }

  @Test("a second attempt does not see the bytes captured by the first")
  func captured() throws {
    let refused = DeviceFailure.scripted(.refused, .definite)
    bench.device.answer("read battery-level", .value([72]), .failure(refused))
    bench.device.answer("write alert-level", .failure(DeviceFailure.scripted(.linkLost, .passing)))
    try bench.run(
      file: """
        retry: { attempts: 2 }
        steps:
        - { read: battery-level, as: b, on-failure: continue }
        - { write: alert-level, value: { hex: "{b[0:1]}" } }
        """
    )
    #expect(bench.device.calls.count { $0.hasPrefix("write") } == 1)
    #expect(bench.ending?.failure?.why.hasPrefix("'b[0:1]' was not captured") == true)
  }

  @Test("the run ends with the last failure when all attempts are used")
  func usedUp() throws {
    bench.device.answer("connect", .failure(DeviceFailure.scripted(.notFound, .passing)))
    #expect((bench.run(try plan(attempts: 2)) as? DeviceFailure)?.code == .notFound)
    #expect(bench.device.calls == ["connect", "connect at 2s"])
    #expect(bench.ending?.exitStatus == .passing)
  }

  @Test("a long backoff is not shortened")
  func longWait() throws {
    bench.device.answer("connect", .failure(DeviceFailure.scripted(.notFound, .passing)))
    _ = bench.run(try plan(attempts: 2, backoff: .seconds(90)))
    #expect(bench.device.calls.last == "connect at 90s")
  }

  @Test("a permanent failure is not retried")
  func definite() throws {
    bench.device.answer("read battery-level", .failure(DeviceFailure.scripted(.refused, .definite)))
    #expect(bench.run(try plan(attempts: 5)) != nil)
    #expect(bench.device.calls == ["connect", "read battery-level", "disconnect"])
  }

  @Test("a chain that succeeded is not retried because its clean-up failed")
  func cleanUp() throws {
    bench.device.answer("disconnect", .failure(DeviceFailure.scripted(.busy, .passing)))
    #expect(bench.run(try plan(attempts: 5)) is FailedWithCleanUp)
    #expect(bench.device.calls == ["connect", "read battery-level", "disconnect"])
  }

  @Test("cancellation ends the wait between attempts")
  func cancelled() throws {
    bench.device.answer("connect", .failure(DeviceFailure.scripted(.notFound, .passing)))
    let scheduler = bench.device.scheduler
    bench.loop.after(.seconds(1)) { scheduler.cancelAll(Interrupted(signal: 1)) }
    #expect(bench.run(try plan(attempts: 5)) is Interrupted)
    #expect(bench.device.calls == ["connect"])
    #expect(bench.ending?.exitStatus == .interrupted(by: 1))
  }
}
