// Runs of other processes, followed in the journal while they run.

import Bluetooth
import Fixtures
import Jobs
import Signals
import Testing

@testable import Journal

@Suite("Following a journal")
struct JournalFollowerTests {
  private let bench: JournalBench
  private let file: JournalFile
  private let living = Recorded<String>()
  private var follower: JournalFollower
  private var now = Duration.zero

  init() throws {
    bench = try JournalBench()
    file = try JournalFile(writing: bench.path)
    let living = living
    follower = JournalFollower(most: 3) { owner in living.all.contains(owner) }
  }

  private mutating func look(own: Set<Int64> = []) throws -> [FollowedRun] {
    now += .seconds(1)
    return try follower.look(at: file, own: own, now: now)
  }

  /// Records events of a chain one after the other.
  private func record(_ events: [RunEvent], _ chain: (RunEvent) -> Void) {
    for event in events { chain(event) }
  }

  @Test("a run is reported with each of its steps, and not again once it has ended")
  mutating func run() throws {
    living.add("here")
    #expect(try look().isEmpty)
    let recorder = bench.recorder(to: file, owner: "here")
    recorder.begin()
    let chain = recorder.chain()
    let begun = try #require(try look().first)
    #expect(begun.isUnderWay && begun.steps.isEmpty && begun.progress == nil)
    var script = try EventScript("read battery-level; read battery-level")
    script.start()
    script.begin(0)
    script.finish(0, .linked(.made))
    record(script.events, chain)
    let connected = try #require(try look().first)
    #expect(connected.progress == RunProgress(.steps, ended: 0, total: 2))
    #expect(connected.steps.map(\.position) == ["connect"])
    #expect(connected.steps.map(\.status) == ["ok"])
    #expect(try look().isEmpty, "nothing has changed")
    let before = script.events.count
    script.begin(1)
    script.finish(1, failure: .lost)
    script.end(.lost)
    record(Array(script.events[before...]), chain)
    recorder.finish(.passing)
    let ended = try #require(try look().first)
    #expect(!ended.isUnderWay && ended.exitStatus == 75)
    #expect(ended.progress == RunProgress(.steps, ended: 1, failed: 1, total: 2))
    // The steps that ended since the last look.
    #expect(ended.steps.map(\.status) == ["ok", "failed"])
    #expect(ended.steps.map(\.outcome) == ["ok", nil])
    #expect(ended.failure?.contains("the link was lost") == true)
    #expect(try look().isEmpty)
  }

  @Test("only the latest runs are reported, without steps if they had already ended")
  mutating func latest() throws {
    for _ in 0..<5 {
      let recorder = bench.recorder(to: file)
      recorder.begin()
      record(try EventScript.reading(72), recorder.chain())
      recorder.finish(.ok)
    }
    let found = try look()
    #expect(found.map(\.run) == [3, 4, 5])
    #expect(found.allSatisfy { $0.steps.isEmpty && !$0.isUnderWay && $0.stepsEnded == 2 })
  }

  @Test("a batch reports its devices, how many ended and how many failed")
  mutating func batch() throws {
    #expect(try look().isEmpty)
    var header = bench.header(owner: "here")
    header.batch = BatchOrigin(file: "/a.yaml", name: "Building", digest: "", round: 1)
    let recorder = RunRecorder(header, to: file, on: bench.loop) { _ in }
    recorder.begin()
    recorder.record((0..<4).map { BatchMember(device: "D-\($0)", name: nil) })
    let chains = (0..<3).map { _ in recorder.chain() }
    record(try EventScript.reading(1, device: "D-0"), chains[0])
    record(try EventScript.reading(1, device: "D-1", failure: .lost), chains[1])
    var script = try EventScript("read battery-level", device: "D-2")
    script.start()
    script.begin(0)
    record(script.events, chains[2])
    recorder.finish(.ok)
    let run = try #require(try look().first)
    #expect(run.steps.filter { $0.device == "D-0" }.map(\.outcome) == ["ok", "1"])
    #expect(run.deviceCount == 3 && run.devices == ["D-0", "D-1", "D-2"])
    #expect(run.name == "Building")
    #expect(run.progress == RunProgress(.devices, ended: 2, failed: 1, total: 4))
  }

  @Test("a device run again by a resumed batch counts with the result of its last chain")
  mutating func resumed() throws {
    living.add("here")
    #expect(try look().isEmpty)
    var header = bench.header(owner: "here")
    header.batch = BatchOrigin(file: "/a.yaml", name: nil, digest: "", round: 1)
    let recorder = RunRecorder(header, to: file, on: bench.loop) { _ in }
    recorder.begin()
    recorder.record((0..<2).map { BatchMember(device: "D-\($0)", name: nil) })
    record(try EventScript.reading(1, device: "D-0", failure: .lost), recorder.chain())
    record(try EventScript.reading(1, device: "D-1"), recorder.chain())
    let failed = try #require(try look().first)
    #expect(failed.progress == RunProgress(.devices, ended: 2, failed: 1, total: 2))
    #expect(failed.failure?.contains("the link was lost") == true)
    let (events, again) = (try EventScript.reading(1, device: "D-0"), recorder.chain())
    record(Array(events.prefix(3)), again)
    let underWay = try #require(try look().first)
    #expect(underWay.progress == RunProgress(.devices, ended: 1, failed: 0, total: 2))
    record(Array(events.dropFirst(3)), again)
    recorder.finish(.ok)
    let ended = try #require(try look().first)
    #expect(ended.progress == RunProgress(.devices, ended: 2, failed: 0, total: 2))
    #expect(ended.failure == nil && ended.deviceCount == 2)
  }

  @Test("a run is interrupted if its process is gone, or if a simulated run stops changing")
  mutating func brokenOff() throws {
    let recorders = ["gone", nil].map { bench.recorder(to: file, owner: $0) }
    #expect(try look().isEmpty)
    for recorder in recorders { recorder.begin() }
    #expect(try look().map(\.isUnderWay) == [false, true])
    now += JournalFollower.patience
    #expect(try look().map(\.isUnderWay) == [false])
    for event in try EventScript.reading(72).dropLast() { recorders[1].chain()(event) }
    for _ in 0..<10 {
      if let changed = try look().first {
        #expect(changed.run == 2 && changed.isUnderWay)
        return
      }
    }
    Issue.record("it was not looked at again")
  }

  @Test("a run of this process is running whatever its owner")
  mutating func own() throws {
    let recorder = bench.recorder(to: file)
    recorder.begin()
    #expect(try look(own: [1]).map(\.isUnderWay) == [true])
    now += JournalFollower.patience
    #expect(try look(own: [1]).isEmpty)
  }

  @Test(
    "repeated steps count once, and implied steps do not count",
    arguments: [
      ("1", true), ("4.2", true), ("4[1].2", true), ("4[2].2", false), ("4[1].2[3].1", false),
      ("connect", false), ("disconnect", false), ("12.finally.1", true), ("4[10].2", false),
    ]
  )
  func counting(position: String, counts: Bool) {
    #expect(RunProgress.counts(position) == counts)
  }
}
