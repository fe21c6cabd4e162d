// Several characteristics of several devices, watched side by side.

import Bluetooth
import Fixtures
import Signals
import Testing

@testable import Jobs

@Suite("Watching")
struct WatchingTests {
  private static let heart = "heart-rate-measurement"
  private static let battery = "battery-level"

  private let loop: VirtualTimeLoop
  private let scheduler: SerialScheduler
  private let belt: ScriptedDevice
  private let thermometer: ScriptedDevice
  private let outputs = Recorded<WatchOutput>()
  private let loopEnd: Ending

  init() {
    loop = VirtualTimeLoop()
    loopEnd = Ending(loop)
    scheduler = SerialScheduler(on: loop)
    belt = ScriptedDevice(in: scheduler)
    thermometer = ScriptedDevice(in: scheduler)
    belt.notify(Self.heart, [60, 61].map { (.seconds(1), [0, $0]) })
    thermometer.notify(Self.battery, [(.milliseconds(1500), [72])])
  }

  private func selector(_ name: String) throws -> CharacteristicSelector {
    try CharacteristicSelector(parsing: name)
  }

  /// A plan for the belt alone.
  private func plan(_ change: (inout WatchPlan) -> Void = { _ in }) throws -> WatchPlan {
    var plan = WatchPlan(
      [.init(.name("Belt"), [try selector(Self.heart)])],
      source: .notify(SubscriptionOptions()),
      fields: ["bpm"],
      duration: .seconds(5)
    )
    change(&plan)
    return plan
  }

  /// A plan for both devices.
  private func both(_ view: WatchPlan.View) throws -> WatchPlan {
    WatchPlan(
      [
        .init(.name("Belt"), [try selector(Self.heart)]),
        .init(.name("Thermo"), [try selector(Self.battery)]),
      ],
      source: .notify(SubscriptionOptions()),
      view: view,
      fields: ["bpm", "percent"],
      duration: .seconds(3)
    )
  }

  /// Watches to the end.
  ///
  /// - Returns: Why it ended; nil when it ended as asked.
  @discardableResult
  private func watch(_ plan: WatchPlan) -> RunFailure? {
    let watching = Watching(
      plan,
      on: Array([belt, thermometer].prefix(plan.devices.count)),
      in: scheduler,
      identity: RunIdentity(seed: 0, text: plan.definition),
      receive: { [outputs] in outputs.add($0) }
    )
    let outcome = watching.records().then { Signal.just(true) }
      .firstOrDefault(false, within: .seconds(1_000_000))
    let failure = outcome.error.map { RunFailure($0) }
    watching.finish(failure)
    return failure
  }

  private var printed: [RunEvent] { outputs.all.compactMap(\.printed) }

  private func lines(_ report: some RunReport = ValueReport(showsPlace: true)) -> [String] {
    printed.flatMap { report.lines(for: $0) }
  }

  /// What the journal of a device gets, in short.
  private func story(_ device: Int) -> [String] {
    outputs.all.filter { $0.device == device }.compactMap(\.recorded).map { event in
      switch event.change {
      case .runStarted(let start): "run of \(start.steps)"
      case .stepStarted(let step): "\(step.position) \(step.operation)…"
      case .value(let step, let value): "\(step.position) \(value.octets)"
      case .gap(let step, let gap): "\(step.position) gap of \(gap.lasted.written)"
      case .stepFinished(let result): "\(result.step.position) \(result.status.rawValue)"
      case .runFinished(let ending): "run \(ending.status.rawValue)"
      case .remark(let remark): remark.name
      case .advertisement, .pairingDisplay: "?"
      }
    }
  }

