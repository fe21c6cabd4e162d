// Reports on complete runs: exact text, and the effect of hostile names.

import Bluetooth
import Foundation
import FoundationXML
import Signals
import Testing

@testable import Jobs

@Suite("Reports on complete runs")
struct RunsReportTests {
  /// A run that succeeded with a skipped step, and one whose second attempt did not meet its
  /// expectation.
  private static func runs() throws -> [RecordedRun] {
    let well = RunBench()
    well.device.answer("read battery-level", .value([72], after: .milliseconds(7)))
    let steps = """
      name: Nightly <check>
      retry: { attempts: 2, backoff: 1s }
      steps:
        - { read: battery-level, as: b }
        - { when: { b.percent: { below: 20 } }, steps: [ { log: "low" } ] }
        - { read: battery-level, expect: { percent: { above: 50 } } }
      """
    try well.run(file: steps)
    let ill = RunBench()
    ill.device.answer(
      "read battery-level",
      .failure(DeviceFailure.scripted(.linkLost, .passing)),
      .value([30], after: .milliseconds(250))
    )
    try ill.run(file: steps)
    return RunCollector.runs(of: well.events + ill.events.map { $0.on("Thermo-2") })
  }

  private static func report(_ report: some RunsReport) throws -> [String] {
    try report.text(on: runs()).split(separator: "\n").map(String.init)
  }

  @Test("the steps of the last attempt are kept, with the reasons why earlier ones failed")
  func recording() throws {
    let runs = try Self.runs()
    #expect(runs.map(\.device) == ["Thermo-1", "Thermo-2"])
    #expect(runs.map(\.attempt) == [1, 2])
    #expect(runs[1].earlierFailures.map(\.code) == [.linkLost])
    #expect(runs[0].steps.map(\.status) == [.ok, .ok, .skipped, .ok, .ok])
    #expect(runs[1].ending?.failure?.code == .expectationNotMet)
    #expect(runs[1].slowest(1).map(\.title) == ["1  read battery-level"])
  }

  @Test(
    "steps beyond the limit are only counted, except failures; many runs lower the limit",
    arguments: [(1, RunCollector.stepLimit), (100, RunCollector.stepLimit / 10)]
  )
  func bound(count: Int, most: Int) throws {
    let bench = RunBench()
    try bench.run(
      file: "steps: [ { repeat: 12000, steps: [ { sleep: 1ms } ] }, { read: alert-level } ]"
    )
    let start = try #require(bench.events.first)
    let starts = (1..<count).map { start.on("Thermo-\($0)") }
    let run = try #require(RunCollector.runs(of: starts + bench.events).last)
    #expect(run.steps.count(where: { $0.failure == nil }) == most)
    #expect(run.leftOut > 0)
    #expect(run.steps.contains { $0.failure != nil })
  }

