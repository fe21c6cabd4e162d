// The course of a suite: the order of its tests, its targets, its output and its end.

import BLETesting
import BlueZ
import BlueZSimulator
import Bluetooth
import Documents
import Fixtures
import Jobs
import NordicSuites
import Signals
import SimulatedDevices
import Testing

@Suite("Running a suite")
struct SuiteRunTests {
  /// Reads a suite of `docs/examples/nordic`.
  static func example(
    _ name: String, _ variables: [(name: String, value: String)] = []
  ) throws -> Suite {
    try Suite.load(path: "\(projectFolder)/docs/examples/nordic/\(name).xml", variables: variables)
  }

  @Test("scan-for binds a target for this test and the next; not while it is connected")
  func binding() throws {
    let bench = try SuiteBench("echo", "battery")
    let suite = try Suite.parse(
      """
      <test-suite>
        <target id="dut"/>
        <test id="find" target="dut">
          <scan-for name="${NAME}" bind-target="dut"/> <connect/>
          <scan-for name="${NAME}" bind-target="dut" expected="FAIL"/>
          <read \(Echo.echo)/>
        </test>
        <test id="again" target="dut"><connect/><read \(Echo.echo)/></test>
        <run-test ref="find"><set name="NAME" value="Echo-1"/></run-test>
        <run-test ref="again"/>
        <run-test ref="find"><set name="NAME" value="Nobody"/></run-test>
      </test-suite>
      """,
      file: "suite.xml"
    )
    let ending = try bench.run(suite)
    #expect(ending.results.map(\.status) == [.ok, .ok, .failed], "\(bench.text)")
    #expect(ending.results[2].failure?.code == .notFound && ending.exitStatus == .passing)
  }

  @Test("a test that joins another program's connection warns, once, and leaves it up")
  func foundConnection() throws {
    let bench = try SuiteBench("echo")
    let world = bench.world
    let client = try world.loop.run { try await BlueZClient.open(bus: try world.connection()) }
    let other = BlueZDevice(
      client: client, target: .address(try world.device().definition.address),
      scheduler: SerialScheduler(on: world.loop)
    )
    let origin = other.connect(keep: true, expecting: []).firstResult(within: .seconds(10))
    #expect(try origin.get() == .made)
    let ending = try bench.run("<connect/> <read \(Echo.echo)/> <connect/> <read \(Echo.echo)/>")
    #expect(ending.exitStatus == .ok && ending.warnings == 1, "\(bench.text)")
    #expect(bench.results.map(\.status) == [.warning, .ok, .ok, .ok])
    for lines in [bench.text, bench.json] {
      #expect(lines.contains { $0.contains("was connected before this test") }, "\(lines)")
    }
    #expect(try world.device().isLinked)
    try bench.run("<connect/> <disconnect/> <connect/>")
    #expect(bench.results.suffix(3).map(\.status) == [.warning, .ok, .ok])
  }

  @Test("a scan lasts its full time and prints each matching device in the format of nRF Connect")
  func scanning() throws {
    let bench = try SuiteBench("echo", "heart-rate")
    let ending = try bench.run(
      """
      <scan timeout="3000" rssi="-90"/> <scan timeout="1000" data="^05030D18"/>
      <scan-for address="C0:FF:EE:00:00:04" data="FFFFFF4543"/>
      <scan-for data="0D18" rssi="-10" timeout="2000" expected="FAIL"/>
      """
    )
    #expect(ending.exitStatus == .ok, "\(bench.text)")
    #expect(bench.results[0].took == .seconds(3) && bench.results[1].took == .seconds(1))
    let heard = bench.text.filter { $0.contains("C0:FF:EE:00:00:02") }
    let form = try Regex(
      "^     00:00:0[0-9]\\.[0-9]{3} C0:FF:EE:00:00:02 -[0-9]+ 05030D180F18[0-9A-F]+$"
    )
    #expect(!heard.isEmpty && heard.allSatisfy { $0.wholeMatch(of: form) != nil }, "\(heard)")
  }

