// The dashboard model after events, in the time of the test.

import Bluetooth
import Documents
import Signals
import Testing

@testable import Dashboard
@testable import Jobs
@testable import Journal

@Suite("The dashboard model")
struct DashboardModelTests {
  private var scene = Scene()

  /// A watch that is connected.
  private mutating func beginWatch() throws {
    scene.apply(.watchBegan(1, try Scene.plan()))
    scene.link(.connected)
  }

  @Test("a value adds a point and updates its minute, in the next update only")
  mutating func values() throws {
    try beginWatch()
    try scene.value(60)
    scene.after(.seconds(1))
    try scene.value(64)
    var page = PageOfTest()
    try page.apply(scene.model.flush())
    #expect(page.points == [0: ["0 60.0", "1000 64.0"]])
    #expect(page.minutes[0]?.count == 1)
    let series = try #require(page.others["series 0"])
    #expect(series.contains("\"device\":\"HRM-1\",\"attribute\":\"heart-rate-measurement\""))
    #expect(series.contains("\"field\":\"bpm\""))
    #expect(scene.model.flush() == nil)
  }

  @Test("a journal that cannot be read is shown, with the reason, until it can be read again")
  mutating func unreadableJournal() throws {
    func journal(_ update: DashboardUpdate?) -> [String] {
      (update?.changes ?? []).map(\.json.text).filter { $0.contains(#""kind":"journal""#) }
    }
    let failed = #"{"kind":"journal","why":"it is locked"}"#
    let works = #"{"kind":"journal","why":null}"#
    #expect(journal(scene.model.snapshot) == [works])
    scene.apply(.reading("it is locked"))
    #expect(journal(scene.model.flush()) == [failed])
    scene.apply(.reading("it is locked"))
    #expect(scene.model.flush() == nil)
    #expect(journal(scene.model.snapshot) == [failed])
    scene.apply(.reading(nil))
    #expect(journal(scene.model.flush()) == [works])
  }

  @Test("the last value of each characteristic is shown, also one without numbers")
  mutating func latest() throws {
    try beginWatch()
    try scene.value(60)
    try scene.value(64)
    let step = try #require(try Scene.plan("ff01").series.first).reported
    let octets = StepValue(octets: [1, 0xff], decoded: .octets([1, 0xff]))
    scene.printed(.data(step, .value(octets)))
    let latest = scene.model.watch(1)?.latest ?? []
    #expect(latest.map(\.attribute) == ["heart-rate-measurement", "ff01"])
    #expect(latest.map(\.text) == ["64 bpm", "01ff"])
    let json = scene.model.watch(1).map { DashboardChange.watch($0).json.text } ?? ""
    #expect(
      json.contains(#""latest":[{"characteristic":"heart-rate-measurement","value":"64 bpm"},"#))
  }

  @Test("a page loaded later has the same state as one that was open from the start")
  mutating func reload() throws {
    var early = PageOfTest()
    try early.apply(scene.model.snapshot)
    try beginWatch()
    for second in 0..<300 {
      try scene.value(60 + second % 7)
      if second % 3 == 0 { try early.apply(scene.model.flush()) }
      if second == 100 { scene.link(.lost(Scene.dropped)) }
      if second == 110 { scene.link(.reconnected(after: .seconds(10))) }
      if second % 20 == 0 {
        scene.apply(.seen(Scene.advertisement(second / 100, rssi: -40 - second)))
      }
      if second == 50 { scene.apply(.note("door opened")) }
      scene.after(.seconds(1))
    }
    try early.apply(scene.model.flush())
    var late = PageOfTest()
    try late.apply(scene.model.snapshot)
    #expect(late.points == early.points)
    #expect(late.minutes == early.minutes)
    #expect(late.marks == early.marks)
    #expect(late.rssi == early.rssi)
    #expect(late.others == early.others)
  }

  @Test("an update that is already in the snapshot is not applied twice")
  mutating func ordinals() throws {
    try beginWatch()
    try scene.value(60)
    let update = scene.model.flush()
    var page = PageOfTest()
    try page.apply(scene.model.snapshot)
    try page.apply(update)
    #expect(page.points == [0: ["0 60.0"]])
  }

  @Test("a dropped connection is marked at its time and interrupts the line there")
  mutating func drop() throws {
    try beginWatch()
    try scene.value(60)
    scene.after(.seconds(3))
    scene.link(.lost(Scene.dropped))
    #expect(scene.model.watch(1)?.state == .disconnected)
    scene.after(.seconds(2))
    scene.link(.reconnected(after: .seconds(2)))
    scene.after(.seconds(1))
    try scene.value(61)
    #expect(scene.model.watch(1)?.state == .watching)
    var page = PageOfTest()
    try page.apply(scene.model.flush())
    #expect(page.points == [0: ["0 60.0", "3000 -", "6000 61.0"]])
    let at = Int(Scene.begun / .milliseconds(1))
    #expect(
      page.marks == [
        #"{"kind":"mark","mark":"connected","at":\#(at),"device":"HRM-1","text":"connected"}"#,
        #"{"kind":"mark","mark":"disconnected","at":\#(at + 3000),"device":"HRM-1","text":"the connection dropped"}"#,
        #"{"kind":"mark","mark":"reconnected","at":\#(at + 5000),"device":"HRM-1","text":"connected again after 2.0 s"}"#,
      ]
    )
  }

  @Test("a million values take no more memory and updates than a thousand")
  mutating func flood() throws {
    try beginWatch()
    var kept = BoundedPoints(limit: 4_000, span: 900_000)
    for index in 0..<1_000_000 { kept.add(Point(at: index, value: Double(index % 100))) }
    #expect((2_000...4_000).contains(kept.points.count))
    // The minimum and the maximum are kept even when values are thinned out.
    for index in 0..<5_000 { try scene.value(index == 2_500 ? 250 : 60 + index % 3) }
    let update = scene.model.flush()
    let points = try #require(update).changes.compactMap { change -> [Point]? in
      if case .points(_, let points) = change { points } else { nil }
    }.joined()
    #expect(points.count <= 400)
    #expect(points.contains { $0.value == 250 })
  }

  @Test("minutes from the journal are added before the live ones and do not replace them")
  mutating func history() throws {
    try beginWatch()
    try scene.value(60)
    let now = Int(Scene.begun / .milliseconds(1)) / 60_000 * 60_000
    let minutes = [now - 120_000, now - 60_000, now].map {
      Minute(at: $0, minimum: 50, maximum: 70, mean: 55, count: 60)
    }
    scene.apply(.history(device: Scene.belt, attribute: "heart-rate-measurement", ["bpm": minutes]))
    var page = PageOfTest()
    try page.apply(scene.model.flush())
    let found = try #require(page.minutes[0])
    #expect(found.keys.sorted() == [now - 120_000, now - 60_000, now])
    #expect(found[now]?.contains("count: 1") == true)
  }

  @Test("a series that starts with journal data gets its unit from the first live value")
  mutating func unit() throws {
    try beginWatch()
    let minute = Minute(at: 60_000, minimum: 50, maximum: 70.25, mean: 55, count: 60)
    scene.apply(
      .history(device: Scene.belt, attribute: "heart-rate-measurement", ["bpm": [minute]]))
    var page = PageOfTest()
    try page.apply(scene.model.flush())
    #expect(page.others["series 0"]?.contains(#""unit":null,"decimals":2"#) == true)
    try scene.value(60)
    try page.apply(scene.model.flush())
    #expect(page.others["series 0"]?.contains(#""unit":"bpm","decimals":2"#) == true)
  }

  @Test(
    "a minute has as many decimals as its values",
    arguments: [(36.6, 36.75, 2), (72, 80, 0), (-0.5, 0, 1), (1e-7, 1e30, 0), (0.1 + 0.2, 1, 6)]
  )
  func decimals(_ minimum: Double, _ maximum: Double, _ decimals: Int) {
    let minute = Minute(at: 0, minimum: minimum, maximum: maximum, mean: 1, count: 2)
    #expect(minute.decimals == decimals)
  }

  @Test("minutes recorded by another process between two watches are filled in")
  mutating func gapOfHistory() throws {
    let minute = { (at: Int, value: Double) in
      Minute(at: at * 60_000, minimum: value, maximum: value, mean: value, count: 1)
    }
    var series = SeriesHistory(
      SeriesCard(id: 0, device: "D", attribute: "a", field: "", unit: nil, decimals: 0)
    )
    series.add(1, at: 1 * 60_000)
    series.add(5, at: 5 * 60_000)
    _ = series.flush()
    series.fill(with: [minute(0, 9), minute(1, 9), minute(3, 9), minute(6, 9)])
    #expect(series.minutes.map(\.at) == [0, 1, 3, 5, 6].map { $0 * 60_000 })
    #expect(series.minutes.map(\.maximum) == [9, 1, 9, 5, 9])
    series.add(6, at: 5 * 60_000 + 1)
    #expect(series.minutes.map(\.maximum) == [9, 1, 9, 6, 9])
  }

  @Test("the reason for a failed connect is shown until the device connects")
  mutating func firstConnect() throws {
    scene.apply(.watchBegan(1, try Scene.plan()))
    #expect(scene.model.watch(1)?.state == .connecting)
    scene.link(.failed(Scene.dropped))
    #expect(scene.model.watch(1)?.state == .connecting)
    #expect(
      scene.model.watch(1)?.text == "connecting again after: watching: the connection dropped"
    )
    scene.link(.connected)
    #expect(scene.model.watch(1)?.state == .watching)
    #expect(scene.model.watch(1)?.text == "")
    scene.after(.seconds(2))
    scene.link(.lost(Scene.dropped))
    #expect(scene.model.watch(1)?.state == .disconnected)
    #expect(scene.model.watch(1)?.text.hasPrefix("connecting again after: ") == true)
  }

