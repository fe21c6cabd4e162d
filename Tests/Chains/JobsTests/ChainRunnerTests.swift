// Running chains: order, endings, clean-up.

import Bluetooth
import Signals
import Testing

@testable import Jobs

@Suite("Running a chain")
struct ChainRunnerTests {
  let bench = RunBench()

  @Test("a chain connects, runs its steps in order, disconnects, and reports each of them")
  func course() throws {
    let error = try bench.run("read battery-level; write alert-level u8:1; sleep 2s")
    #expect(error == nil)
    #expect(
      bench.device.calls == [
        "connect", "read battery-level", "write alert-level 01", "disconnect at 2s",
      ]
    )
    #expect(
      bench.story == [
        "run", "connect connect…", "connect connect ok", "1 read…", "1 72 %", "1 read ok",
        "2 write…", "2 write ok", "3 sleep…", "3 sleep ok", "disconnect disconnect…",
        "disconnect disconnect ok", "run ok",
      ]
    )
    #expect(bench.ending?.done == 3)
    #expect(!bench.device.isConnected)
  }

  @Test("nothing happens before a chain is run, and each run starts from the beginning")
  func cold() throws {
    let chain = bench.runner(try Plan.parse(line: "read battery-level")).chain().collect()
    #expect(bench.device.calls.isEmpty)
    #expect(chain.firstOrDefault([], within: .seconds(9)).value.map(\.status) == [.ok])
    bench.device.forgetCalls()
    #expect(chain.firstOrDefault([], within: .seconds(9)).success)
    #expect(bench.device.calls == ["connect", "read battery-level", "disconnect"])
  }

  @Test("a connection that was already up is left up, unless a step disconnects it")
  func foundLink() throws {
    let bench = RunBench(origin: .found)
    #expect(try bench.run("read battery-level") == nil)
    #expect(bench.device.calls == ["connect", "read battery-level"])
    let warning = ["-  connect  warning (ok, was connected before and stays so)"]
    #expect(Array(bench.text().prefix(1)) == warning)
    bench.device.forgetCalls()
    #expect(try bench.run("read battery-level; disconnect") == nil)
    #expect(bench.device.calls == ["connect", "read battery-level", "disconnect"])
  }

  @Test("a connection made by another program is reported as a warning in every output format")
  func foundLinkWarns() throws {
    let bench = RunBench(origin: .found)
    #expect(try bench.run("connect; read battery-level; connect") == nil)
    #expect(bench.ending?.status == .ok && bench.ending?.warnings == 1)
    let quiet = bench.events.flatMap { QuietReport(TextReport()).lines(for: $0) }
    for lines in [bench.text(), quiet, bench.json()] {
      #expect(lines.contains { $0.contains("was connected before this run") }, "\(lines)")
    }
    #expect(bench.text().last?.hasSuffix(", 1 warning") == true, "\(bench.text())")
    let runs = RunCollector.runs(of: bench.events)
    let reports: [any RunsReport] = [TAPReport(), JUnitReport(), HTMLReport()]
    for report in reports {
      let text = report.text(on: runs)
      #expect(text.contains("warning: the device was connected before this run"))
    }
  }

  @Test(
    "an exclusive chain fails if the device is already connected",
    arguments: [LinkOrigin.found, .shared]
  )
  func exclusive(_ origin: LinkOrigin) throws {
    let bench = RunBench(origin: origin)
    try bench.run(file: "exclusive: true\nsteps: [ { read: battery-level } ]")
    #expect(bench.ending?.failure?.code == .busy && bench.ending?.failure?.class == .passing)
    #expect(bench.ending?.failure?.hint.contains("bluetoothctl disconnect") == true)
    #expect(bench.device.calls == (origin == .found ? ["connect"] : ["connect", "disconnect"]))
  }

  @Test("an exclusive chain demands its own connection in each attempt, even if it keeps it")
  func exclusiveAttempts() throws {
    let bench = RunBench(origin: .found)
    try bench.run(
      file: """
        exclusive: true
        keep: true
        retry: { attempts: 2, backoff: 1s }
        steps: [ { read: battery-level } ]
        """
    )
    #expect(bench.ending?.failure?.code == .busy)
    #expect(bench.device.calls == ["connect", "connect at 1s"])
  }

  @Test("an exclusive chain accepts the connection that an earlier run of this process keeps")
  func exclusiveKept() throws {
    let bench = RunBench(origin: .shared)
    try bench.run(file: "exclusive: true\nkeep: true\nsteps: [ { read: battery-level } ]")
    #expect(bench.ending?.status == .ok && bench.ending?.warnings == 0)
  }

  @Test("an exclusive chain accepts its own connection, even when kept or made again")
  func ownExclusive() throws {
    let steps = "steps: [ connect, { read: battery-level }, disconnect, connect, connect ]"
    for keep in ["", "keep: true\n"] {
      let bench = RunBench()
      try bench.run(file: "exclusive: true\n\(keep)\(steps)")
      #expect(bench.ending?.status == .ok && bench.ending?.warnings == 0)
    }
  }

  @Test("a chain releases a shared connection at its end")
  func sharedLink() throws {
    let bench = RunBench(origin: .shared)
    #expect(try bench.run("read battery-level") == nil)
    #expect(bench.device.calls == ["connect", "read battery-level", "disconnect"])
    #expect(bench.text().first == "-  connect  ok, was connected before")
  }

  @Test("an explicit connect adds no implied one, and a chain may disconnect midway")
  func ownLinks() throws {
    #expect(try bench.run("connect; read battery-level; disconnect; sleep 5s; connect") == nil)
    #expect(
      bench.device.calls == [
        "connect", "read battery-level", "disconnect", "connect at 5s", "disconnect at 5s",
      ]
    )
  }

  @Test("a connect that begins a repeat adds no implied one, and a new attempt starts with it")
  func repeatedLinks() throws {
    let lost = DeviceFailure.scripted(.linkLost, .passing)
    bench.device.answer("read battery-level", .failure(lost), .value([72]))
    let error = try bench.run(
      file: """
        retry: { attempts: 2, backoff: 1s }
        steps: [{ repeat: 2, steps: [connect, { read: battery-level }, disconnect] }]
        """
    )
    #expect(error == nil)
    #expect(
      bench.device.calls == [
        "connect", "read battery-level", "disconnect",
        "connect at 1s", "read battery-level at 1s", "disconnect at 1s",
        "connect at 1s", "read battery-level at 1s", "disconnect at 1s",
      ]
    )
    #expect(bench.text().filter { $0.hasPrefix("attempt") } == ["attempt 2 of 2"])
  }

  @Test("a chain whose last step disconnects is not disconnected again")
  func ownEnd() throws {
    #expect(try bench.run("read battery-level; disconnect") == nil)
    #expect(bench.device.calls == ["connect", "read battery-level", "disconnect"])
    #expect(bench.story.last == "run ok")
  }

  static let calls = [
    "read battery-level", "write alert-level", "subscribe battery-level", "disconnect",
  ]

  @Test(
    "when a step fails, the remaining steps are skipped and the chain disconnects", arguments: calls
  )
  func failing(call: String) throws {
    let lost = DeviceFailure.scripted(.linkLost, .passing)
    bench.device.answer(call, .failure(lost), .value([]))
    bench.device.notify("battery-level", [(.seconds(1), [50])])
    let line = """
      read battery-level; write alert-level u8:1; notify battery-level until 1x
      disconnect; read temperature-measurement
      """
    let error = try bench.run(line)
    #expect(error as? DeviceFailure == lost)
    let stopped = bench.device.calls.firstIndex { $0.hasPrefix(call) } ?? 0
    #expect(bench.device.calls.dropFirst(stopped + 1).map { $0.prefix(10) } == ["disconnect"])
    #expect(!bench.device.isConnected)
    #expect(bench.endings.suffix(2).map(\.status) == [.failed, .ok])
    #expect(bench.endings.last?.step.position == .impliedDisconnect)
    #expect(bench.ending?.status == .failed)
    #expect(bench.ending?.exitStatus == .passing)
  }

  @Test("a connect that fails leaves nothing to disconnect")
  func notConnected() throws {
    bench.device.answer("connect", .failure(DeviceFailure.scripted(.notFound, .passing)))
    #expect(try bench.run("read battery-level") as? DeviceFailure != nil)
    #expect(bench.device.calls == ["connect"])
    #expect(bench.story == ["run", "connect connect…", "connect connect failed", "run failed"])
  }

  @Test("a step that takes too long fails at its own limit, or at the limit of the chain")
  func limits() throws {
    bench.device.answer("read battery-level", .silence)
    let error = try bench.run("read battery-level within 5s")
    let failure = try #require(error as? DeviceFailure)
    #expect(failure.code == .timedOut)
    #expect(failure.class == .passing)
    #expect(
      failure.description.hasPrefix(
        "reading battery-level (step 1) on 'Thermo-1': no answer came within 5s"
      )
    )
    #expect(bench.device.calls.last == "disconnect at 5s")
    _ = try bench.run(file: "timeout: 7s\nsteps: [{ read: battery-level }]")
    #expect(bench.device.calls.last == "disconnect at 12s")
  }

  @Test("the step timeout does not apply to sleep")
  func longSleep() throws {
    #expect(try bench.run("sleep 1h") == nil)
    #expect(bench.device.calls.last == "disconnect at 3600s")
  }

  @Test("a connect that takes too long is reported as such")
  func lateConnect() throws {
    bench.device.answer("connect", .silence)
    let failure = try #require(try bench.run("connect within 3s") as? DeviceFailure)
    #expect(
      failure.description.contains("connecting (step 1) on 'Thermo-1': no answer came within 3s")
    )
    #expect(bench.device.calls == ["connect"])
  }

  @Test("cancelling ends the step as cancelled and disconnects before the run ends")
  func cancelled() throws {
    bench.device.answer("read battery-level", .silence)
    let scheduler = bench.device.scheduler
    bench.loop.after(.seconds(4)) { scheduler.cancelAll(Interrupted(signal: 2)) }
    let error = try bench.run("read battery-level; sleep 1s")
    #expect(error as? Interrupted == Interrupted(signal: 2))
    #expect(bench.device.calls == ["connect", "read battery-level", "disconnect at 4s"])
    #expect(
      bench.story.suffix(4) == [
        "1 read cancelled", "disconnect disconnect…", "disconnect disconnect ok", "run cancelled",
      ]
    )
    #expect(bench.ending?.exitStatus == .interrupted(by: 2))
    #expect(bench.ending?.failure?.message == "reading battery-level: interrupted by SIGINT")
  }

  @Test("a connection that comes up while the run is being cancelled is ended")
  func cancelledConnect() throws {
    let scheduler = bench.device.scheduler
    bench.device.onConnected { scheduler.cancelAll(Interrupted(signal: 15)) }
    _ = try bench.run("read battery-level")
    #expect(bench.device.calls == ["connect", "disconnect"])
    #expect(!bench.device.isConnected)
    #expect(bench.ending?.exitStatus == .interrupted(by: 15))
  }

  @Test("the deadline of the whole run ends it like a cancellation, with its own class")
  func wholeDeadline() throws {
    bench.device.answer("read battery-level", .silence)
    let plan = try Plan.parse(line: "read battery-level")
    #expect(bench.run(plan, within: .seconds(6)) is TimedOut)
    #expect(bench.device.calls.last == "disconnect at 6s")
    #expect(bench.ending?.status == .cancelled)
    #expect(
      bench.ending?.failure?.message == "reading battery-level: the run did not end within 6s"
    )
    #expect(bench.ending?.exitStatus == .passing)
  }

  @Test("a disconnect that fails is reported and fails a run that succeeded otherwise")
  func cleanUpFails() throws {
    bench.device.answer("disconnect", .silence)
    let error = try bench.run("read battery-level")
    #expect(error is FailedWithCleanUp)
    #expect(bench.ending?.failure?.code == .cleanUpFailed)
    #expect(
      bench.ending?.failure?.why == "disconnecting from 'Thermo-1': no answer came within 10s"
    )
    #expect(bench.endings.last?.status == .failed)
    #expect(bench.ending?.exitStatus == .passing)
  }

  @Test("a failed disconnect after another failure is attached to the first cause")
  func bothFail() throws {
    let refused = DeviceFailure.scripted(.refused, .definite)
    bench.device.answer("read battery-level", .failure(refused))
    bench.device.answer("disconnect", .failure(DeviceFailure.scripted(.busLost, .unavailable)))
    _ = try bench.run("read battery-level")
    let failure = try #require(bench.ending?.failure)
    #expect(failure.code == .refused)
    #expect(
      failure.why == "the link was lost; and cleaning up failed: "
        + "reading battery-level on 'Thermo-1': the link was lost"
    )
    #expect(bench.ending?.exitStatus == .failed)
  }

  @Test("the whole run is available as one value, whether or not it succeeded")
  func wholeRun() throws {
    let plan = try Plan.parse(line: "read battery-level expect percent > 90")
    let runner = bench.runner(plan)
    let outcome = runner.ending().map { Optional($0) }.firstOrDefault(nil, within: .seconds(60))
    #expect(outcome.success)
    #expect(outcome.value?.failure?.code == .expectationNotMet)
    #expect(outcome.value == bench.ending)
  }
}
