// Explanations on the page of a run, and on the page of a recorded run.

import Bluetooth
import Documents
import Foundation
import FoundationXML
import Signals
import Testing

@testable import Jobs
@testable import Reports

@Suite("Explanations on the page of a run")
struct PageExplanationTests {
  private static let start = Duration.seconds(1_000)

  /// A refused write, with a message and a packet before it.
  private static var failure: RunFailure {
    var failure = RunFailure(
      code: .refused, class: .definite, what: "writing alert-level", why: "the device refused",
      bluez: BlueZAnswer(name: "org.bluez.Error.Failed", text: "ATT error: 0x80"),
      att: ATTErrorCode(rawValue: 0x80), hint: "look at the device",
      trace: TraceSlice(
        file: "run.btsnoop", packets: 1...2, times: start + .seconds(2)...start + .seconds(3),
        last: [
          TracePacket(number: 2, time: start + .seconds(3), text: "> ATT Error Response")
        ]
      )
    )
    failure.source = Place(file: "lamp.yaml", line: 3, column: 5)
    failure.messages = [
      BlueZMessage(.call, at: start + .seconds(2), number: 2, member: "WriteValue")
    ]
    return failure
  }

  /// A run that connects at 1 s, has a write fail at 3 s and disconnects at 4 s, with a note.
  private static func events() throws -> [RunEvent] {
    let plan = try Plan.parse(line: "write alert-level u8:1")
    let leaving = PlacedStep(.impliedDisconnect, Step(.disconnect))
    let steps = (plan.placedSteps + [leaving]).map(\.reported)
    func event(_ second: Double, _ change: RunEvent.Change) -> RunEvent {
      let offset = Duration.microseconds(second * 1e6)
      return RunEvent(
        run: RunIdentity(seed: 7, plan: plan), device: "Lamp", attempt: 1, offset: offset,
        wallClock: start + offset, change: change
      )
    }
    let failure = failure
    let made = StepResult(
      steps[0], status: .ok, outcome: .linked(.made), failure: nil, took: .seconds(1)
    )
    let wrote = StepResult(
      steps[1], status: .failed, outcome: nil, failure: failure, took: .seconds(2)
    )
    let left = StepResult(
      steps[2], status: .ok, outcome: nil, failure: nil, took: .milliseconds(500)
    )
    return [
      event(0, .run(.started(RunStart(chain: "Lamp", steps: 1, seed: 7)))),
      event(0, .step(.started(steps[0]))), event(1, .step(.finished(made))),
      event(1, .step(.started(steps[1]))), event(1.5, .remark(.note("window </open>"))),
      event(3, .step(.finished(wrote))), event(3.5, .step(.started(steps[2]))),
      event(4, .step(.finished(left))),
      event(
        4, .run(.finished(RunEnding(status: .failed, failure: failure, step: steps[1], done: 0)))),
    ]
  }

  private static func runs(_ events: [RunEvent]) -> [RecordedRun] {
    RunCollector.runs(of: events, keepsValues: true)
  }

  private static func page(_ events: [RunEvent]) throws -> String {
    let text = HTMLReport().text(on: runs(events))
    // The page is well-formed, whatever the messages contain.
    _ = try XMLDocument(xmlString: text)
    return text
  }

  @Test("the connection and the notes have their own lanes")
  func lanes() throws {
    let page = try Self.page(try Self.events())
    for lane in ["Steps", "Connection", "Notes"] {
      #expect(page.contains("<div class=\"name\">\(lane)</div>"), "\(lane)")
    }
    #expect(page.contains("<rect class=\"ok\" x=\"25%\" width=\"75%\""))
    #expect(page.contains("window &lt;/open&gt;"))
  }

  @Test("gaps, reconnects and notes are marked in each plot, and listed in order")
  func marks() throws {
    var run = try PageEvents("Belt", "notify battery-level for 9s")
    run.end(1, run.step(0), .ok, .linked(.made), took: 1)
    for second in [2.0, 3, 7, 8] { run.value(second, run.step(1), second) }
    let lost = Instant.start
    let gap = NotificationGap(.linkLost, from: lost, to: lost + .seconds(2))
    run.add(6, .data(run.step(1), .gap(gap)))
    run.add(7.5, .remark(.note("window </open>")))
    run.end(10, run.step(1), .ok, .listened(count: 4, rate: 1), took: 9)
    run.finish(10)
    let page = try Self.page(run.events)
    // The gap interrupts the line.
    #expect(page.contains("<path class=\"line\" d=\"M800 940L1200 793M2800 207L3200 60\"/>"))
    #expect(page.contains("<rect class=\"gap\" x=\"1600\" y=\"0\" width=\"800\""))
    #expect(page.contains("<path class=\"again\" d=\"M2400 0V1000\"><title>connected again"))
    #expect(page.contains("<path class=\"note\" d=\"M3000 0V1000\"><title>note: window &lt;/open"))
    let list = try #require(page.components(separatedBy: "<details class=\"marks\"").last)
    #expect(list.hasPrefix(" open=\"open\">\n<summary>Notes, gaps and reconnects: 3</summary>"))
    let kinds = list.components(separatedBy: "<li class=\"").dropFirst().map { $0.prefix(4) }
    #expect(kinds == ["gap\"", "agai", "note"])
    #expect(list.contains("battery-level (gap: the link was lost, no values for 2.000 s)</li>"))
  }