  @Test("a drop of a connection shared by two watches is marked once")
  mutating func sharedMarks() throws {
    for id in 1...2 { scene.apply(.watchBegan(id, try Scene.plan())) }
    for id in 1...2 { scene.link(.connected, of: id) }
    scene.after(.seconds(5))
    for id in 1...2 { scene.link(.lost(Scene.dropped), of: id) }
    scene.after(.seconds(5))
    scene.link(.reconnected(after: .seconds(5)), of: 1)
    scene.after(.milliseconds(100))
    scene.link(.reconnected(after: .milliseconds(5100)), of: 2)
    var page = PageOfTest()
    try page.apply(scene.model.flush())
    #expect(page.marks.count == 3, "\(page.marks)")
    #expect(scene.model.watch(2)?.state == .watching)
  }

  @Test("a run of another process is shown with its progress and its steps as they happen")
  mutating func followed() throws {
    func run(_ status: String?, ended: Int, finished: String? = nil) -> FollowedRun {
      FollowedRun(
        run: 7, command: "batch", name: "Building", started: "2001-09-09T01:46:40Z",
        finished: finished, exitStatus: finished == nil ? nil : 1, owner: nil, devices: ["A"],
        deviceCount: 4, progress: RunProgress(.devices, ended: ended, failed: 1, total: 10),
        stepsEnded: ended, failure: "the link was lost",
        steps: [
          FollowedStep(
            chain: 4, device: "A", attempt: 1, position: "1", operation: "read",
            attribute: "battery-level", status: status, outcome: status.map { _ in "72 %\u{202e}" },
            message: nil
          )
        ],
        isUnderWay: finished == nil
      )
    }
    var page = PageOfTest()
    scene.apply(.runs([run(nil, ended: 3)]))
    try page.apply(scene.model.flush())
    #expect(page.others["step 4/1/1"]?.contains(#""status":"running""#) == true)
    let shown = try #require(page.others["run 7"])
    #expect(shown.contains(#""progress":{"unit":"devices","ended":3,"failed":1,"total":10}"#))
    #expect(shown.contains(#""status":"under way""#))
    scene.apply(.runs([run("ok", ended: 4)]))
    try page.apply(scene.model.flush())
    #expect(page.others["step 4/1/1"]?.contains(#""status":"ok","text":"72 %\\u{202e}""#) == true)
    scene.apply(.runs([run("ok", ended: 10, finished: "2001-09-09T01:47:40Z")]))
    try page.apply(scene.model.flush())
    #expect(page.others["run 7"]?.contains(#""status":"failed""#) == true)
    var late = PageOfTest()
    try late.apply(scene.model.snapshot)
    #expect(late.others["run 7"] == page.others["run 7"])
  }

