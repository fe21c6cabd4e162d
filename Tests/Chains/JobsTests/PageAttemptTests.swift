// Attempts and unfinished steps on the page of a run.

import Bluetooth
import Foundation
import Signals
import Testing

@testable import Jobs
@testable import Reports

@Suite("Attempts on a page")
struct PageAttemptTests {
  private static func lanes(_ page: String) -> [String: String] {
    let parts = page.components(separatedBy: "<div class=\"lane\"><div class=\"name\">").dropFirst()
    let pairs = parts.map { part in
      (part.components(separatedBy: "</div>")[0], part.components(separatedBy: "</svg></div>")[0])
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// Two attempts: the first one fails in its step; both clean up and disconnect.
  private static func tried() throws -> PageEvents {
    var run = try PageEvents("Lamp", "write alert-level u8:1; log \"off\"")
    let finally = StepPosition(1).finally.inner(1)
    for (attempt, from) in [(1, 0.0), (2, 10.0)] {
      run.attempt = attempt
      run.end(from + 1, run.step(0), .ok, .linked(.made), took: 1)
      let write = run.step(1, at: StepPosition(1).inner(1))
      if attempt == 1 {
        run.end(from + 2, write, .failed, failure: PageEvents.failure("the <link> was lost"))
      } else {
        run.end(from + 2, write)
      }
      run.end(from + 3, run.step(2, at: finally), .ok, .logged("off"), took: 0.5)
      let leave = PlacedStep(.impliedDisconnect, Step(.disconnect)).reported
      run.end(from + 4, leave, .ok, took: 0.5)
    }
    run.finish(14)
    return run
  }

  @Test("each attempt has a lane with its steps and its clean-up; one table holds all steps")
  func tries() throws {
    let page = PageEvents.page([try Self.tried()])
    let lanes = Self.lanes(page)
    let first = try #require(lanes["Attempt 1<small>failed</small>"])
    let last = try #require(lanes["Attempt 2<small>ok</small>"])
    // Outer steps are in the first row, inner ones in the second.
    #expect(first.contains("<a href=\"#r1s1\" tabindex=\"-1\"><rect class=\"ok\" x=\"0%\""))
    let inner =
      "<a href=\"#r1s2\" tabindex=\"-1\"><rect class=\"failed\" x=\"14.21%\" width=\"0.15%\" y=\"22\""
    #expect(first.contains(inner) && last.contains("<a href=\"#r1s6\""))
    for lane in [first, last] { #expect(lane.components(separatedBy: "<rect").count == 5) }
    let why = "Attempt 1 failed: writing alert-level: the &lt;link&gt; was lost"
    #expect(page.contains("<p class=\"attempt\">\(why)"))
    let reader = PageReader(page)
    #expect(reader.error == nil && Set(reader.ids).count == reader.ids.count)
    #expect(Set(reader.links).isSubset(of: reader.ids))
    #expect(reader.tables.map(\.rows) == [[Int](repeating: 7, count: 8)])
    #expect(page.components(separatedBy: "<td class=\"n attempt\">1</td>").count == 5)
  }

  @Test("each attempt of a step is a bar at its time that links to the row of the step")
  func triesOfSteps() throws {
    var run = try PageEvents("Lamp", "write alert-level u8:1; log \"off\"")
    run.end(1, run.step(0), .ok, .linked(.made), took: 1)
    let tries = [
      StepTry(began: .seconds(1), took: .seconds(2), why: "the <link> was lost"),
      StepTry(began: .seconds(5), took: .seconds(4), why: nil),
    ]
    run.end(9, run.step(1), tries: tries, took: 8)
    run.end(9, run.step(2), .ok, .logged("off"))
    run.finish(10)
    let page = PageEvents.page([run])
    let lane = try #require(Self.lanes(page)["Steps"])
    #expect(lane.contains("<rect class=\"failed\" x=\"10%\" width=\"20%\" y=\"22\""))
    let title = "1  write alert-level u8:1, attempt 1: the &lt;link&gt; was lost, 2.000 s"
    #expect(lane.contains("<title>\(title)</title>"))
    #expect(lane.contains("<rect class=\"ok\" x=\"50%\" width=\"40%\" y=\"22\""))
    #expect(lane.components(separatedBy: "<a href=\"#r1s2\"").count == 4)
  }

  @Test("the latest steps of a long attempt and the first of many attempts are kept")
  func bounded() throws {
    var run = try PageEvents("Lamp", "log \"on\"")
    let tries = RecordedRun.attemptLimit + 5
    for attempt in 1...tries {
      run.attempt = attempt
      for turn in 1...RecordedRun.attemptStepLimit + 3 {
        let position = StepPosition(1).repetition(turn).inner(1)
        run.end(Double(attempt), run.step(1, at: position), .ok, .logged("on"))
      }
      run.end(Double(attempt), run.step(0), .failed, failure: PageEvents.failure())
    }
    run.finish(Double(tries), PageEvents.failure())
    let recorded = RunCollector.runs(of: run.events, keepsValues: true)[0]
    #expect(recorded.earlierAttempts.count == RecordedRun.attemptLimit)
    #expect(recorded.earlierAttempts.allSatisfy { $0.steps.count == RecordedRun.attemptStepLimit })
    #expect(recorded.earlierAttempts.allSatisfy { $0.leftOut == 4 })
    #expect(recorded.earlierFailures.count == tries - 1)
    let page = HTMLReport().text(on: [recorded])
    #expect(page.contains("200 more steps that succeeded not listed."))
    #expect(page.contains("4 more attempts before the last."))
  }

  @Test("a run without an end names the step that was under way")
  func unfinished() throws {
    let page = PageEvents.page([try PageEvents.odd().last].compactMap(\.self))
    let sentence =
      "The record of this run ends after 4.000 s in step 2: notify battery-level. The run was under "
      + "way, or its process was ended."
    #expect(page.contains("<p class=\"why\">\(sentence)</p>"))
    #expect(
      page.contains("<td class=\"s unfinished\">unfinished</td><td class=\"n start\">1.000</td>")
    )
    #expect(Self.lanes(page)["Steps"]?.contains("notify battery-level, not ended") == true)
  }
}