  @Test("the row of a failed step lists the messages and packets before it, in order")
  func explanation() throws {
    let page = try Self.page(try Self.events())
    let list = try #require(page.components(separatedBy: "<details class=\"before\">").last)
    let first = try #require(list.range(of: "call 2 / WriteValue()"))
    let second = try #require(list.range(of: "packet 2 &gt; ATT Error Response"))
    #expect(first.lowerBound < second.lowerBound)
    #expect(list.hasPrefix("<summary>Before it: 1 message of BlueZ, 1 packet</summary>"))
  }

  @Test("the connected interval lasts from the connecting step to the end of the connection")
  func connected() throws {
    #expect(Self.runs(try Self.events())[0].connected == [.seconds(1) ... .seconds(4)])
  }

  @Test("the first notes are kept if there are too many")
  func bounded() throws {
    var run = try PageEvents("Lamp", "read battery-level")
    for number in 0...RecordedRun.noteLimit { run.add(1, .remark(.note("\(number)"))) }
    #expect(Self.runs(run.events)[0].notes.map(\.text).last == "\(RecordedRun.noteLimit - 1)")
  }

  // MARK: Lines of a run

  @Test(
    "events that occur only in older records are ignored",
    arguments: ["bluez-message", "hci-packet", "recording-stopped"]
  )
  func ignored(event: String) throws {
    let line =
      #"{"v":1,"event":"\#(event)","time":"2000-01-01T00:00:01.000000Z","offset":1.000000,"#
      + #""run":"0123456789abcdef","device":"a","kind":"signal","member":"Connect","number":1,"#
      + #""file":"a","text":"b","limit":1,"leftOut":1}"#
    var reader = EventLines()
    #expect(try reader.event(in: line) == nil)
  }

  @Test("a run parsed from its printed lines gives the same record")
  func readBack() throws {
    let events = try Self.events()
    var reader = EventLines()
    let read = try events.flatMap { JSONLinesReport().lines(for: $0) }
      .compactMap { try reader.event(in: $0) }
    let (before, after) = (Self.runs(events)[0], Self.runs(read)[0])
    #expect(read.count == events.count)
    #expect(after.notes == before.notes && after.notes.count == 1)
    #expect(after.failures.map(\.json) == before.failures.map(\.json))
    #expect(after.failures.map(\.trace) == before.failures.map(\.trace))
    #expect(after.steps.map(\.endedAt) == before.steps.map(\.endedAt))
    #expect(after.steps.map(\.took) == before.steps.map(\.took))
    #expect(after.steps.map(\.outcome) == before.steps.map(\.outcome))
    #expect(after.failureBetweenSteps == nil && after.connected == before.connected)
  }

  @Test(
    "step outcomes are parsed back",
    arguments: [
      #""value":{"percent":72},"hex":"48""#, #""hex":"01""#, #""value":{"count":3,"rate":0.5}"#,
      #""pairing":"paired","authenticated":true"#, #""pairing":"already""#,
      #""value":{"count":1,"rate":1.0,"latency":{"p50":0.015000,"p95":0.015000,"p99":0.015000}}"#,
      #""value":{"count":0,"rate":0.0,"latency":null}"#,
      #""value":{"percent":72},"hex":"48","answered":0.015000,"notified":0.030000"#,
      #""value":{"count":3,"rate":0.5},"hex":"0305""#,
    ]
  )
  func outcomes(members: String) throws {
    let line =
      #"{"v":1,"event":"step-finished","time":"2000-01-01T00:00:01.000000Z","offset":1.000000,"#
      + #""run":"0123456789abcdef","device":"a","step":"2[3].finally.1","operation":"read","#
      + #""attribute":"battery-level","status":"ok",\#(members)}"#
    var reader = EventLines()
    let event = try #require(try reader.event(in: line))
    #expect(JSONLinesReport().lines(for: event) == [line])
  }

  @Test(
    "JSON prints as it was parsed",
    arguments: [
      #"{"a":[1,-2.50,1e3,true,false,null],"b":{"c":"\u00e9\n\"\\\ud83d\ude00"},"d":{},"e":[]}"#,
      "7", #""x""#,
    ]
  )
  func json(text: String) throws {
    let value = try JSONValue(parsing: " \(text) ")
    #expect(try JSONValue(parsing: value.text) == value)
    #expect(value.text.contains("é") == text.contains("00e9"))
  }

  @Test(
    "invalid JSON is rejected with its position",
    arguments: [
      "", "{", "[1,", #"{"a" 1}"#, "01x", "tru", #""a"#, "[1] 2", "+1", #""\x""#,
      String(repeating: "[", count: 100),
    ]
  )
  func notJSON(text: String) {
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
  }

  @Test(
    "a time prints as it was parsed",
    arguments: [0, 951_868_800, 1_234_567_890, -1, 4_102_444_799]
  )
  func times(second: Int) {
    let time = Duration.seconds(second) + .microseconds(123_456)
    #expect(Timestamp.time(Timestamp.text(time)) == time)
  }
}
