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
    for event in bench.events { collector.take(event) }
    return collector.runs
  }

  @Test("an operation that fails as expected is not reported as failed, and says so")
  func expected() throws {
    var bench = try SuiteBench("echo")
    bench.settings.warnsOfUnsupported = true
    let suite = try SuiteBench.suite(
      """
      <connect/><read \(Echo.control) expected="FAIL"/><read-phy/><refresh/><read \(Echo.control)/>
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

  @Test("each test is timed from its own start")
  func times() throws {
    let bench = try SuiteBench("echo")
    let suite = try NordicSuites.Suite.parse(
      """
      <test-suite description="Twice"><target id="dut" address="C0:FF:EE:00:00:04"/>
      <test id="t"><sleep timeout="3000"/></test>
      <run-test ref="t"/><run-test ref="t" description="again"/></test-suite>
      """,
      file: "suite.xml"
    )
    let runs = try runs(suite, bench)
    #expect(runs.map(\.label) == ["1  t", "2  t, again"])
    #expect(runs.map(\.start.chain) == ["Twice", "Twice"])
    #expect(runs.map { $0.steps.first?.endedAt } == [.seconds(3), .seconds(3)])
    #expect(runs.map(\.took) == [.seconds(5), .seconds(5)])
    #expect(runs[1].startedAt - runs[0].startedAt == .seconds(5))
    #expect(runs.map(\.device) == ["C0:FF:EE:00:00:04", "C0:FF:EE:00:00:04"])
  }
}
