// The results that a command may report if its required journal cannot be written.

import ArgumentParser
import Bluetooth
import Documents
import Fixtures
import Glibc
import Jobs
import Signals
import Testing

@testable import Journal
@testable import Program

@Suite("A run whose journal cannot be written")
struct RunJournalTests {
  private let folder: TemporaryFolder
  private let loop = VirtualTimeLoop()

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "if a new day cannot begin in a required journal, the watch ends and reports no results",
    arguments: ["required", "optional"]
  )
  func nextDay(need: String) throws {
    defer { loop.end() }
    let path = folder.path + "/journal.sqlite"
    let (file, other) = (try JournalFile(writing: path), try JournalFile(writing: path))
    let options = try JournalOptions.parse(["--journal", path, "--journal-need", need])
    let (failures, reported) = (Recorded<RunFailure>(), Recorded<Int>())
    let journal = RunJournal(
      OpenJournal(file: file, options: options), on: loop, isSimulated: true
    ) { failures.add($0) }
    let plan = WatchPlan(
      [.init(.any, [try CharacteristicSelector(parsing: "battery-level")])],
      source: .poll(every: .seconds(1))
    )
    func day(_ round: Int) -> RunIdentity {
      RunIdentity(seed: 0, text: plan.definition, round: round)
    }
    try journal.begin("watch", plan.definition, day(1))
    journal.receive(WatchOutput(), of: plan) { reported.add(1) }
    #expect(reported.all == [1])
    file.setWait(.zero)
    _ = try other.write { _ in
      var next = WatchOutput()
      next.nextRun = day(2)
      journal.receive(next, of: plan) { reported.add(2) }
      journal.receive(WatchOutput(), of: plan) { reported.add(3) }
    }
    let isRequired = need == "required"
    #expect(reported.all == (isRequired ? [1] : [1, 2, 3]))
    #expect(failures.all.isEmpty != isRequired)
    #expect(journal.end(.ok) == (isRequired ? .output : .ok))
  }

  @Test("the end of a suite is reported after the values that wait for a required journal")
  func group() throws {
    defer { loop.end() }
    let path = folder.path + "/journal.sqlite"
    let options = try JournalOptions.parse(["--journal", path, "--journal-need", "required"])
    let journal = RunJournal(
      OpenJournal(file: try JournalFile(writing: path), options: options), on: loop,
      isSimulated: true
    ) { Issue.record("\($0)") }
    let identity = RunIdentity(seed: 0, text: "Cells")
    try journal.begin("suite", "Cells", identity)
    let reported = Recorded<RunEvent.Change>()
    let step = ReportedStep(
      number: 1, operation: "read", action: "read", attribute: nil, label: nil, target: nil,
      source: Place(file: "suite.xml", line: 1, column: 1)
    )
    let changes: [RunEvent.Change] = [
      .run(.groupStarted(RunGroup(kind: "test-suite", title: "Cells", count: 1))),
      .run(.started(RunStart(chain: "Cells", steps: 1, seed: 0))), .step(.started(step)),
      .data(step, .value(StepValue(octets: [1], decoded: .integer(1)))),
      .run(.groupFinished(RunGroupEnding(results: [], notRun: 1))),
    ]
    for change in changes {
      let event = RunEvent(
        run: identity, device: "Cell-1", attempt: 1, offset: .zero, wallClock: .zero, change: change
      )
      journal.receive(event) { reported.add(change) }
    }
    // A value within a step is written, and so reported, within a second.
    #expect(reported.all == Array(changes.prefix(2)))
    #expect(journal.end(.ok) == .ok)
    #expect(reported.all == changes)
  }

  @Test("an event from another thread waits for the earlier ones that the loop reports", .blocking)
  func threads() throws {
    let loop = EventLoop()
    defer { loop.end() }
    let path = folder.path + "/journal.sqlite"
    let options = try JournalOptions.parse(["--journal", path, "--journal-need", "required"])
    let journal = RunJournal(
      OpenJournal(file: try JournalFile(writing: path), options: options), on: loop,
      isSimulated: true
    ) { Issue.record("\($0)") }
    let identity = RunIdentity(seed: 0, text: "Cells")
    try journal.begin("watch", "Cells", identity)
    let step = ReportedStep(
      number: 1, operation: "notify", action: "notify", attribute: nil, label: nil, target: nil,
      source: Place(file: "watch", line: 1, column: 1)
    )
    func event(_ change: RunEvent.Change) -> RunEvent {
      RunEvent(
        run: identity, device: "Cell-1", attempt: 1, offset: .zero, wallClock: .zero, change: change
      )
    }
    let (reported, isReporting) = (Recorded<String>(), Guarded(false))
    let before = [
      event(.run(.started(RunStart(chain: "Cells", steps: 1, seed: 0)))),
      event(.step(.started(step))),
    ]
    let value = event(.data(step, .value(StepValue(octets: [1], decoded: .integer(1)))))
    loop.performAndWait {
      for event in before { journal.receive(event) {} }
      journal.receive(value) {
        isReporting.withLock { $0 = true }
        poll(nil, 0, 100)
        reported.add("value")
      }
    }
    // The timer of the journal reports the value, within a second.
    for _ in 0..<60_000 where !isReporting.withLock({ $0 }) { poll(nil, 0, 1) }
    let end = event(.run(.groupFinished(RunGroupEnding(results: [], notRun: 1))))
    journal.receive(end) { reported.add("end") }
    #expect(journal.end(.ok) == .ok)
    #expect(reported.all == ["value", "end"])
  }
}
