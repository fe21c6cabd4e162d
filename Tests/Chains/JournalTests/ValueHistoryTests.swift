// Values found by device, characteristic and time, over all runs.

import Bluetooth
import Fixtures
import Foundation
import GRDB
import Jobs
import Signals
import Testing

@testable import Journal

@Suite("The history of values")
struct ValueHistoryTests {
  private static let heart = "heart-rate-measurement"
  /// When an EventScript begins: 2000-01-01T00:00:00Z.
  private static let start = Duration.seconds(946_684_800)

  private let bench: JournalBench
  private let file: JournalFile

  init() throws {
    bench = try JournalBench()
    file = try JournalFile(writing: bench.path)
  }

  /// Records a run that listens to heart rates, each so many seconds after its start.
  private func record(_ values: [(second: Int, bpm: Int128)], device: String = "HRM-1") throws {
    let recorder = bench.recorder(to: file)
    recorder.begin()
    let hear = recorder.chain()
    var script = try EventScript("notify \(Self.heart) until 9x", device: device)
    script.start()
    script.begin(1)
    var second = 0
    for value in values {
      script.pass(.seconds(value.second - second))
      second = value.second
      let fields = DecodedValue.fields([
        .init("bpm", .integer(value.bpm), unit: "bpm"), .init("contact", .text("detected")),
        .init("rr", .list([.integer(1)])),
        .init("inner", .fields([.init("x", .real(0.5, decimals: 1))])),
      ])
      script.tell(.data(script.step(1), .value(StepValue(octets: [1], decoded: fields))))
    }
    script.finish(1)
    script.end()
    for event in script.events { hear(event) }
    recorder.finish(.ok)
  }

  private func query(
    field: String? = "bpm", from: Int = 0, to: Int = 100_000, device: String = "HRM-1"
  ) -> ValueQuery {
    ValueQuery(
      device: device, attribute: Self.heart, field: field, from: Self.start + .seconds(from),
      to: Self.start + .seconds(to)
    )
  }

  /// `00:01 60..70 65.0 2` for each bucket.
  private func buckets(_ query: ValueQuery, minutes: Int = 1) throws -> [String] {
    try file.buckets(of: query, minutes: minutes).map { bucket in
      let time = bucket.time.dropFirst(11).prefix(5)
      return "\(time) \(bucket.minimum)..\(bucket.maximum) \(bucket.mean) \(bucket.count)"
    }
  }

