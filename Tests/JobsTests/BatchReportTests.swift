// What a batch tells: its lines of JSON, its progress, what is kept of its runs.

import Bluetooth
import Fixtures
import Testing

@testable import Jobs

@Suite("What a batch tells")
struct BatchReportTests {
  @Test("lines of JSON at the start and the end of a round")
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

  @Test("progress: counts, a bar, and how long the rest takes at this pace")
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
      return next.take(counts(ok: ok, failed: failed))
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

  @Test("a recorder that condenses keeps what the summary tells, and no more")
  func condensing() throws {
    let bench = RunBench()
    try bench.run(
      file: "steps: [ { repeat: 50, steps: [ { sleep: 1ms } ] }, { sleep: 2s }, { sleep: 1s } ]"
    )
    var (all, some) = (RunCollector(), RunCollector(condenses: true))
    for event in bench.events {
      all.take(event)
      some.take(event)
    }
    #expect(all.runs[0].steps.count > 50)
    #expect(some.runs[0].steps.count == SummaryReport.slowestCount)
    #expect(some.runs[0].leftOut == all.runs[0].steps.count - SummaryReport.slowestCount)
    #expect(SummaryReport().text(on: some.runs) == SummaryReport().text(on: all.runs))
  }

  @Test("devices that did not run are named in the summary, up to a bound")
  func notRun() {
    let names = (1...25).map { "L\($0)" }
    let text = SummaryReport(notRun: names).text(on: [])
    #expect(text.hasPrefix("25 devices: 25 not run\nnot run: L1, L2, "))
    #expect(text.hasSuffix("L20 and 5 more\n"))
  }
}