  @Test("the summary has totals, the slowest steps, and failures with cause and hint")
  func summary() throws {
    #expect(
      try Self.report(SummaryReport()).joined(separator: "\n") == """
        2 devices: 1 ok, 1 failed
        slowest steps:
          0.250 s  Thermo-2  1  read battery-level
          0.250 s  Thermo-2  3  read battery-level
          0.007 s  Thermo-1  1  read battery-level
          0.007 s  Thermo-1  3  read battery-level
        failures:
          Thermo-2: failed at step 3 after 2 tries
             what   reading battery-level
             why    expected percent > 50, got 30 % (bytes 1e)
             where  chain.yaml:6:5
             try    check the device, or what the chain expects of it
             before reading battery-level on 'Thermo-1': the link was lost
        """
    )
  }

  @Test("the summary has the remarks of a failed step, such as on how it leaves the device")
  func summaryNotes() throws {
    let bench = RunBench()
    let busy = ScriptedDevice.Answer.failure(DeviceFailure.scripted(.busy, .passing))
    bench.device.answer("read alert-level", busy, busy)
    try bench.run("read alert-level attempts 2; read battery-level")
    let text = SummaryReport().text(on: RunCollector.runs(of: bench.events))
    let notes = text.split(separator: "\n").filter { $0.hasPrefix("     note   ") }
    #expect(notes.count == 1, "\(text)")
    #expect(notes.first?.hasPrefix("     note   try 1 of 2 failed: ") == true, "\(text)")
  }

  @Test("a JUnit report contains all results")
  func junit() throws {
    let lines = try Self.report(JUnitReport())
    #expect(
      lines[1]
        == #"<testsuites name="Nightly &lt;check&gt;" tests="10" failures="1" errors="0" time="1.514">"#
    )
    let second = lines.lastIndex { $0.hasPrefix("  <testsuite ") } ?? 0
    #expect(
      lines[second...].joined(separator: "\n") == """
          <testsuite name="Thermo-2" tests="5" failures="1" errors="0" skipped="1" time="1.500" timestamp="2000-01-01T00:00:00" id="54f8f0e2a930e894">
            <properties>
              <property name="device" value="Thermo-2"/>
              <property name="run" value="54f8f0e2a930e894"/>
              <property name="seed" value="0"/>
              <property name="attempts" value="2"/>
              <property name="status" value="failed"/>
            </properties>
            <testcase name="connect" classname="Nightly &lt;check&gt;.Thermo-2" time="0.000"/>
            <testcase name="1  read battery-level" classname="Nightly &lt;check&gt;.Thermo-2" time="0.250"/>
            <testcase name="2  when b.percent &lt; 20" classname="Nightly &lt;check&gt;.Thermo-2" time="0.000">
              <skipped message="its condition did not hold"/>
            </testcase>
            <testcase name="3  read battery-level" classname="Nightly &lt;check&gt;.Thermo-2" time="0.250" file="chain.yaml" line="6">
              <failure message="reading battery-level: expected percent &gt; 50, got 30 % (bytes 1e)" type="expectation-not-met">what   reading battery-level
        why    expected percent &gt; 50, got 30 % (bytes 1e)
        where  chain.yaml:6:5
        try    check the device, or what the chain expects of it</failure>
            </testcase>
            <testcase name="disconnect" classname="Nightly &lt;check&gt;.Thermo-2" time="0.000"/>
            <system-out>attempt 1 failed: reading battery-level on 'Thermo-1': the link was lost. Try: bring the device closer
        -  connect  ok
        1  read battery-level  30 %
        2  when b.percent &lt; 20  skipped
        3  read battery-level  failed (30 %)
           what   reading battery-level
           why    expected percent &gt; 50, got 30 % (bytes 1e)
           where  chain.yaml:6:5
           try    check the device, or what the chain expects of it
        -  disconnect  ok</system-out>
          </testsuite>
        </testsuites>
        """
    )
  }

  @Test("a TAP report contains all results")
  func tap() throws {
    #expect(
      try Self.report(TAPReport()).joined(separator: "\n") == """
        TAP version 14
        1..2
        # Subtest: Thermo-1
            ok 1 - connect
            ok 2 - 1  read battery-level
            ok 3 - 2  when b.percent < 20 # SKIP its condition did not hold
            ok 4 - 3  read battery-level
            ok 5 - disconnect
            1..5
        ok 1 - Thermo-1
        # Subtest: Thermo-2
            ok 1 - connect
            ok 2 - 1  read battery-level
            ok 3 - 2  when b.percent < 20 # SKIP its condition did not hold
            not ok 4 - 3  read battery-level
              ---
              code: "expectation-not-met"
              class: "definite"
              what: "reading battery-level"
              why: "expected percent > 50, got 30 % (bytes 1e)"
              where: "chain.yaml:6:5"
              try: "check the device, or what the chain expects of it"
              ...
            ok 5 - disconnect
            # before: reading battery-level on 'Thermo-1': the link was lost
            1..5
        not ok 2 - Thermo-2
          ---
          code: "expectation-not-met"
          class: "definite"
          what: "reading battery-level"
          why: "expected percent > 50, got 30 % (bytes 1e)"
          where: "chain.yaml:6:5"
          try: "check the device, or what the chain expects of it"
          ...
        """
    )
  }

  @Test("the values table has one row for each field")
  func table() throws {
    let bench = RunBench()
    bench.device.answer("read ff01", .value(Array("a,\"b\"".utf8)))
    try bench.run(
      "read temperature-measurement; read ff01 format utf8; read battery-level format hex"
    )
    let lines = bench.events.flatMap { CSVReport().lines(for: $0) }
    let place = "2000-01-01T00:00:00.000000Z,0.000000,52777c92dee2868f,Thermo-1,1"
    #expect(
      lines == [
        "\(place),1,read,temperature-measurement,celsius,36.6,°C,006e0100ff,",
        "\(place),2,read,ff01,,\"a,\"\"b\"\"\",,612c226222,",
        "\(place),3,read,battery-level,,48,,48,",
      ]
    )
    let columns = CSVReport.header.split(separator: ",").count
    #expect(columns == 13)
  }

  @Test("a page of simulated runs shows no dates, and counts steps as the text report does")
  func simulated() throws {
    let bench = RunBench()
    try bench.run("repeat 3 { read battery-level }; sleep 1s")
    let runs = RunCollector.runs(of: bench.events)
    let page = HTMLReport().text(on: runs + runs, of: CommandRecord(.run, isSimulated: true))
    #expect(page.contains("in a simulation") && !page.contains("2000-01-01"))
    #expect(page.contains("<td class=\"n count\">4</td>"))
    #expect(bench.text().last?.hasPrefix("ok: 4 steps") == true)
    #expect(HTMLReport().text(on: runs).contains("2000-01-01"))
  }

  @Test(
    "JUnit and TAP count one failure once, however deeply its step is nested",
    arguments: [
      ("try { repeat 2 { read battery-level expect percent > 99 } } finally { log done }", 1, 0),
      ("try { write alert-level u8:1 } finally { write alert-level u8:2 }", 0, 2),
      ("repeat 2 { write alert-level u8:1 on-failure continue }", 0, 2),
    ]
  )
  func innerFailure(line: String, failures: Int, errors: Int) throws {
    let bench = RunBench()
    bench.device.answer(
      "write alert-level", .failure(DeviceFailure.scripted(.notPermitted, .definite))
    )
    try bench.run(line)
    let runs = RunCollector.runs(of: bench.events)
    let xml = JUnitReport().text(on: runs)
    let cases = xml.split(separator: "<testcase ").count - 1
    let head = "tests=\"\(cases)\" failures=\"\(failures)\" errors=\"\(errors)\""
    #expect(
      xml.split(separator: "\n").contains { $0.hasPrefix("<testsuites ") && $0.contains(head) }
    )
    #expect(!xml.contains("a step inside it failed"), "\(xml)")
    let tap = TAPReport().text(on: runs)
    #expect(tap.components(separatedBy: "\n    not ok ").count - 1 == failures + errors, "\(tap)")
  }

  @Test("special characters in a device name are escaped in every report")
  func hostile() throws {
    let name = "\"><script>\u{1b}[31m&]]>\n# TODO\u{0}"
    let bench = RunBench()
    try bench.run("read battery-level expect percent = 1")
    let runs = RunCollector.runs(of: bench.events.map { $0.on(name) })
    let xml = JUnitReport().text(on: runs)
    let parser = XMLParser(data: Data(xml.utf8))
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    let tap = TAPReport().text(on: runs)
    #expect(
      tap.split(separator: "\n").last { $0.hasPrefix("not ok") }?.contains(" # TODO") == false
    )
    #expect(!tap.contains("\u{1b}"))
  }
}

extension RunEvent {
  /// Returns the event as one of another device.
  func on(_ device: String) -> RunEvent {
    RunEvent(
      run: run, device: device, attempt: attempt, offset: offset, wallClock: wallClock,
      change: change
    )
  }
}
