// Batches that are killed at every boundary of a step, or at a sample of them, and then resumed: no
// finished device runs again, no recorded value is lost, and no link is left.

import Fixtures
import Foundation
import Glibc
import Journal
import Signals
import Testing

@testable import Program

@Suite("A batch that is killed", .blocking)
struct BatchCrashTests {
  /// Three chest straps that connect and answer at once.
  private static let straps = (1...3).map { "C0:FF:EE:00:00:0\($0)" }

  private static let scenario = """
    scenario: Straps
    host: { disconnect-delay: 20ms }
    devices:
      - name: Strap-#
        address: C0:FF:EE:00:00:01
        count: 3
        advertisement: { services: [heart-rate], interval: 20ms }
        link: { connect-time: 5ms, latency: 1ms }
        services:
          - service: heart-rate
            characteristics:
              - characteristic: body-sensor-location
                properties: [read]
                value: { u8: 1 }
    """

  private let host: SimulatedHost

  init() throws { host = try SimulatedHost(Self.scenario) }

  private func batch(_ concurrency: Int) throws -> String {
    try host.folder.file(
      "batch-\(concurrency).yaml",
      """
      devices: [ \(Self.straps.map { "\"\($0)\"" }.joined(separator: ", ")) ]
      steps: [ { read: body-sensor-location }, { log: done } ]
      concurrency: \(concurrency)
      """
    )
  }

  /// The number of lines of a batch that is not killed: for each device its start and end, and
  /// two for each of four steps and the value of one; two of the batch itself.
  private static let lines = 3 * (2 + 4 * 2 + 1) + 2

  @Test(
    "a batch killed at any step resumes: no device runs twice, and no record or link is left",
    arguments: [1, 2]
  )
  func everywhere(concurrency: Int) throws {
    var generator = SeededGenerator(seed: UInt64(concurrency), name: "moments")
    let batch = try batch(concurrency)
    var (kills, early) = (0, 0)
    let moments = sampled(0...Self.lines)
    for line in moments {
      let first = try host.start(["batch", batch, "--output", "json"])
      first.waitForLines(line)
      // With one device at a time at the boundary, with two somewhat after it.
      if concurrency > 1 { poll(nil, 0, Int32.random(in: 0...9, using: &generator)) }
      first.send(SIGKILL)
      let killed = first.end()
      if killed.status == 137 { kills += 1 }
      guard let run = try lastRun(), killed.lines.count > 1 || run.finished == nil else {
        // It was killed before it began, so there is nothing to resume.
        early += 1
        continue
      }
      let place = "line \(line) of \(concurrency) at once"
      try checkKept(killed, run, place)
      if concurrency > 1, line.isMultiple(of: 3) {
        let again = try host.start(["batch", batch, "--resume", "--output", "json"])
        again.waitForLines(Int.random(in: 1...12, using: &generator))
        again.send(SIGKILL)
        _ = again.end()
      }
      let second = try host.run("batch", batch, "--resume", "--output", "json")
      #expect(second.status == 0, "\(place): \(second.output) \(second.errors)")
      try checkDone(run.run, place)
      #expect(try !host.isConnected(), "\(place)")
      // If all devices were done, a lease file may remain that no command has checked.
      #expect(host.leases.isEmpty || second.errors.contains("nothing is left"), "\(place)")
    }
    // The last lines come too fast for a kill, the more so on a busy machine.
    #expect(kills > (testsEverything ? moments.count / 4 : 1))
    #expect(early <= 1)
    #expect(try host.run("history", "check").status == 0)
  }

  private func lastRun() throws -> RunSummary? {
    do throws(JournalFailure) {
      let file = try JournalFile(reading: host.journal)
      defer { file.close() }
      return try file.runs(most: 1).first
    } catch {
      guard [.missing, .empty].contains(error.kind) else { throw error }
      return nil
    }
  }

  /// Each line about a device that was printed up to its last end of a step is in the journal, in the
  /// same words.
  private func checkKept(
    _ killed: RunningProgram.Ended, _ run: RunSummary, _ place: String
  ) throws {
    let file = try JournalFile(reading: host.journal)
    defer { file.close() }
    let kept = Recorded<String>()
    _ = try file.exportJSON(run.run) { kept.add($0) }
    var printed = killed.output.components(separatedBy: "\n")
    // Text after the last line break was cut off.
    printed.removeLast()
    for device in Self.straps {
      let told = printed.filter { $0.contains(#""device":"\#(device)""#) }
      let owed = told.lastIndex {
        $0.contains(#""event":"step-finished""#) || $0.contains(#""event":"run-"#)
      }
      guard let owed else { continue }
      let there = kept.all.filter { $0.contains(#""device":"\#(device)""#) }
      #expect(Array(there.prefix(owed + 1)) == Array(told[...owed]), "\(place)")
    }
  }

  /// Each device succeeded once, and had no chain after that.
  private func checkDone(_ number: Int64, _ place: String) throws {
    let file = try JournalFile(reading: host.journal)
    defer { file.close() }
    let run = try #require(try file.run(number))
    #expect(run.exitStatus == 0, "\(place)")
    for device in Self.straps {
      let ways = run.chains.filter { $0.device == device }.map(\.status)
      #expect(ways.count <= 3 && ways.last == "ok", "\(place): \(ways)")
      #expect(ways.dropLast().allSatisfy { $0 == nil }, "\(place): \(ways)")
    }
  }
}
