// How long runs are kept.

import Jobs
import Signals
import Testing

@testable import Journal

@Suite("Journal retention")
struct RetentionTests {
  private let bench: JournalBench
  private let file: JournalFile

  init() throws {
    bench = try JournalBench()
    file = try JournalFile(writing: bench.path)
  }

  /// Three runs, a day apart, the last of which has not ended.
  private func fill(owner: String? = nil) throws {
    for day in 0..<3 {
      let loop = bench.loop
      let recorder = bench.recorder(to: file, owner: owner, started: recorderTime)
      recorder.begin()
      let hear = recorder.chain()
      for event in try EventScript.reading(1) { hear(event) }
      if day < 2 { recorder.finish(.ok) }
      try loop.run { try await loop.sleep(for: .seconds(86_400)) }
    }
  }

  private var recorderTime: Duration { bench.loop.wallClockAtStart + bench.loop.now.sinceStart }

  @Test("runs that ended before a given time are deleted with all their records")
  func age() throws {
    try fill()
    let from = Timestamp.text(bench.loop.wallClockAtStart + .seconds(43_200))
    let pruned = try file.prune(Retention(from: from)) { _ in false }
    // The third run never ended; its last known time is the start of its chain.
    #expect(pruned.runs == [1, 3])
    #expect(try file.runs().map(\.run) == [2])
    for table in ["chains", "steps", "step_values"] {
      #expect(try bench.count("\(table) WHERE run != 2") == 0)
      #expect(try bench.count("\(table) WHERE run = 2") > 0)
    }
    #expect(try file.check().problems.isEmpty)
  }

  @Test("a run whose process is still alive is kept, however old")
  func underWay() throws {
    try fill(owner: "somebody")
    let pruned = try file.prune(Retention(from: "2100")) { $0 == "somebody" }
    #expect(pruned.runs == [1, 2])
    #expect(try file.prune(Retention(from: "2100")) { _ in false }.runs == [3])
  }

  @Test("the oldest runs are deleted until the journal is small enough, and the file shrinks")
  func size() throws {
    for _ in 0..<30 { try bench.run(Array(1...20), in: file) }
    let before = try file.octets()
    let pruned = try file.prune(Retention(mostOctets: before / 2, sparing: 1)) { _ in false }
    #expect(pruned.octets <= before / 2)
    #expect(pruned.octets == (try file.octets()))
    #expect(pruned.runs.first == 2)
    #expect(pruned.runs == Array(2...(pruned.runs.last ?? 0)))
    #expect(try file.runs().first?.run == 30)
    #expect(try file.runs().last?.run == 1)
    // Run numbers are not reused.
    #expect(try bench.run(in: file) == 31)
  }
}