  @Test("minutes combine several runs of one device by minimum, maximum, mean and count")
  func minutes() throws {
    try record([(0, 60), (59, 70), (60, 80)])
    try record([(30, 100), (3600, 50)])
    try record([(30, 1)], device: "Other")
    #expect(
      try buckets(query()) == [
        "00:00 60.0..100.0 76.6666666667 3", "00:01 80.0..80.0 80.0 1", "01:00 50.0..50.0 50.0 1",
      ]
    )
    #expect(
      try buckets(query(), minutes: 60) == ["00:00 60.0..100.0 77.5 4", "01:00 50.0..50.0 50.0 1"]
    )
    #expect(try buckets(query(from: 60, to: 120)) == ["00:01 80.0..80.0 80.0 1"])
    #expect(try buckets(query(device: "Nobody")).isEmpty)
    #expect(try file.check().isComplete)
  }

  @Test("each number of a value is a field; text and lists have none")
  func fields() throws {
    try record([(0, 60)])
    #expect(try file.buckets(of: query(field: nil), minutes: 1).map(\.field) == ["bpm", "inner.x"])
    var found: [FoundValue] = []
    try file.values(query(field: nil)) { found.append($0) }
    #expect(found.map(\.field) == ["bpm", "inner.x"])
    #expect(found.map(\.value) == [60, 0.5])
  }

  @Test("single values are returned in chronological order across runs")
  func values() throws {
    try record([(10, 60), (30, 70)])
    try record([(20, 65)])
    var found: [Double] = []
    try file.values(query(from: 10, to: 30)) { found.append($0.value) }
    #expect(found == [60, 65])
  }

  @Test("a record written twice counts once, whether or not it is the first of its step")
  func again() throws {
    let recorder = bench.recorder(to: file)
    recorder.begin()
    let value = { (event: Int) in
      JournalRecord.StoredValue(
        step: 1,
        moment: Moment(event: event, time: "2000-01-01T00:00:0\(event).000000Z", offset: 0),
        value: "\(event)", numbers: [.init("", Double(event))], minute: 15_778_080
      )
    }
    let start = JournalRecord.StepStart(
      step: 1, moment: Moment(event: 2, time: "2000-01-01T00:00:00.000000Z", offset: 0), attempt: 1,
      position: "1", operation: "notify", attribute: Self.heart
    )
    var rollups = MinuteRollups()
    func write(_ records: [JournalRecord]) throws {
      rollups = try file.write { [rollups] database in
        var rollups = rollups
        let entries = records.map { RecordBatch.Entry(chain: 1, record: $0) }
        try database.insert(entries, run: 1, adding: &rollups)
        try database.add(rollups, run: 1)
        rollups.written()
        return rollups
      }
    }
    let chain = JournalRecord.ChainStart(
      moment: Moment(event: 1, time: "2000-01-01T00:00:00.000000Z", offset: 0), device: "HRM-1",
      identity: "0", seed: "0", steps: 1
    )
    try write([.chainStarted(chain), .stepStarted(start), .value(value(3))])
    let before = rollups
    #expect(try buckets(query(field: "")) == ["00:00 3.0..3.0 3.0 1"], "the value itself")
    try write([.value(value(4))])
    rollups = before
    // The confirmation of the commit was lost, and one more value has come.
    try write([.value(value(4)), .value(value(5))])
    #expect(try buckets(query(field: "")) == ["00:00 3.0..5.0 4.0 3"])
    #expect(try file.check().problems == [])
  }

  @Test("the end of a step is written, although its start was committed before without an answer")
  func endOfKnownStart() throws {
    bench.recorder(to: file).begin()
    let moment = { Moment(event: $0, time: "2000-01-01T00:00:00.000000Z", offset: 0) }
    let chain = JournalRecord.ChainStart(
      moment: moment(1), device: "HRM-1", identity: "0", seed: "0", steps: 1
    )
    let start = JournalRecord.StepStart(
      step: 1, moment: moment(2), attempt: 1, position: "1", operation: "read"
    )
    let end = JournalRecord.StepEnd(step: 1, moment: moment(3), took: 0, status: "ok")
    for records: [JournalRecord] in [
      [.chainStarted(chain), .stepStarted(start)], [.stepStarted(start), .stepFinished(end)],
    ] {
      try file.write { database in
        var rollups = MinuteRollups()
        let entries = records.map { RecordBatch.Entry(chain: 1, record: $0) }
        try database.insert(entries, run: 1, adding: &rollups)
      }
    }
    #expect(try bench.count("steps WHERE status = 'ok' AND finished_event = 3") == 1)
    #expect(try file.check().problems == [])
  }

  @Test("values recorded by an earlier version also have minutes", arguments: [4, 5, 6, 7])
  func migrated(version: Int) throws {
    let fixture = bench.folder.path + "/old.sqlite"
    let golden = projectFolder + "/Tests/Golden/journals/version-\(version).sqlite"
    try FileManager.default.copyItem(atPath: golden, toPath: fixture)
    let old = try JournalFile(reading: fixture)
    let series = try old.read { database in
      try database.rows(
        "SELECT DISTINCT c.device, s.attribute FROM rollups JOIN steps s USING (run, chain, step) "
          + "JOIN chains c USING (run, chain) WHERE s.attribute IS NOT NULL"
      ).map { (try $0.text("device"), try $0.text("attribute")) }
    }
    #expect(!series.isEmpty)
    for (device, attribute) in series {
      let query = ValueQuery(
        device: device, attribute: attribute, from: .zero, to: .seconds(4_000_000_000)
      )
      var numbers: [String: [Double]] = [:]
      try old.values(query) { numbers[$0.field, default: []].append($0.value) }
      let buckets = try old.buckets(of: query, minutes: JournalFile.longestBucket)
      #expect(Set(buckets.map(\.field)) == Set(numbers.keys))
      for (field, values) in numbers {
        let own = buckets.filter { $0.field == field }
        #expect(own.map(\.count).reduce(0, +) == values.count)
        #expect(own.map(\.minimum).min() == values.min())
        #expect(own.map(\.maximum).max() == values.max())
      }
    }
    #expect(try old.check().problems == [])
  }

  @Test("no query scans a whole table, so its time grows with the minutes found")
  func plan() throws {
    let plan = try file.read { database in
      try database.rows(
        "EXPLAIN QUERY PLAN " + JournalFile.bucketQuery,
        ["HRM-1", Self.heart, 0, 1, 1, nil, "", ""]
      ).map { try $0.text("detail") }
    }
    #expect(plan.count { $0.hasPrefix("SEARCH ") } == 8, "\(plan)")
    let values = plan.filter { $0.hasPrefix("SEARCH v ") }
    #expect(values.allSatisfy { $0.contains("event>?") }, "values of other steps: \(plan)")
    let scans = plan.filter { $0.hasPrefix("SCAN ") }
    #expect(scans.allSatisfy { $0.contains("VIRTUAL") || $0.contains("subquery") }, "\(plan)")
  }

  @Test("a read has no rollup, and is in the buckets, also after its value was pruned")
  func single() throws {
    try record([(0, 60)])
    try record([(20, 70), (30, 80)])
    #expect(try bench.count("rollups WHERE chain = 1 AND run = 1") == 0)
    #expect(try buckets(query()) == ["00:00 60.0..80.0 70.0 3"])
    let limit = Timestamp.text(Self.start + .seconds(25))
    #expect(try file.prune(Retention(valuesFrom: limit)) { _ in false }.values == 2)
    #expect(try buckets(query()) == ["00:00 60.0..80.0 70.0 3"])
    #expect(try file.check().isComplete)
  }

  @Test("values can be pruned without their runs, and their minutes are kept")
  func pruned() throws {
    try record([(0, 60), (600, 70)])
    let limit = Timestamp.text(Self.start + .seconds(300))
    let pruned = try file.prune(Retention(valuesFrom: limit)) { _ in false }
    #expect(pruned.runs.isEmpty)
    #expect(pruned.values == 1)
    #expect(try buckets(query()) == ["00:00 60.0..60.0 60.0 1", "00:10 70.0..70.0 70.0 1"])
    var found: [Double] = []
    try file.values(query()) { found.append($0.value) }
    #expect(found == [70])
    #expect(try file.check().isComplete)
    var lines = 0
    _ = try file.exportJSON(1) { _ in lines += 1 }
    #expect(lines > 0)
  }

  @Test(
    "a value whose time or number cannot be read is pruned and has no minute",
    arguments: [
      "time = '2000-01-01T00:00:0x'", #"value = '{"bpm":1e999}'"#,
      #"""
      value = '{"bpm":' || iif(event = (SELECT min(event) FROM step_values), '', '-') || '1e999}'
      """#,
    ]
  )
  func unreadable(change: String) throws {
    try record([(0, 60), (1, 70)])
    try file.write { database in
      try database.execute(sql: "DELETE FROM rollups; UPDATE step_values SET \(change)")
    }
    let limit = Timestamp.text(Self.start + .seconds(100))
    #expect(try file.prune(Retention(valuesFrom: limit)) { _ in false }.values == 2)
    #expect(try bench.count("rollups") == 0)
  }

  @Test("a single value whose time cannot be read is in no bucket")
  func unreadableTime() throws {
    try record([(0, 60)])
    try record([(1, 70)])
    try file.write { database in
      try database.execute(sql: "UPDATE step_values SET time = '2000-01-01T00:00:0x' WHERE run = 1")
    }
    #expect(try buckets(query()) == ["00:00 70.0..70.0 70.0 1"])
  }

  @Test(
    "values of attributes and RSSI get minutes when they are pruned, those of a scan do not",
    arguments: [("scan", 0), ("rssi", 2), ("read-rssi", 2)]
  )
  func prunedScan(operation: String, rollups: Int) throws {
    try record([(0, 60)])
    try file.write { database in
      try database.execute(
        sql: "UPDATE steps SET attribute = NULL, operation = ?", arguments: [operation]
      )
    }
    let limit = Timestamp.text(Self.start + .seconds(100))
    #expect(try file.prune(Retention(valuesFrom: limit)) { _ in false }.values == 1)
    #expect(try bench.count("rollups") == rollups)
  }

  @Test(
    "the second value of a step makes rollups, with or without numbers", arguments: [false, true]
  )
  func mixed(beginsWithText: Bool) throws {
    let recorder = bench.recorder(to: file)
    recorder.begin()
    let hear = recorder.chain()
    var script = try EventScript("notify \(Self.heart) until 9x", device: "HRM-1")
    script.start()
    script.begin(1)
    let values: [DecodedValue] = [.integer(60), .text("x")]
    for value in beginsWithText ? values.reversed() : values {
      script.tell(.data(script.step(1), .value(StepValue(octets: [1], decoded: value))))
    }
    script.finish(1)
    script.end()
    for event in script.events { hear(event) }
    recorder.finish(.ok)
    #expect(try bench.count("rollups") == 1)
    #expect(try buckets(query(field: "")) == ["00:00 60.0..60.0 60.0 1"])
    #expect(try file.check().isComplete)
  }

  @Test("the steps under way are forgotten when their chain ends")
  func endOfChain() throws {
    bench.recorder(to: file).begin()
    let moment = { Moment(event: $0, time: "2000-01-01T00:00:00.000000Z", offset: 0) }
    let value = { (event: Int) in
      JournalRecord.value(
        JournalRecord.StoredValue(
          step: 1, moment: moment(event), value: "1", numbers: [.init("", 1)], minute: 15_778_080
        )
      )
    }
    let end = JournalRecord.ChainEnd(
      moment: moment(4), status: "ok", exitStatus: 0, attempts: 1, done: 1
    )
    var rollups = MinuteRollups()
    for chain in [1, 2] {
      let start = JournalRecord.ChainStart(
        moment: moment(1), device: "HRM-1", identity: "0", seed: "0", steps: 1
      )
      var records: [JournalRecord] = [.chainStarted(start), value(2)]
      if chain == 1 { records.append(.chainFinished(end)) }
      records.append(value(5))
      rollups = try file.write { [rollups] database in
        var rollups = rollups
        let entries = records.map { RecordBatch.Entry(chain: chain, record: $0) }
        try database.insert(entries, run: 1, adding: &rollups)
        return rollups
      }
    }
    #expect(rollups.keys.map(\.chain) == [2])
  }
}
