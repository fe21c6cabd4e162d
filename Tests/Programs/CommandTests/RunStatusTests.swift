// The text of the status line, and how it is cut, without a terminal.

import BlueZ
import Bluetooth
import Fixtures
import Jobs
import Signals
import Testing

@testable import Program

@Suite("The status of a run")
struct RunStatusTests {
  private func at(_ milliseconds: Int) -> Instant {
    Instant(sinceStart: .milliseconds(milliseconds))
  }

  private func shown(_ status: RunStatus, at milliseconds: Int, columns: Int = 100) -> String {
    status.line(at: at(milliseconds), columns: columns)
  }

  private func event(_ change: RunEvent.Change) -> RunEvent {
    RunEvent(
      run: RunIdentity(seed: 1, text: "chain", round: 1), device: "Thermo-1", attempt: 1,
      offset: .zero, wallClock: .zero, change: change
    )
  }

  @Test("connecting shows the current phase, the attempts and the deadline of the step")
  func connecting() {
    var status = RunStatus()
    #expect(shown(status, at: 0) == "")
    status.apply(RunWait(what: "connecting to Thermo-1", begun: at(1000), limit: .seconds(20)))
    #expect(shown(status, at: 1049) == "connecting to Thermo-1, 0.0 s of 20 s")
    status.apply(.finding)
    #expect(shown(status, at: 2100) == "connecting to Thermo-1, scanning, 1.1 s of 20 s")
    status.apply(.connecting(attempt: 1, of: 5))
    #expect(shown(status, at: 2500) == "connecting to Thermo-1, attempt 1 of 5, 1.5 s of 20 s")
    status.apply(.awaiting(run: "run 12, process 4711"))
    #expect(
      shown(status, at: 2600)
        == "connecting to Thermo-1, waiting for run 12, process 4711, 1.6 s of 20 s"
    )
    status.apply(.trying(again: 2, of: 5, "busy"))
    #expect(
      shown(status, at: 3000) == "connecting to Thermo-1, waiting for attempt 2 of 5, 2.0 s of 20 s"
    )
    status.apply(.connecting(attempt: 2, of: 5))
    #expect(shown(status, at: 4100) == "connecting to Thermo-1, attempt 2 of 5, 3.1 s of 20 s")
    // Another wait begins.
    status.apply(RunWait(what: "reading battery-level", begun: at(5000), limit: .milliseconds(250)))
    #expect(shown(status, at: 5100) == "reading battery-level, 0.1 s of 0.25 s")
  }

  @Test("an upload shows how far it is")
  func uploading() throws {
    var status = RunStatus()
    let image = MCUbootImage.octets(FirmwareVersion(2, 0, 0), body: [1])
    let folder = try TemporaryFolder()
    try folder.write(image, to: folder.path + "/app.bin")
    let step = Step.firmware(try FirmwareFile(folder.path + "/app.bin"))
    let reported = ReportedStep(PlacedStep(StepPosition(1), step))
    status.apply(event(.step(.started(reported))), at: at(0))
    status.apply(RunWait(position: StepPosition(1), what: "updating", begun: at(0)))
    let value = DecodedValue.fields([.init("percent", .integer(42))])
    let data = RunEvent.StepData.value(StepValue(octets: [], decoded: value))
    status.apply(event(.data(reported, data)), at: at(0))
    #expect(shown(status, at: 2000) == "step 1: updating, 42 %, 2.0 s")
  }

  @Test("the connecting phase disappears once a watch is connected")
  func connected() {
    var status = RunStatus()
    status.apply(RunWait(what: "watching heart-rate-measurement", begun: at(0)))
    status.apply(.connecting(attempt: 1, of: 5))
    #expect(shown(status, at: 1000) == "watching heart-rate-measurement, attempt 1 of 5, 1.0 s")
    status.connected()
    #expect(shown(status, at: 1000) == "watching heart-rate-measurement, 1.0 s")
  }

  @Test("a step shows its values until it ends, and repeated attempts show their numbers")
  func values() throws {
    let step = try Step.read("ff01")
    let reported = StepPosition.place([step])[0].reported
    var status = RunStatus()
    status.apply(event(.step(.started(reported))), at: at(0))
    #expect(shown(status, at: 200) == "step 1: read ff01, 0.2 s")
    status.apply(event(.data(reported, .value(StepValue(octets: [1], decoded: nil)))), at: at(300))
    #expect(shown(status, at: 300) == "step 1: read ff01, 1 value, 0.3 s")
    status.apply(
      RunWait(
        position: reported.position, what: "listening", begun: at(300), limit: .seconds(90),
        values: 3, stepTry: RunWait.Try(2, of: 4), attempt: RunWait.Try(3, of: 3)
      )
    )
    #expect(
      shown(status, at: 60_400)
        == "chain attempt 3 of 3, step 1: listening, 1 of 3 values, try 2 of 4, 60.1 s of 90 s"
    )
    let result = StepResult(reported, status: .ok, outcome: nil, failure: nil, took: .zero)
    status.apply(event(.step(.finished(result))), at: at(61_000))
    #expect(shown(status, at: 61_000) == "")
  }

  @Test("a narrow line keeps its times, and a very narrow one is cut off at the end")
  func narrow() {
    var status = RunStatus()
    status.apply(
      RunWait(what: "listening to temperature-measurement", begun: at(0), limit: .seconds(20))
    )
    #expect(shown(status, at: 3100, columns: 39) == "listening to temperatur…, 3.1 s of 20 s")
    status.apply(.connecting(attempt: 2, of: 5))
    #expect(shown(status, at: 3100, columns: 39) == "listeni…, attempt 2 of 5, 3.1 s of 20 s")
    #expect(shown(status, at: 3100, columns: 38) == "listening to temperatu…, 3.1 s of 20 s")
    #expect(shown(status, at: 3100, columns: 20) == "listening to temper…")
    #expect(shown(status, at: 3100, columns: 1) == "…")
    #expect(shown(status, at: 3100, columns: 0) == "")
  }

  @Test(
    "wide characters count two columns, combining marks none, and escapes their full length",
    arguments: [
      ("abc", 3), ("温度計", 6), ("e\u{301}", 1), ("🙂", 2), ("\u{1b}[31m", 10), ("ｶﾅ", 2), ("한글", 4),
      ("❤\u{fe0f}", 2), ("", 0),
    ]
  )
  func columns(text: String, columns: Int) {
    #expect(ColumnText(text).columns == columns)
    for width in 0...12 {
      let cut = ColumnText(text).cut(to: width)
      #expect(ColumnText(cut).columns <= width, "\(cut)")
      if width >= columns { #expect(cut == ColumnText(text).cut(to: .max)) }
    }
  }

  @Test(
    "colours depend on the option, the terminal and the environment",
    arguments: [
      (Presentation.Color.auto, true, [:], true), (.auto, false, [:], false),
      (.auto, true, ["NO_COLOR": "1"], false), (.auto, true, ["NO_COLOR": ""], true),
      (.auto, true, ["TERM": "dumb"], false), (.auto, true, ["TERM": ""], false),
      (.never, true, [:], false), (.always, false, ["NO_COLOR": "1", "TERM": "dumb"], true),
    ]
  )
  func colors(
    color: Presentation.Color, isTerminal: Bool, variables: [String: String], isColored: Bool
  ) {
    let environment = ["TERM": "xterm"].merging(variables) { $1 }
    let presentation = Presentation(color: color)
    #expect(presentation.isColored(onTerminal: isTerminal) { environment[$0] } == isColored)
  }
}
