// The course of a suite: its tests in turns, its targets, what it tells, how it ends.

import BLETesting
import BlueZSimulator
import Bluetooth
import Documents
import Jobs
import NordicSuites
import Signals
import SimulatedDevices
import Testing

@Suite("Runs of a suite")
struct SuiteRunTests {
  /// Reads a suite of `docs/examples/nordic`.
  static func example(
    _ name: String,
    _ variables: [(name: String, value: String)] = []
  ) throws -> Suite {
    let folder = TextFile.path("../../docs/examples/nordic", beside: #filePath)
    return try Suite.load(path: "\(folder)/\(name).xml", variables: variables)
  }

  @Test("the examples run as they are")
  func examples() throws {
    let strap = try SuiteBench("heart-rate")
    let measured = try strap.run(Self.example("heart-rate"))
    #expect(measured.exitStatus == .ok, "\(strap.text)")
    #expect(measured.results.map(\.status) == [.ok, .warning])
    let echo = try SuiteBench("echo")
    let echoed = try echo.run(Self.example("echo", [("ADDRESS", "C0:FF:EE:00:00:04")]))
    #expect(echoed.exitStatus == .ok && echoed.warnings == 0, "\(echo.text)")
    var lamp = try SuiteBench("thingy")
    lamp.devices = ["device": .address(try lamp.world.device().definition.address)]
    #expect(try lamp.run(Self.example("lamp")).exitStatus == .ok, "\(lamp.text)")
    #expect(lamp.written == [[1, 0, 255, 0], [0]])
  }

  @Test("a test that fails does not keep the next from being run")
  func goesOn() throws {
    let bench = try SuiteBench("echo")
    let suite = try Suite.parse(
      """
      <test-suite>
        <target id="dut" address="C0:FF:EE:00:00:04"/>
        <test id="bad" target="dut"><connect/><read \(Echo.control)/><sleep/></test>
        <test id="good" target="dut"><connect/><read \(Echo.echo)/></test>
        <run-test ref="bad"/> <run-test ref="good"/>
      </test-suite>
      """,
      file: "suite.xml"
    )
    let ending = try bench.run(suite)
    #expect(ending.results.map(\.status) == [.failed, .ok], "\(bench.text)")
    #expect(ending.exitStatus == .failed)
    let links = bench.world.events.map(\.description).filter { $0.contains("link") }
    #expect(links.map { String($0.suffix(4)) } == ["k up", "down", "k up", "down"])
  }

  @Test("a test has several devices, by the target of each operation, and disconnects them all")
  func targets() throws {
    let bench = try SuiteBench("echo", "battery")
    let battery = try bench.world.device("C0:FF:EE:00:00:03").definition.address
    let level =
      "service-uuid=\"180f\" characteristic-uuid=\"2a19\""
    let suite = try Suite.parse(
      """
      <test-suite>
        <target id="echo" address="C0:FF:EE:00:00:04"/> <target id="cell" address="\(battery)"/>
        <test id="both" target="echo">
          <connect/> <connect target="cell"/>
          <read target="cell" \(level)/> <write \(Echo.echo) value="01"/>
        </test>
        <run-test ref="both"/>
      </test-suite>
      """,
      file: "suite.xml"
    )
    #expect(try bench.run(suite).exitStatus == .ok, "\(bench.text)")
    let ends = bench.world.events.suffix(2).map(\.description)
    #expect(ends.allSatisfy { $0.hasSuffix("link down") } && Set(ends).count == 2)
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

  @Test("a target that is bound to nothing is named, and never what was expected")
  func unbound() throws {
    let bench = try SuiteBench("echo")
    let suite = try Suite.parse(
      """
      <test-suite><target id="dut"/><test id="t" target="dut"><connect expected="FAIL"/></test>
      <run-test ref="t"/></test-suite>
      """,
      file: "suite.xml"
    )
    let failure = try bench.run(suite).results[0].failure
    #expect(failure?.code == .targetNotBound)
    #expect(failure?.why == "the target 'dut' is not bound to a device")
  }

  @Test("a scan lasts its time, and tells what it hears as the format has it")
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

  @Test("what a device advertises is known after its services were read, too, and nothing else")
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

  @Test("variables of a run win over those of the command line, and those over the suite's")
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

  @Test("a macro is connected first, waits for notifications, and has no server here")
  func macro() throws {
    var bench = try SuiteBench("echo")
    bench.devices = ["device": .address(BluetoothAddress(number: 0xc0ff_ee00_0004))]
    let suite = try Suite.parse(
      """
      <macro name="M" icon="STAR">
        \(Echo.subscribe)
        <write \(Echo.control) value="02"/>
        <wait-for-notification \(Echo.answers)><assert-value value-string="first"/></wait-for-notification>
        <wait-for-indication \(Echo.answers)><assert-value value="02"/></wait-for-indication>
        <sleep-until \(Echo.answers) value="02" server="false" timeout="0"/>
        <wait-for-write \(Echo.echo)><assert-value value="01"/></wait-for-write>
      </macro>
      """,
      file: "macro.xml"
    )
    let ending = try bench.run(suite)
    let names = bench.story.prefix(7).map { String($0) }
    #expect(
      names.first == "connect ok" && names.allSatisfy { $0.hasSuffix(" ok") },
      "\(bench.text)"
    )
    #expect(ending.results[0].failure?.code == .notSupportedHere)
    #expect(ending.results[0].failure?.why.contains("serves no attributes") == true)
  }

  @Test("every wait ends: what is endless in the application, after the time for that")
  func endless() throws {
    var bench = try SuiteBench("echo")
    bench.settings.endless = .seconds(60)
    try bench.run("<connect/> <sleep-until \(Echo.answers) value=\"01\"/>")
    #expect(bench.results.last?.took == .seconds(60))
    #expect(bench.results.last?.failure?.code == .timedOut)
  }

  @Test("a run that is cancelled disconnects, and runs no other test")
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
    #expect(bench.world.events.last?.description.hasSuffix("link down") == true)
  }

  @Test("a link that is lost ends the test with a failure that may pass")
  func lost() throws {
    let bench = try SuiteBench("echo")
    let world = bench.world
    _ = world.loop.after(.seconds(4)) { try? world.vanish() }
    let ending = try bench.run("<connect/> <sleep/> <read \(Echo.echo)/>")
    #expect(ending.exitStatus == .passing, "\(bench.text)")
  }

  @Test("a link that is lost ends the wait for a notification at once")
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

  @Test("the same suite and seed tell the same, to the letter")
  func repeats() throws {
    let runs = try (0..<2).map { _ in
      let bench = try SuiteBench("heart-rate")
      try bench.run(Self.example("heart-rate"))
      return bench.text + bench.json
    }
    #expect(runs[0] == runs[1])
  }

  @Test("JSON has an object for each event, with values, notes and errors")
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
}
