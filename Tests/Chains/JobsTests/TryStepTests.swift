// `try` and `finally`: the finally steps run however the rest ended.

import Bluetooth
import Signals
import Testing

@testable import Jobs

@Suite("try and finally")
struct TryStepTests {
  let bench = RunBench()

  static let file = """
    steps:
    - try:
      - { read: battery-level }
      - { sleep: 5s }
      finally:
      - { write: alert-level, value: { u8: 0 } }
    - log: after
    """

  func run(_ text: String = TryStepTests.file, within limit: Duration = .seconds(1000)) throws {
    bench.run(try Plan.parse(text, file: "c"), within: limit)
  }

  @Test("the finally steps run after success, with their own positions")
  func well() throws {
    try run()
    #expect(
      bench.device.calls == [
        "connect", "read battery-level", "write alert-level 00 at 5s", "disconnect at 5s",
      ]
    )
    #expect(
      bench.text() == [
        "-  connect  ok", "1.1  read battery-level  72 %", "1.2  sleep 5s  ok",
        "1.finally.1  write alert-level u8:0  ok", "1  try  ok", "2  log  after",
        "-  disconnect  ok", "ok: 4 steps in 5.000 s",
      ]
    )
  }

  @Test(
    "the finally steps run after a failure, before the disconnect; the first cause is reported"
  )
  func failed() throws {
    bench.device.answer("read battery-level", .failure(DeviceFailure.scripted(.refused, .definite)))
    try run()
    #expect(
      bench.device.calls == ["connect", "read battery-level", "write alert-level 00", "disconnect"]
    )
    #expect(bench.ending?.failure?.code == .refused)
    #expect(bench.ending?.step?.place == "step 1.1")
  }

  @Test("the finally steps run to their end even when the run is cancelled")
  func cancelled() throws {
    bench.device.answer("write alert-level", .value([], after: .seconds(2)))
    try run(within: .seconds(3))
    #expect(bench.device.calls.suffix(2) == ["write alert-level 00 at 3s", "disconnect at 5s"])
    #expect(bench.ending?.status == .cancelled)
    #expect(bench.ending?.step?.place == "step 1.2")
  }

  @Test("a failure in finally is attached to the first cause")
  func both() throws {
    bench.device.answer("read battery-level", .failure(DeviceFailure.scripted(.refused, .definite)))
    bench.device.answer("write alert-level", .failure(DeviceFailure.scripted(.linkLost, .passing)))
    try run()
    let failure = bench.ending?.failure
    #expect(failure?.code == .refused)
    #expect(failure?.why.contains("and cleaning up failed") == true)
    #expect(bench.ending?.step?.place == "step 1.1")
    let failed = bench.endings.filter { $0.status == .failed }.map { "\($0.step.position)" }
    #expect(failed == ["1.1", "1.finally.1", "1"])
  }

  @Test("a failure in finally is the cause if all else succeeded, and no further step runs")
  func onlyLast() throws {
    bench.device.answer("write alert-level", .failure(DeviceFailure.scripted(.linkLost, .passing)))
    try run()
    #expect(bench.ending?.failure?.code == .linkLost)
    #expect(bench.ending?.step?.place == "step 1.finally.1")
    #expect(bench.endings.contains { $0.step.operation == "log" } == false)
  }

  @Test("finally has its own limit: 10 s, or the timeout of the try")
  func limit() throws {
    bench.device.answer("write alert-level", .silence)
    try run()
    #expect(bench.device.calls.last == "disconnect at 15s")
    let other = RunBench()
    other.device.answer("write alert-level", .silence)
    other.run(
      try Plan.parse(
        "steps: [ { try: [ { sleep: 1s } ], finally: [ { write: 2a06, value: { u8: 1 } } ], timeout: 2s } ]",
        file: "c"
      )
    )
    #expect(
      other.device.calls.last == "disconnect at 1s" || other.device.calls.last == "disconnect at 3s"
    )
  }

  @Test("nested finally blocks run from the inside out")
  func nested() throws {
    bench.device.answer("read battery-level", .failure(DeviceFailure.scripted(.refused, .definite)))
    try run(
      """
      steps:
      - try:
        - try: [ { read: battery-level } ]
          finally: [ { log: inner } ]
        finally: [ { log: outer }, { repeat: 2, steps: [ { log: again } ] } ]
      """
    )
    let said = bench.text().filter { $0.contains("  log  ") }
    #expect(
      said == [
        "1.1.finally.1  log  inner", "1.finally.1  log  outer", "1.finally.2[1].1  log  again",
        "1.finally.2[2].1  log  again",
      ]
    )
  }

  @Test("a dry run shows both blocks, and the services that are always needed are known")
  func plan() throws {
    let plan = try Plan.parse(Self.file, file: "c")
    #expect(
      plan.lines.suffix(8) == [
        "      connect", "1     try", "1.1     read battery-level", "1.2     sleep 5s",
        "      finally",
        "1.finally.1   write alert-level u8:0", "2     log after", "      disconnect",
      ]
    )
    let own = try Plan.parse(
      "steps: [ { try: [ connect, { read: battery/battery-level } ], finally: [ { log: x } ] } ]",
      file: "c"
    )
    #expect(own.impliedConnectIndex == nil)
    #expect(own.expectedServices.count == 1)
  }
}