  @Test("two devices are watched in one turn, and disconnected at its end")
  func twoDevices() throws {
    #expect(watch(try both(.values)) == nil)
    #expect(
      lines(ValueReport(showsPlace: true, showsDevice: true)) == [
        "1.000  Belt  heart-rate-measurement  60 bpm", "1.500  Thermo  battery-level  72 %",
        "2.000  Belt  heart-rate-measurement  61 bpm",
      ]
    )
    for device in [belt, thermometer] {
      #expect(device.calls.first == "connect")
      #expect(device.calls.last == "disconnect at 3s")
    }
    #expect(scheduler.isIdle)
  }

  @Test("a device whose connection drops is connected again, with a gap in its values")
  func reconnecting() throws {
    belt.lose(Self.heart)
    #expect(watch(try plan()) == nil)
    #expect(
      lines() == [
        "1.000  heart-rate-measurement  60 bpm", "2.000  heart-rate-measurement  61 bpm",
        "2.250  heart-rate-measurement  (gap: not connected for 0.250 s)",
        "3.250  heart-rate-measurement  60 bpm", "4.250  heart-rate-measurement  61 bpm",
      ]
    )
    let links = outputs.all.compactMap(\.link)
    #expect(links.count == 3)
    #expect(links.first == .connected)
    #expect(links.last == .reconnected(after: .milliseconds(250)))
    #expect(belt.calls.count { $0.hasPrefix("connect") } == 2)
    #expect(belt.calls.last == "disconnect at 5s")
  }

  @Test("the other device goes on while one is connected again")
  func independent() throws {
    thermometer.lose(Self.battery, times: 100)
    #expect(watch(try both(.values)) == nil)
    #expect(belt.calls.count { $0.hasPrefix("connect") } == 1)
    #expect(lines().count { $0.contains("bpm") } == 2)
    #expect(lines().count { $0.contains("(gap: not connected for 0.250 s)") } == 1, "\(lines())")
    #expect(thermometer.calls.count { $0.hasPrefix("connect") } == 2)
  }

  @Test("pauses between attempts to connect double up to 5 s, and begin anew after a success")
  func pauses() {
    var link = WatchedLink(series: [0, 1])
    let lost = RunFailure(DeviceFailure.scripted(.linkLost, .passing))
    #expect(link.active(0, at: .start) == nil)
    #expect(link.active(1, at: .start) == .connected)
    for _ in 0..<2 {
      #expect(link.lost(lost, at: .start + .seconds(1)) == .lost(lost))
      #expect(link.lost(lost, at: .start + .seconds(2)) == nil)
      let pauses = (0..<7).map { _ in link.nextPause() / .milliseconds(1) }
      #expect(pauses == [250, 500, 1000, 2000, 4000, 5000, 5000])
      #expect(link.active(0, at: .start + .seconds(9)) == nil)
      #expect(link.active(1, at: .start + .seconds(9)) == .reconnected(after: .seconds(8)))
    }
  }

  private static let absent = DeviceFailure.scripted(.notFound, .passing, "connecting")

  @Test("a device that cannot be connected at the start is tried again, with its reasons")
  func firstConnect() throws {
    let off = DeviceFailure.scripted(.adapterOff, .unavailable, "connecting")
    belt.answer("connect", .failure(Self.absent), .failure(Self.absent), .failure(off), .value([]))
    #expect(watch(try plan { $0.duration = .seconds(3) }) == nil)
    // Pauses of 250 ms, 500 ms and 1 s.
    #expect(
      lines() == [
        "2.750  heart-rate-measurement  60 bpm", "3.750  heart-rate-measurement  61 bpm",
      ]
    )
    let links = outputs.all.compactMap(\.link)
    var link = WatchedLink(series: [0])
    let seen = ["-60 dBm", "-61 dBm"].map { why in
      RunFailure(code: .notFound, class: .passing, what: "connecting", why: why)
    }
    #expect(seen.map { link.lost($0, at: .start) } == [.failed(seen[0]), nil])
    #expect(
      links == [.failed(RunFailure(Self.absent)), .failed(RunFailure(off)), .connected],
      "each reason once"
    )
    #expect(story(0).count { $0 == "connect failed" } == 3)
    #expect(story(0).last == "run ok")
  }

  @Test("the other device is watched while one is tried again; the time counts from when both are")
  func oneIsMissing() throws {
    thermometer.answer("connect", .failure(Self.absent, after: .seconds(4)), .value([]))
    #expect(watch(try both(.values)) == nil)
    #expect(lines().first == "1.000  heart-rate-measurement  60 bpm")
    #expect(lines().last == "5.750  battery-level  72 %")
    #expect(belt.calls.last == "disconnect at 7s")
  }

  @Test(
    "a watch that cannot connect can be stopped, in an attempt and in a pause",
    arguments: [1, 6]
  )
  func stopWhileConnecting(second: Int) throws {
    belt.answer("connect", .failure(Self.absent, after: .seconds(5)))
    let plan = try plan()
    let watching = Watching(
      plan,
      on: [belt],
      in: scheduler,
      identity: RunIdentity(seed: 0, text: plan.definition),
      receive: { [outputs] in outputs.add($0) },
      until: Signal.just(()).delay(.seconds(second))
    )
    let outcome = watching.records().then { Signal.just(true) }
      .firstOrDefault(false, within: .seconds(100))
    #expect(outcome.error == nil)
    #expect(loop.now.sinceStart == .seconds(second))
    watching.finish(nil)
    #expect(scheduler.isIdle)
    #expect(story(0).last == "run ok")
  }

  @Test("what another attempt does not mend ends the watch at once, with nothing to report before")
  func permanentAtFirst() throws {
    let wrong = DeviceFailure.scripted(.characteristicMissing, .definite)
    belt.answer("subscribe heart-rate-measurement", .failure(wrong))
    #expect(watch(try plan())?.code == .characteristicMissing)
    #expect(loop.now == .start)
    #expect(outputs.all.allSatisfy { $0.link == nil })
    let lost = DeviceFailure.scripted(.busLost, .unavailable, "connecting")
    belt.answer("connect", .failure(lost))
    #expect(watch(try plan())?.code == .busLost)
  }

  @Test("without --resume a device that is not there ends the watch of all")
  func missing() throws {
    thermometer.answer("connect", .failure(Self.absent, after: .seconds(1)))
    var plan = try both(.values)
    plan.reconnects = false
    let ended = try #require(watch(plan))
    #expect(ended.code == .notFound)
    #expect(thermometer.calls == ["connect"])
    #expect(belt.calls.last == "disconnect at 1s")
    #expect(story(1) == ["run of 1", "connect connect…", "connect failed", "run failed"])
    #expect(story(0).last == "run cancelled")
  }

  @Test("a subscription that is never confirmed fails at its deadline")
  func connectDeadline() throws {
    belt.answer("connect", .silence)
    let once = try plan { plan in
      plan.limit = .seconds(7)
      plan.reconnects = false
    }
    let ended = try #require(watch(once))
    #expect(ended.code == .timedOut)
    #expect(loop.now.sinceStart == .seconds(7))
  }

  @Test("a permanent failure ends the watch, also after a drop; so does a drop without --resume")
  func permanent() throws {
    belt.lose(Self.heart)
    let gone = DeviceFailure.scripted(.characteristicMissing, .definite)
    belt.answer("subscribe heart-rate-measurement", .value([]), .failure(gone))
    #expect(watch(try plan())?.code == .characteristicMissing)
    belt.lose(Self.heart)
    belt.answer("subscribe heart-rate-measurement", .value([]))
    #expect(watch(try plan { $0.reconnects = false })?.code == .linkLost)
  }

  @Test("rates: a window without values is 0 while connected, and a gap while not")
  func rates() throws {
    belt.notify(Self.heart, [60, 61, 62].map { (.milliseconds(900), [0, $0]) })
    belt.lose(Self.heart)
    let refused = DeviceFailure.scripted(.connectFailed, .passing, "connecting")
    belt.answer("connect", .value([]), .failure(refused, after: .seconds(3)), .value([]))
    let rates = try plan { plan in
      plan.view = .rate(window: .seconds(2))
      plan.fields = []
      plan.duration = .milliseconds(12_500)
    }
    #expect(watch(rates) == nil)
    #expect(
      lines() == [
        "2.000  heart-rate-measurement  count 2, 1.00 per second",
        "4.000  heart-rate-measurement  (gap: not connected for 2.000 s)",
        "6.000  heart-rate-measurement  (gap: not connected for 2.000 s)",
        "8.000  heart-rate-measurement  (gap: not connected for 2.000 s)",
        "10.000  heart-rate-measurement  count 2, 1.00 per second",
        "12.000  heart-rate-measurement  count 0, 0.00 per second",
      ]
    )
    #expect(story(0).count { $0.hasPrefix("1 [0,") } == 6, "the journal has every value")
  }

  @Test("combined: one record of the latest values, when there is one of each")
  func combined() throws {
    #expect(watch(try both(.combined)) == nil)
    let json = lines(JSONLinesReport())
    #expect(json.count == 2)
    let first =
      #""value":{"Belt/heart-rate-measurement":{"bpm":60},"Thermo/battery-level":{"percent":72}}"#
    #expect(json.first?.contains(first) == true, "\(json)")
    #expect(json.allSatisfy { $0.contains(#""device":"Belt, Thermo""#) }, "\(json)")
    #expect(
      lines(WatchCSVReport()).suffix(2).map {
        $0.split(separator: ",").suffix(4).joined(separator: " ")
      }
        == [
          "value Belt/heart-rate-measurement.bpm 61 bpm", "value Thermo/battery-level.percent 72 %",
        ]
    )
  }

  @Test("combined: the values of a device that is not connected are not repeated")
  func combinedLoss() throws {
    belt.notify(Self.heart, (60...70).map { (.milliseconds(400), [0, $0]) })
    thermometer.lose(Self.battery, times: 1)
    #expect(watch(try both(.combined)) == nil)
    // The thermometer sends at 1.5 s, drops, is subscribed again at 1.75 s and sends at 3.25 s.
    #expect(
      lines().map { $0.prefix(5) } == ["1.500", "1.750"],
      "\(lines())"
    )
  }

  @Test("reading at an interval")
  func polling() throws {
    belt.answer("read battery-level", .value([72]))
    let battery = try selector(Self.battery)
    let plan = WatchPlan(
      [.init(.name("Belt"), [battery])],
      source: .poll(every: .seconds(1)),
      duration: .milliseconds(2500)
    )
    #expect(watch(plan) == nil)
    #expect(
      lines() == [
        "0.000  battery-level  72 %", "1.000  battery-level  72 %", "2.000  battery-level  72 %",
      ]
    )
  }

  @Test("a count of records ends it")
  func count() throws {
    let counted = try plan { plan in
      plan.duration = nil
      plan.count = 2
    }
    #expect(watch(counted) == nil)
    #expect(lines().count == 2)
    #expect(belt.calls.last == "disconnect at 2s")
  }

  @Test("the journal has each connection, each value, each gap and the end")
  func records() throws {
    belt.lose(Self.heart)
    watch(try plan { $0.duration = .seconds(4) })
    #expect(
      story(0) == [
        "run of 1", "connect connect…", "connect ok", "1 notify…", "1 [0, 60]", "1 [0, 61]",
        "connect connect…", "connect ok", "1 gap of 250ms", "1 [0, 60]", "1 ok", "run ok",
      ]
    )
  }

  @Test("at midnight the run ends, and another one continues it; what is printed goes on")
  func days() throws {
    // Virtual time begins at midnight.
    belt.notify(Self.heart, (0..<3).map { (.seconds(40_000), [0, 60 + $0]) })
    belt.lose(Self.heart)
    let refused = DeviceFailure.scripted(.connectFailed, .passing, "connecting")
    belt.answer("connect", .value([]), .failure(refused, after: .seconds(60_000)), .value([]))
    let long = try plan { plan in
      plan.duration = .seconds(200_000)
      plan.limit = .seconds(100_000)
    }
    #expect(watch(long) == nil)
    // Values at 40 000 s, 80 000 s, 120 000 s; then the connection drops, and is
    // tried again until 180 000 s.
    #expect(
      story(0) == [
        "run of 1", "connect connect…", "connect ok", "1 notify…", "1 [0, 60]", "1 [0, 61]", "1 ok",
        "run ok",
        "run of 1", "1 notify…", "1 [0, 62]", "connect connect…",
        "1 gap of \(Duration.milliseconds(60_000_250).written)", "connect cancelled", "1 ok",
        "run ok",
        "run of 1", "connect connect…", "1 notify…", "connect failed", "connect connect…",
        "connect ok", "1 gap of 500ms", "1 ok", "run ok",
      ],
      "\(story(0))"
    )
    let runs = outputs.all.compactMap(\.recorded)
    #expect(Set(runs.map(\.run.description)).count == 3)
    #expect(outputs.all.count { $0.nextRun != nil } == 2)
    #expect(lines().first == "40000.000  heart-rate-measurement  60 bpm")
  }

  @Test("gaps and values as CSV, a line for each field")
  func csv() throws {
    belt.lose(Self.heart)
    watch(try plan { $0.duration = .seconds(3) })
    let place = ",Belt,heart-rate-measurement,"
    #expect(
      lines(WatchCSVReport()).map { $0.dropFirst("2000-01-01T00:00:00.000000Z,".count) } == [
        "1.000000\(place)value,bpm,60,bpm,003c", "2.000000\(place)value,bpm,61,bpm,003d",
        "2.250000\(place)gap,cause,link-lost,,", "2.250000\(place)gap,lasted,0.250000,s,",
        "2.250000\(place)gap,dropped,0,,",
      ]
    )
  }

  @Test("fields are known before anything is connected")
  func fields() throws {
    #expect(
      try plan { $0.fields = ["bmp"] }.problem
        == "--field: unknown field 'bmp'; did you mean 'bpm'?"
    )
    var two = try both(.values)
    two.fields = ["bpm"]
    #expect(two.problem == "--field: no field of battery-level is named (expected percent)")
    #expect(try plan().problem == nil)
    #expect(try plan { $0.view = .combined }.problem != nil)
  }

  @Test("a note is in the chain of each device, and printed once, with its own time")
  func note() throws {
    let plan = try both(.values)
    var state = WatchState(plan, RunIdentity(seed: 0, text: "watch"), wallClockAtStart: .zero)
    #expect(state.note("too early", at: .start).isEmpty)
    _ = state.begin(at: .start)
    let noted = state.note("window open", at: .start + .seconds(3))
    #expect(noted.map(\.recorded?.device) == ["Belt", "Thermo"])
    #expect(noted.allSatisfy { $0.recorded?.change == .remark(.note("window open")) })
    #expect(noted.compactMap(\.printed).map(\.offset) == [.seconds(3)])
  }
}
