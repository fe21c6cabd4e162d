// Tries, clean-up and unfinished steps on the page of a run.

import Bluetooth
import Foundation
import Signals
import Testing

@testable import Jobs

@Suite("Tries and clean-up on a page")
struct PageAttemptTests {
  private static func lanes(_ page: String) -> [String: String] {
    let parts = page.components(separatedBy: "<div class=\"lane\"><div class=\"name\">").dropFirst()
    let pairs = parts.map { part in
      (part.components(separatedBy: "</div>")[0], part.components(separatedBy: "</svg></div>")[0])
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// Two tries: the first one fails in its step; each cleans up and disconnects.
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

  @Test("each try is a bar above its own steps, and its steps have a table")
  func tries() throws {
    let page = PageEvents.page([try Self.tried()])
    let lanes = Self.lanes(page)
    let attempts = try #require(lanes["Attempts"])
    #expect(attempts.contains("<rect class=\"failed\" x=\"0%\" width=\"28.57%\""))
    #expect(attempts.contains("<title>attempt 1, 4.000 s</title>"))
    #expect(attempts.contains("<rect class=\"ok\" x=\"78.57%\" width=\"21.43%\""))
    let inner = try #require(lanes["Inner steps"])
    #expect(inner.contains("<a href=\"#r1s2\"") && inner.contains("<a href=\"#r1s6\""))
    #expect(
      page.contains("<summary>Attempt 1 failed: writing alert-level: the &lt;link&gt; was lost")
    )
    let reader = PageReader(page)
    #expect(reader.error == nil && Set(reader.ids).count == reader.ids.count)
    #expect(Set(reader.links).isSubset(of: reader.ids))
    #expect(page.components(separatedBy: "<tr id=\"r1s").count == 9)
  }

  @Test("the tries of a step are bars of when they ran, which lead to its row")
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
    let lane = try #require(Self.lanes(page)["Attempts of steps"])
    #expect(lane.contains("<rect class=\"failed\" x=\"10%\" width=\"20%\""))
    let title = "1  write alert-level u8:1, attempt 1: the &lt;link&gt; was lost, 2.000 s"
    #expect(lane.contains("<title>\(title)</title>"))
    #expect(lane.contains("<rect class=\"ok\" x=\"50%\" width=\"40%\""))
    #expect(lane.components(separatedBy: "<a href=\"#r1s2\"").count == 3)
    #expect(Self.lanes(PageEvents.page([try Self.tried()]))["Attempts of steps"] == nil)
  }

  @Test("what is done however the steps end has a lane of its own")
  func cleanUp() throws {
    let lanes = Self.lanes(PageEvents.page([try Self.tried()]))
    let lane = try #require(lanes["Clean-up"])
    // The finally and the disconnect of each try.
    #expect(lane.components(separatedBy: "<rect").count == 5)
    #expect(lanes["Steps"]?.contains("disconnect") == false)
    #expect(lanes["Inner steps"]?.contains("finally") == false)
  }

  @Test("of a long try the last steps are kept, of many tries the first ones")
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
    var collector = RunCollector(keepsValues: true)
    for event in run.events { collector.take(event) }
    let recorded = collector.runs[0]
    #expect(recorded.earlierAttempts.count == RecordedRun.attemptLimit)
    #expect(recorded.earlierAttempts.allSatisfy { $0.steps.count == RecordedRun.attemptStepLimit })
    #expect(recorded.earlierAttempts.allSatisfy { $0.leftOut == 4 })
    #expect(recorded.earlierFailures.count == tries - 1)
    #expect(HTMLReport().text(on: [recorded]).contains("4 more steps of this attempt not listed."))
  }

  @Test("a run without an end names the step that was under way")
  func unfinished() throws {
    let page = PageEvents.page([try PageEvents.odd().last].compactMap(\.self))
    let sentence =
      "The record of this run ends after 4.000 s in step 2: notify battery-level. The run was under "
      + "way, or its process was ended."
    #expect(page.contains("<p class=\"why\">\(sentence)</p>"))
    #expect(page.contains("<td class=\"s unfinished\">unfinished</td><td class=\"n\">1.000</td>"))
    #expect(Self.lanes(page)["Steps"]?.contains("notify battery-level, not ended") == true)
  }
}