  @Test("advertised data is still known after the services were discovered, and nothing is added")
  func advertisedAfterConnecting() throws {
    let bench = try SuiteBench("heart-rate")
    let ending = try bench.run(
      """
      <scan-for data="^05030D180F18" timeout="2000"/>
      <connect/> <discover-services/> <disconnect/>
      <scan-for data="^05030D180F18" timeout="2000"/>
      <scan-for description="Device Information" data="0A18" timeout="2000" expected="FAIL"/>
      <scan timeout="1000"/>
      """
    )
    #expect(ending.exitStatus == .ok && ending.warnings == 0, "\(bench.text)")
    let data = bench.text.filter { $0.contains("C0:FF:EE:00:00:02") }
      .compactMap { $0.split(separator: " ").last }
    #expect(data.count >= 3 && Set(data).count == 1, "\(data)")
  }

  @Test("variables of a run override those of the command line, which override the suite")
  func variables() throws {
    let text = """
      <test-suite><set name="A" value="suite"/><set name="B" value="${A}-b"/>
      <test id="t" description="${A} ${B}"><sleep/></test>
      <run-test ref="t"/><run-test ref="t"><set name="A" value="run"/></run-test></test-suite>
      """
    let own = try Suite.parse(text, file: "suite.xml")
    #expect(own.runs.map(\.title) == ["suite suite-b", "run suite-b"])
    let given = try Suite.parse(text, file: "suite.xml", variables: [("A", "given")])
    #expect(given.runs.map(\.title) == ["given given-b", "run given-b"])
  }

  @Test("a cancelled run disconnects and runs no further test")
  func cancelled() throws {
    let bench = try SuiteBench("echo")
    let suite = try Suite.parse(
      """
      <test-suite><target id="dut" address="C0:FF:EE:00:00:04"/>
      <test id="t" target="dut"><connect/>\(Echo.subscribe)<sleep timeout="60000"/></test>
      <run-test ref="t"/><run-test ref="t"/></test-suite>
      """,
      file: "suite.xml"
    )
    let scheduler = bench.world.scheduler
    _ = bench.world.loop.after(.seconds(10)) { scheduler.cancelAll(Interrupted(signal: 15)) }
    let ending = try bench.run(suite)
    #expect(ending.results.map(\.status) == [.cancelled] && ending.notRun == 1, "\(bench.text)")
    #expect(ending.exitStatus == .interrupted(by: 15))
    #expect(ending.results.first?.failure?.what == "running the test")
    #expect(bench.results.last?.failure?.what == "sleep")
    #expect(bench.text.last?.contains("0 of 2 tests passed, 1 cancelled, 1 not run") == true)
    #expect(bench.json.last?.contains(#""failed":0,"cancelled":1,"notRun":1"#) == true)
    #expect(bench.world.events.last?.description.hasSuffix("link down") == true)
  }

  @Test("values that a names file describes have their fields")
  func described() throws {
    let bench = try SuiteBench(
      """
      address: C0:FF:EE:00:00:01
      name: Soil-1
      names: { record: { uuid: fff1, fields: [{ sequence: u16 }, { wet: u16, scale: 0.01, unit: "%" }] } }
      services:
      - service: fff0
        characteristics: [{ characteristic: record, properties: [read], value: { hex: "0700a00f" } }]
      """
    )
    let uuids = ["fff0", "fff1"].map { "0000\($0)-0000-1000-8000-00805f9b34fb" }
    let suite = try Suite.parse(
      """
      <test-suite><target id="dut" address="C0:FF:EE:00:00:01"/>
      <test id="t" target="dut"><connect/>
      <read service-uuid="\(uuids[0])" characteristic-uuid="\(uuids[1])"/></test>
      <run-test ref="t"/></test-suite>
      """,
      file: "suite.xml", names: bench.world.device().definition.names
    )
    try bench.run(suite)
    #expect(bench.text.contains { $0.contains("sequence 7, wet 40.00 %") }, "\(bench.text)")
    #expect(bench.json.contains { $0.contains(#""value":{"sequence":7,"wet":40.0}"#) })
  }

  @Test("a dropped connection ends the test with a transient failure")
  func lost() throws {
    let bench = try SuiteBench("echo")
    let world = bench.world
    _ = world.loop.after(.seconds(4)) { try? world.vanish() }
    let ending = try bench.run("<connect/> <sleep/> <read \(Echo.echo)/>")
    #expect(ending.exitStatus == .passing, "\(bench.text)")
  }

  @Test("a dropped connection ends the wait for a notification immediately")
  func lostWhileWaiting() throws {
    let bench = try SuiteBench("echo")
    let world = bench.world
    _ = world.loop.after(.seconds(6)) { try? world.dropLink() }
    try bench.run(
      """
      <connect/> \(Echo.subscribe)
      <assert-notification \(Echo.answers) timeout="60000"/>
      """
    )
    let last = try #require(bench.results.last)
    #expect(last.failure?.code == .linkLost && last.took < .seconds(6), "\(bench.text)")
  }