  @Test("a new device replaces the one that was not seen for the longest time")
  mutating func manyDevices() throws {
    for index in 0..<201 {
      scene.apply(.seen(Scene.advertisement(index, rssi: -50)))
      scene.after(.seconds(1))
    }
    var page = PageOfTest()
    try page.apply(scene.model.flush())
    #expect(page.rssi.count == 200)
    #expect(page.others["device C0:FF:EE:00:00:00"] == nil)
    #expect(page.others["device C0:FF:EE:00:00:C8"] != nil)
  }

  @Test("the end of a watch shows its reason and ends the line")
  mutating func end() throws {
    try beginWatch()
    try scene.value(60)
    scene.after(.seconds(1))
    scene.apply(.watchEnded(1, Scene.dropped))
    #expect(scene.model.watch(1)?.state == .failed)
    #expect(scene.model.watch(1)?.text == "watching: the connection dropped")
    #expect(scene.model.watchesUnderWay == 0)
    var page = PageOfTest()
    try page.apply(scene.model.flush())
    #expect(page.points == [0: ["0 60.0", "1000 -"]])
  }

  @Test("a chain is shown step by step, with the reason for a failure")
  mutating func chain() throws {
    let placed = ReportedStep(
      recorded: StepPosition(1), operation: "read", attribute: "battery-level", written: nil,
      hasOctets: true
    )
    let key = RunKey.unrecorded(1)
    scene.apply(.chainBegan(key, chain: "soil", device: Scene.belt))
    scene.apply(
      .chain(key, scene.event(.run(.started(RunStart(chain: "soil", steps: 2, seed: 0))))))
    scene.apply(.chain(key, scene.event(.step(.started(placed)))))
    var page = PageOfTest()
    try page.apply(scene.model.flush())
    #expect(page.others["step HRM-1/1/1"]?.contains(#""status":"running""#) == true)
    let result = StepResult(
      placed, status: .failed, outcome: nil, failure: Scene.dropped, took: .seconds(1)
    )
    scene.apply(.chain(key, scene.event(.step(.finished(result)))))
    let ending = RunEnding(status: .failed, failure: Scene.dropped, step: placed, done: 0)
    scene.apply(.chain(key, scene.event(.run(.finished(ending)))))
    try page.apply(scene.model.flush())
    #expect(page.others["step HRM-1/1/1"]?.contains(#""status":"failed""#) == true)
    let run = try #require(page.others["run u1"])
    #expect(run.contains(#""status":"failed""#) && run.contains("the connection dropped"))
    #expect(run.contains(#""progress":{"unit":"steps","ended":1,"failed":1,"total":2}"#), "\(run)")
  }

