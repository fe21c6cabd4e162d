// Reports of a batch: its lines of JSON, its progress, the records of its runs.

import Bluetooth
import Fixtures
import Foundation
import Signals
import Testing

@testable import Jobs

@Suite("Reports of a batch")
struct BatchReportTests {
  @Test("a batch prints a JSON line at the start and at the end of each round")
  func json() throws {
    let bench = BatchRunnerTests.Bench(["A": [BatchRunnerTests.refused]])
    try bench.run(BatchRunnerTests.batch("A", "B", onFailure: .stop(after: 1)))
    let lines = bench.told.all.flatMap { JSONLinesReport().lines(for: $0) }
    let batch = bench.told.all[0].batch.description
    let head = #""time":"2000-01-01T00:00:00.000000Z","offset":0.000000,"batch":"\#(batch)""#
    #expect(
      lines == [
        #"{"v":1,"event":"batch-started",\#(head),"seed":7,"name":null,"devices":["A","B"],"#
          + #""concurrency":1}"#,
        #"{"v":1,"event":"batch-finished",\#(head),"status":"failed","exitStatus":1,"ok":0,"#
          + #""failed":1,"cancelled":0,"notRun":["B"]}"#,
      ]
    )
  }

  @Test("a batch counts the warnings of its devices, including those from before a resume")
  func warnings() throws {
    let bench = BatchRunnerTests.Bench(["B": [BatchRunnerTests.refused]])
    let plan = try Plan.parse(line: "read battery-level on-failure warn")
    let devices = ["A", "B"].map { BatchDevice(label: $0, target: .name($0), plan: plan) }
    let past = PreviousRound(
      round: 1, devices: [.init(label: "A", ending: .init(.ok, warnings: 2)), .init(label: "B")],
      skipsFailed: false
    )
    let batch = Batch(devices: .listed(devices), concurrency: 1, onFailure: .continue)
    try bench.run(bench.runner(batch, resuming: past))
    let line = try #require(bench.told.all.flatMap { JSONLinesReport().lines(for: $0) }.last)
    let counts = #""ok":2,"failed":0,"cancelled":0,"warnings":3,"notRun":[]}"#
    #expect(line.hasSuffix(counts), "\(line)")
  }

  @Test("progress shows counts, a bar and the estimated time remaining")
  func progress() {
    func counts(ok: Int, failed: Int) -> BatchCounts {
      var counts = BatchCounts()
      for index in 0..<(ok + failed) {
        counts.count(
          RunEnding(status: index < ok ? .ok : .failed, failure: nil, step: nil, done: 0)
        )
      }
      return counts
    }
    var progress = BatchProgress(total: 100, begun: .seconds(10))
    #expect(
      progress.line(at: .seconds(10), width: 80) == "[------------------------] 0/100 devices"
    )
    let news = [(9, 0), (11, 1), (12, 1)].map { ok, failed in
      var next = progress
      defer { if ok < 12 { progress = next } }
      return next.update(with: counts(ok: ok, failed: failed))
    }
    #expect(news == [false, true, false])
    #expect(
      progress.line(at: .seconds(46), width: 80)
        == "[##----------------------] 12/100 devices, 1 failed, 4m24s left"
    )
    #expect(progress.line(at: .seconds(46), width: 40) == "12/100 devices, 1 failed, 4m24s left")
    #expect(progress.line(at: .seconds(46), width: 10) == "12/100 dev")
    #expect(progress.text(at: .seconds(100_010)) == "12/100 devices, 1 failed, 203h42m left")
  }

  @Test("every report shows the name and address of a device found by a scan")
  func names() throws {
    let bench = RunBench()
    bench.device.answer("read battery-level", .value([72]), .silence)
    var runner = bench.runner(try Plan.parse(line: "read battery-level; read battery-level"))
    runner.deviceName = "Door-7"
    _ = runner.chain().collect().map { Optional($0) }
      .firstOrDefault(nil, within: .seconds(100))
    let recorded = RunCollector.runs(of: bench.events, keepsValues: true)
    let title = "Door-7 (Thermo-1)"
    let runs = recorded + recorded
    let reports: [any RunsReport] = [JUnitReport(), HTMLReport(), TAPReport(), SummaryReport()]
    for report in reports { #expect(report.text(on: runs, of: nil).contains(title)) }
    func lines(_ report: some RunReport) -> [String] {
      bench.events.flatMap { report.lines(for: $0) }
    }
    let (text, table) = (lines(BatchTextReport(showsSteps: true)), lines(CSVReport()))
    #expect(!text.isEmpty && text.allSatisfy { $0.hasPrefix("\(title)  ") })
    #expect(!table.isEmpty && table.allSatisfy { $0.hasSuffix(",48,Door-7") })
    #expect(
      lines(JSONLinesReport()).allSatisfy {
        $0.contains(#""device":"Thermo-1","deviceName":"Door-7""#)
      }
    )
  }

  @Test("a condensing collector keeps only the steps that the summary needs")
  func condensing() throws {
    let bench = RunBench()
    try bench.run(
      file: "steps: [ { repeat: 50, steps: [ { sleep: 1ms } ] }, { sleep: 2s }, { sleep: 1s } ]"
    )
    var (all, some) = (RunCollector(), RunCollector(condenses: true))
    for event in bench.events {
      all.apply(event)
      some.apply(event)
    }
    #expect(all.runs[0].steps.count > 50)
    #expect(some.runs[0].steps.count == SummaryReport.slowestCount)
    #expect(some.runs[0].leftOut == all.runs[0].steps.count - SummaryReport.slowestCount)
    #expect(SummaryReport().text(on: some.runs) == SummaryReport().text(on: all.runs))
  }

  @Test("the summary names the devices that did not run, up to a limit")
  func notRun() throws {
    let names = ["A"] + (1...25).map { "L\($0)" }
    let text = SummaryReport().text(on: [], of: try Self.stopped(names))
    #expect(
      text.hasPrefix(
        """
        25 devices: 25 not run
        failures:
          the batch
             what   running the batch
             why    1 device failed, and on-failure lets no other begin
             try    run the others: --resume
        not run: L1, L2,
        """
      )
    )
    #expect(text.hasSuffix("L20 and 5 more\n"))
  }

  @Test("a batch whose first device fails names 'first', and not the rule for all failures")
  func stoppedByFirst() throws {
    let whole = try Self.stopped(["A", "B"], rule: .continue, first: 1)
    #expect(whole.notRun == ["B"])
    #expect(whole.failure?.why == "1 device failed, and 'first' lets no other begin")
    #expect(
      whole.failure?.hint
        == "find out why; --resume then begins with the first of those that are left"
    )
  }

  /// A batch whose first device is refused and which stops there.
  private static func stopped(
    _ labels: [String], rule: FailureRule = .stop(after: 1), first: Int = 0
  ) throws -> CommandRecord {
    let bench = BatchRunnerTests.Bench(["A": [BatchRunnerTests.refused]])
    var batch = try BatchRunnerTests.batch("A", onFailure: rule)
    batch.first = first
    guard case .listed(let devices) = batch.devices else { throw CancellationError() }
    batch.devices = .listed(
      labels.map { BatchDevice(label: $0, target: .name($0), plan: devices[0].plan) }
    )
    try bench.run(batch)
    var whole = CommandRecord(.batch)
    for event in bench.told.all { whole.apply(event) }
    return whole
  }

  @Test("JUnit: a device that did not run is skipped, and a stopped batch is an error")
  func junit() throws {
    let text = JUnitReport().text(on: [], of: try Self.stopped(["A", "<B>"]))
    let id = try #require(text.components(separatedBy: " id=\"").dropFirst().first?.prefix(16))
    #expect(
      text == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="blerun" tests="2" failures="0" errors="1" time="0.000">
          <testsuite name="&lt;B&gt;" tests="1" failures="0" errors="0" skipped="1" time="0.000" timestamp="2000-01-01T00:00:00" id="\(id)">
            <properties>
              <property name="device" value="&lt;B&gt;"/>
              <property name="status" value="not-run"/>
            </properties>
            <testcase name="the run" classname="chain.&lt;B&gt;" time="0.000">
              <skipped message="not run: 1 device failed, and on-failure lets no other begin"/>
            </testcase>
          </testsuite>
          <testsuite name="batch" tests="1" failures="0" errors="1" skipped="0" time="0.000" timestamp="2000-01-01T00:00:00" id="\(id)">
            <properties>
              <property name="status" value="failed"/>
            </properties>
            <testcase name="the batch" classname="batch" time="0.000">
              <error message="running the batch: 1 device failed, and on-failure lets no other begin" type="not-run">what   running the batch
        why    1 device failed, and on-failure lets no other begin
        try    run the others: --resume</error>
            </testcase>
          </testsuite>
        </testsuites>

        """
    )
  }

  @Test("TAP: a device that did not run is skipped, and a stopped batch is not ok")
  func tap() throws {
    #expect(
      TAPReport().text(on: [], of: try Self.stopped(["A", "B#"])) == """
        TAP version 14
        1..2
        ok 1 - B\\# # SKIP not run: 1 device failed, and on-failure lets no other begin
        not ok 2 - the batch
          ---
          code: "not-run"
          class: "definite"
          what: "running the batch"
          why: "1 device failed, and on-failure lets no other begin"
          try: "run the others: --resume"
          ...

        """
    )
  }

  @Test("the HTML page and the text report name the devices that did not run, and the reason")
  func named() throws {
    let page = HTMLReport().text(on: [], of: try Self.stopped(["A", "<B>"]))
    #expect(page.contains("<th scope=\"row\">&lt;B&gt;</th><td class=\"s skipped\">not run</td>"))
    #expect(page.contains("<h3>The batch</h3>\n<p class=\"why\">1 device failed, and on-failure"))
    let bench = BatchRunnerTests.Bench(["A": [BatchRunnerTests.refused]])
    try bench.run(BatchRunnerTests.batch("A", "B", onFailure: .stop(after: 1)))
    let lines = bench.told.all.flatMap { TextReport().lines(for: $0) }
    #expect(lines.first == "the batch  failed" && lines.last == "not run: B", "\(lines)")
  }

  @Test("a batch that ran nothing still writes complete reports that state the reason")
  func nothing() {
    var well = CommandRecord(.batch, name: "Night")
    well.remark = "nothing is left: # all went well"
    #expect(
      TAPReport().text(on: [], of: well)
        == "TAP version 14\n1..0 # SKIP nothing is left: # all went well\n"
    )
    #expect(
      JUnitReport().text(on: [], of: well)
        == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        + "<testsuites name=\"Night\" tests=\"0\" failures=\"0\" errors=\"0\" time=\"0.000\">\n"
        + "</testsuites>\n"
    )
    let page = HTMLReport().text(on: [], of: well)
    #expect(page.contains(">no device was run</p>\n<p>nothing is left: #"))
    #expect(page.hasSuffix("</html>\n"))
  }
}
