// Runs that are killed at every boundary of a step, or at a sample of them: no recorded value
// is lost, and no link is left.

import Fixtures
import Foundation
import Glibc
import Journal
import Signals
import Testing

@testable import Program

@Suite("A run that is killed", .blocking)
struct CrashTests {
  static let steps = """
    read body-sensor-location; notify heart-rate-measurement until 3x; sleep 500ms; \
    notify heart-rate-measurement for 50ms; read body-sensor-location; log "done"
    """

  /// How many times each line is the last one seen.
  static let rounds = 4

  private let host: SimulatedHost

  init() throws { host = try SimulatedHost() }

  private func start() throws -> RunningProgram {
    try host.start(["run", "-d", host.device, "-e", Self.steps, "--output", "json"])
  }

  @Test(
    "after a kill at any step, the journal has what was printed and the next run disconnects",
    arguments: sampled(0..<rounds)
  )
  func everywhere(round: Int) throws {
    var generator = SeededGenerator(seed: UInt64(round), name: "moments")
    var (kills, released) = (0, 0)
    let whole = try start().end()
    #expect(whole.status == 0, "\(whole.errors)")
    let lines = whole.lines.count
    let moments = sampled(0..<lines)
    for (index, line) in moments.enumerated() {
      let run = try start()
      run.waitForLines(line)
      // In the first round at the boundary, then somewhat behind it.
      if round > 0 { poll(nil, 0, Int32.random(in: 0...12, using: &generator)) }
      run.send(SIGKILL)
      let killed = run.end()
      if killed.status == 137 { kills += 1 }
      try checkJournal(killed, "line \(line)")
      // The doctor and the next run alternate at it.
      let next =
        index.isMultiple(of: 2)
        ? try host.run("doctor", "--release") : try host.run("run", "-d", "*", "-e", "log x")
      #expect(next.status == 0, "\(next.output) \(next.errors)")
      if (next.output + next.errors).contains("disconnected") { released += 1 }
      #expect(try !host.isConnected(), "line \(line): \(killed.output) \(next.output)")
      #expect(host.leases.isEmpty)
    }
    // The lines after the sleep may come too fast for a kill, and it connects only after the first ones.
    #expect(kills > (testsEverything ? lines / 3 : 0))
    #expect(released > (testsEverything ? lines / 4 : 0))
    let check = try host.run("history", "check")
    #expect(check.status == 0, "\(check.output)")
    // Everything is as before: a run that is not killed succeeds.
    let last = try start().end()
    #expect(last.status == 0, "\(last.errors)")
  }

  /// Everything that the run has printed whole is in the journal, in the same words.
  private func checkJournal(_ killed: RunningProgram.Ended, _ place: String) throws {
    var printed = killed.output.components(separatedBy: "\n")
    // Text after the last line break was cut off.
    printed.removeLast()
    // Values and beginnings of steps may wait for a second.
    let owed = printed.filter {
      $0.contains(#""event":"step-finished""#) || $0.contains(#""event":"run-"#)
    }
    guard let last = owed.last.flatMap({ printed.firstIndex(of: $0) }) else { return }
    let file = try JournalFile(reading: host.journal)
    let run = try #require(try file.runs(most: 1).first)
    let kept = Recorded<String>()
    _ = try file.exportJSON(run.run) { kept.add($0) }
    #expect(Array(kept.all.prefix(last + 1)) == Array(printed[...last]), "\(place)")
    let isFinished = printed.contains { $0.contains(#""event":"run-finished""#) }
    let finished = try file.finishedDevices(of: run.run).map(\.device)
    if isFinished { #expect(finished == [host.device], "\(place)") }
    file.close()
  }
}