  @Test("a suite with the same seed gives identical output")
  func repeats() throws {
    let runs = try (0..<2).map { _ in
      let bench = try SuiteBench("heart-rate")
      try bench.run(Self.example("heart-rate"))
      return bench.text + bench.json
    }
    #expect(runs[0] == runs[1])
  }

  @Test("JSON output has an object for each event, with values, notes and errors")
  func json() throws {
    let bench = try SuiteBench("echo")
    try bench.run(
      "<connect/> <refresh/> <write \(Echo.echo) value=\"0a\"/> <read \(Echo.control)/>"
    )
    let lines = bench.json
    #expect(lines.first?.contains("\"event\":\"suite-started\"") == true)
    #expect(
      lines.contains { $0.contains("\"operation\":\"write\"") && $0.contains("\"hex\":\"0a\"") }
    )
    #expect(lines.contains { $0.contains("\"status\":\"warning\"") && $0.contains("\"notes\":[") })
    #expect(
      lines.contains { $0.contains("\"event\":\"test-finished\"") && $0.contains("\"error\":{") }
    )
    #expect(lines.last?.contains("\"exitStatus\":1,\"passed\":0,\"failed\":1") == true)
  }

  @Test("a view of the run receives each operation with its limit when it starts")
  func waits() throws {
    let bench = try SuiteBench("echo")
    let suite = try SuiteBench.suite(
      "<connect timeout=\"4000\"/> <sleep timeout=\"250\"/> <read \(Echo.echo)/>",
      address: bench.world.device().definition.address
    )
    let waits = Recorded<RunWait>()
    var runner = bench.runner(suite)
    runner.follow = { waits.add($0) }
    _ = try bench.world.loop.run { [runner] in await runner.run() }
    let starts = bench.events.filter { if case .step(.started) = $0.change { true } else { false } }
    #expect(waits.all.map(\.limit) == [.seconds(4), .milliseconds(250), .seconds(5)])
    #expect(waits.all.map(\.position) == [StepPosition(1), StepPosition(2), StepPosition(3)])
    #expect(
      waits.all.map { bench.world.loop.wallClockAtStart + $0.begun.sinceStart }
        == starts.map(\.wallClock)
    )
  }

  @Test("a timeout of 0 is none, and a sleep or scan of 0 ends at once")
  func noTimeout() throws {
    let bench = try SuiteBench("echo")
    let suite = try SuiteBench.suite(
      """
      <scan-for name="Echo-1" timeout="0"/> <connect timeout="0"/> <read \(Echo.echo) timeout="0"/>
      <sleep timeout="0"/> <scan timeout="0"/>
      """,
      address: bench.world.device().definition.address
    )
    try bench.run(suite)
    #expect(bench.endings == ["scan-for", "connect", "read", "sleep", "scan"])
    #expect(bench.results.suffix(2).allSatisfy { $0.took < .seconds(1) })
    #expect(suite.lines.count { $0.contains("without a timeout") } == 3, "\(suite.lines)")
  }

  @Test("sleep, refresh and the end of a test pause as long as in nRF Connect")
  func pauses() throws {
    let bench = try SuiteBench("echo")
    try bench.run("<connect/> <refresh/> <sleep/> <sleep timeout=\"250\"/>")
    let took = try #require(bench.events.last?.offset)
    let connecting = try #require(bench.results.first?.took)
    // 1 s after connect, 1 s after refresh, 5 s and 0.25 s of sleep, 2 s at the end; and bluetoothd
    // takes 2 s over disconnecting.
    let pauses = took - connecting
    #expect(pauses >= .milliseconds(11_250) && pauses < .milliseconds(11_500), "\(pauses)")
  }

  @Test(
    "the hint for a mistake in the suite names the operation to add",
    arguments: [
      ("<read \(Echo.echo)/>", "<connect/>"),
      ("<connect/> <assert-notification \(Echo.answers) timeout=\"1000\"/>", "write 0100"),
      ("<connect/> <execute-reliable-write/>", "begin-reliable-write"),
    ]
  )
  func hints(_ operations: String, _ part: String) throws {
    let bench = try SuiteBench("echo")
    try bench.run(operations)
    #expect(bench.results.last?.failure?.hint.contains(part) == true, "\(bench.text)")
  }
}
