// The records that reports use, made from the events of a suite.

import BLETesting
import Bluetooth
import Documents
import Jobs
import NordicSuites
import SimulatedDevices
import Testing

@Suite("Suite reports")
struct SuiteCollectorTests {
  private func runs(_ suite: NordicSuites.Suite, _ bench: SuiteBench) throws -> [RecordedRun] {
    try bench.run(suite)
    var collector = RunCollector()
    for event in bench.events { collector.apply(event) }
    return collector.runs
  }

  @Test("an operation that fails as expected is not reported as failed, and says so")
  func expected() throws {
    var bench = try SuiteBench("echo")
    bench.settings.warnsOfUnsupported = true
    let suite = try SuiteBench.suite(
      """
      <connect/><read \(Echo.control) expected="FAIL"/><dfu file="a.zip"/><refresh/><read \(Echo.control)/>
      """,
      address: bench.world.device().definition.address
    )
    let run = try #require(try runs(suite, bench).first)
    #expect(run.steps.map(\.status) == [.ok, .ok, .skipped, .ok, .failed])
    #expect(run.steps.map { $0.failure != nil } == [false, false, false, false, true])
    #expect(run.steps[1].notes.first?.hasPrefix("failed, as expected: ") == true)
    #expect(run.steps.map(\.notes.count) == [0, 1, 1, 1, 0])
    #expect(run.ending?.status == .failed && run.ending?.failure == run.steps[4].failure)
    #expect(run.ending?.step?.place == run.steps[4].title && run.failureBetweenSteps == nil)
    #expect(run.kind == .test && run.label == "1  t")
    #expect(run.steps.map(\.endedAt) == run.steps.map(\.endedAt).sorted())
  }

  @Test("successful operations are kept up to a limit and only counted beyond it")
  func bound() throws {
    let bench = try SuiteBench("echo")
    let many = RunCollector.stepLimit + 5
    let sleeps = String(repeating: "<sleep timeout=\"1\"/>", count: many)
    let run = try #require(try runs(SuiteBench.suite(sleeps), bench).first)
    #expect(run.steps.count == RunCollector.stepLimit && run.leftOut == 5)
    #expect(run.start.steps == many && run.ending?.status == .ok)
  }

  /// A suite that runs a test of 5 s twice.
  private func twice() throws -> NordicSuites.Suite {
    try NordicSuites.Suite.parse(
      """
      <test-suite description="Twice"><target id="dut" address="C0:FF:EE:00:00:04"/>
      <test id="t" target="dut"><sleep timeout="3000"/></test>
      <run-test ref="t"/><run-test ref="t" description="again"/></test-suite>
      """,
      file: "suite.xml"
    )
  }

  @Test("a suite begins before its first test and ends after its last, and events name their test")
  func group() throws {
    let bench = try SuiteBench("echo")
    let ending = try bench.run(twice())
    let group = RunGroup(kind: "test-suite", title: "Twice", count: 2)
    #expect(bench.events.first?.change == .run(.groupStarted(group)))
    #expect(bench.events.last?.change == .run(.groupFinished(ending)))
    #expect(ending.passed == 2 && ending.notRun == 0)
    #expect(bench.events.last?.offset == .seconds(10))
    // Of each test: its start, those of the operation, its end.
    let tests = bench.events.map(\.test)
    #expect(tests.map { $0?.index } == [nil, 1, 1, 1, 1, 2, 2, 2, 2, nil])
    #expect(tests.compactMap { $0 }.map(\.name).last == "t, again")
    #expect(tests.compactMap { $0 }.map(\.begun).last == .seconds(5))
  }

  @Test("lines of a suite are timed from its start, and those of a quiet one are only failures")
  func lines() throws {
    let bench = try SuiteBench("echo")
    try bench.run(twice())
    let offsets = try bench.json.map { try JSONValue(parsing: $0)["offset"]?.double }
    #expect(offsets == [0, 0, 0, 3, 5, 5, 5, 8, 10, 10])
    #expect(bench.text.first == "test-suite  Twice")
    #expect(bench.text.last == "ok: 2 of 2 tests passed in 10.000 s")
    let quiet = QuietReport(TextReport())
    #expect(bench.events.flatMap { quiet.lines(for: $0) }.isEmpty)
    try bench.run("<read \(Echo.echo)/>")
    let last = bench.events.suffix(3).flatMap { quiet.lines(for: $0) }
    #expect(last.first?.hasPrefix("  1  read ") == true && last[0].hasSuffix("  failed"), "\(last)")
    #expect(last.last?.hasPrefix("failed: 0 of 1 test passed, 1 failed in ") == true, "\(last)")
  }

  @Test("the device of values and reports is the one that a scan has bound to the target")
  func boundDevice() throws {
    let bench = try SuiteBench("echo")
    let runs = try runs(
      NordicSuites.Suite.parse(
        """
        <test-suite description="Echoes"><target id="dut" name="Some echo"/>
        <test id="find" target="dut"><scan-for name="Echo-1" bind-target="dut"/></test>
        <test id="read" target="dut"><connect/><read \(Echo.echo)/></test>
        <test id="both" target="dut"><scan-for name="Echo-1" bind-target="dut"/><connect/>
        <read \(Echo.echo)/></test>
        <run-test ref="both"/><run-test ref="find"/><run-test ref="read"/></test-suite>
        """,
        file: "suite.xml"
      ),
      bench
    )
    #expect(runs.map(\.device) == [String](repeating: "C0:FF:EE:00:00:04", count: 3))
    let rows = bench.events.flatMap { CSVReport().lines(for: $0) }
    let devices = rows.map { line in String(line.split(separator: ",")[3]) }
    #expect(devices == ["C0:FF:EE:00:00:04", "C0:FF:EE:00:00:04"], "\(rows)")
  }

  @Test("each test is timed from its own start")
  func times() throws {
    let bench = try SuiteBench("echo")
    let runs = try runs(twice(), bench)
    #expect(runs.map(\.label) == ["1  t", "2  t, again"])
    #expect(runs.map(\.start.chain) == ["Twice", "Twice"])
    #expect(runs.map { $0.steps.first?.endedAt } == [.seconds(3), .seconds(3)])
    #expect(runs.map(\.took) == [.seconds(5), .seconds(5)])
    #expect(runs[1].startedAt - runs[0].startedAt == .seconds(5))
    #expect(runs.map(\.device) == ["C0:FF:EE:00:00:04", "C0:FF:EE:00:00:04"])
  }
}