  private static let percent = DecodedValue.fields([.init("percent", .integer(72), unit: "%")])

  @Test(
    "the outcome of a step is shown as in the text report, unless it is just ok",
    arguments: [
      (.linked(.made), "null"), (.written([1]), "null"),
      (.value(StepValue(octets: [72], decoded: Self.percent)), #""72 %""#),
      (.listened(count: 3, rate: 0.5, dropped: 1), #""3 values, 0.50 a second, 1 dropped""#),
      (.logged("a\u{1b}b"), #""a\\u{1b}b""#),
    ] as [(StepOutcome, String)]
  )
  mutating func outcome(_ outcome: StepOutcome, _ text: String) throws {
    let placed = try #require(try Plan.parse(line: "read battery-level").placedSteps.last).reported
    let key = RunKey.unrecorded(1)
    scene.apply(.chainBegan(key, chain: "soil", device: Scene.belt))
    let result = StepResult(placed, status: .ok, outcome: outcome, failure: nil, took: .zero)
    scene.apply(.chain(key, scene.event(.step(.finished(result)))))
    var page = PageOfTest()
    try page.apply(scene.model.flush())
    let step = try #require(page.others["step HRM-1/1/1"])
    #expect(step.contains("\"status\":\"ok\",\"text\":\(text),"), "\(step)")
  }

  @Test("a batch shows how many devices are done, the steps of its chains, and its end")
  mutating func batch() throws {
    let plan = try Plan.parse(line: "read battery-level")
    let step = try #require(plan.placedSteps.last).reported
    let devices = ["A", "B"].map { ReportedDevice(label: $0, target: .name($0), name: nil) }
    let key = RunKey.recorded(7)
    let start = BatchStart(name: "Building", devices: devices, concurrency: 2)
    scene.apply(.batchBegan(key, batch: "building.yaml"))
    scene.apply(.batch(key, scene.batch(.started(start))))
    scene.apply(
      .batchChain(key, scene.event(.run(.started(RunStart(chain: nil, steps: 1, seed: 0))))))
    scene.apply(.batchChain(key, scene.event(.step(.started(step)))))
    var page = PageOfTest()
    try page.apply(scene.model.flush())
    var run = try #require(page.others["run 7"])
    #expect(run.contains(#""command":"batch","name":"Building","devices":["A","B"]"#))
    #expect(run.contains(#""progress":{"unit":"devices","ended":0,"failed":0,"total":2}"#))
    #expect(page.others["step HRM-1/1/\(step.position)"]?.contains("running") == true)
    let result = StepResult(
      step, status: .failed, outcome: nil, failure: Scene.dropped, took: .zero
    )
    scene.apply(.batchChain(key, scene.event(.step(.finished(result)))))
    let ended = RunEnding(status: .failed, failure: Scene.dropped, step: step, done: 0)
    scene.apply(.batchChain(key, scene.event(.run(.finished(ended)))))
    var counts = BatchCounts()
    counts.count(ended)
    scene.apply(.batch(key, scene.batch(.deviceEnded(devices[0], ended, counts))))
    try page.apply(scene.model.flush())
    run = try #require(page.others["run 7"])
    #expect(run.contains(#""status":"under way""#), "\(run)")
    #expect(run.contains(#""progress":{"unit":"devices","ended":1,"failed":1,"total":2}"#))
    let ending = BatchEnding(counts, notRun: ["B"], failure: Scene.dropped, isCancelled: true)
    scene.apply(.batch(key, scene.batch(.finished(ending))))
    try page.apply(scene.model.flush())
    run = try #require(page.others["run 7"])
    #expect(run.contains(#""status":"cancelled""#) && run.contains("the connection dropped"))
    #expect(run.contains(#""steps":1"#))
  }

  @Test("for a run with very many steps, the latest and the running ones are kept")
  mutating func manySteps() throws {
    let plan = try Plan.parse(line: "sleep 1s")
    let long = try #require(plan.placedSteps.last)
    let key = RunKey.unrecorded(1)
    scene.apply(.batchBegan(key, batch: "building.yaml"))
    func step(_ number: Int) -> ReportedStep {
      PlacedStep(StepPosition(number), long.step).reported
    }
    scene.apply(.batchChain(key, scene.event(.step(.started(step(1))))))
    for number in 2...150 {
      let result = StepResult(step(number), status: .ok, outcome: nil, failure: nil, took: .zero)
      scene.apply(.batchChain(key, scene.event(.step(.finished(result)))))
    }
    var page = PageOfTest()
    try page.apply(scene.model.flush())
    #expect(page.others["step HRM-1/1/1"]?.contains("running") == true)
    #expect(page.others["step HRM-1/1/51"] == nil)
    #expect(page.others["step HRM-1/1/52"] != nil && page.others["step HRM-1/1/150"] != nil)
  }
}
