// The output of a watch: records, rates and the journal.

import Bluetooth
import Documents
import Fixtures
import Signals
import Testing

@testable import Jobs

@Suite("Records of a watch")
final class WatchRecordTests: WatchScene {
  @Test("rates: a window without values is 0 while connected and a gap while disconnected")
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

  @Test("combined: one record of the latest values once every input has one")
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

  @Test("combined: the values of a disconnected device are not repeated")
  func combinedLoss() throws {
    belt.notify(Self.heart, (60...70).map { (.milliseconds(400), [0, $0]) })
    thermometer.lose(Self.battery, times: 1)
    #expect(watch(try both(.combined)) == nil)
    // The thermometer sends at 1.5 s, drops, is subscribed again at 1.75 s and sends at 3.25 s.
    #expect(lines().map { $0.prefix(5) } == ["1.500", "1.750"], "\(lines())")
  }

  @Test("a watch can poll at an interval")
  func polling() throws {
    belt.answer("read battery-level", .value([72]))
    let battery = try selector(Self.battery)
    let plan = WatchPlan(
      [.init(.name("Belt"), [battery])], source: .poll(every: .seconds(1)),
      duration: .milliseconds(2500)
    )
    #expect(watch(plan) == nil)
    #expect(
      lines() == [
        "0.000  battery-level  72 %", "1.000  battery-level  72 %", "2.000  battery-level  72 %",
      ]
    )
  }

  @Test("the RSSI is measured each second beside notifications, or at the interval of the reads")
  func strength() throws {
    belt.answer("rssi", .value([UInt8(bitPattern: -50)], after: .milliseconds(10)))
    let beside = WatchPlan(
      [.init(.name("Belt"), [try selector(Self.heart)], measuresRSSI: true)],
      source: .notify(SubscriptionOptions()), fields: ["bpm", "rssi"],
      duration: .milliseconds(2500)
    )
    #expect(watch(beside) == nil)
    #expect(
      lines() == [
        "0.010  rssi  -50 dBm", "1.000  heart-rate-measurement  60 bpm", "1.010  rssi  -50 dBm",
        "2.000  heart-rate-measurement  61 bpm", "2.010  rssi  -50 dBm",
      ]
    )
    #expect(
      story(0) == [
        "run of 2", "connect connect…", "connect ok", "1 notify…", "2 rssi…", "2 []", "1 [0, 60]",
        "2 []", "1 [0, 61]", "2 []", "1 ok", "2 ok", "run ok",
      ]
    )
    #expect(beside.definition.contains("rssi every 1s for 2500ms"), "\(beside.definition)")
    outputs.removeAll()
    let alone = WatchPlan(
      [.init(.name("Belt"), [], measuresRSSI: true)], source: .poll(every: .milliseconds(500)),
      duration: .milliseconds(900)
    )
    #expect(watch(alone) == nil)
    #expect(lines().map { $0.prefix(5) } == ["0.010", "0.510"])
    #expect(lines(WatchCSVReport()).allSatisfy { $0.contains(",Belt,rssi,value,rssi,-50,dBm,") })
  }

  @Test("a lost connection interrupts the RSSI, too, and its values are joined with others")
  func strengthAfterLoss() throws {
    belt.answer(
      "rssi", .value([UInt8(bitPattern: -50)]),
      .failure(DeviceFailure.scripted(.linkLost, .passing)), .value([UInt8(bitPattern: -70)])
    )
    var plan = WatchPlan(
      [.init(.name("Belt"), [try selector(Self.heart)], measuresRSSI: true)],
      source: .notify(SubscriptionOptions()), duration: .milliseconds(1500)
    )
    #expect(plan.problem == nil)
    #expect(watch(plan) == nil)
    #expect(
      lines().filter { $0.contains("rssi") } == [
        "0.000  rssi  -50 dBm", "1.250  rssi  (gap: not connected for 0.250 s)",
        "1.250  rssi  -70 dBm",
      ]
    )
    outputs.removeAll()
    (plan.view, plan.fields, plan.count) = (.combined, ["bpm", "rssi"], 1)
    #expect(watch(plan) == nil)
    #expect(lines() == ["1.000  heart-rate-measurement 60 bpm, rssi -70 dBm"])
    plan.fields = ["bpm"]
    #expect(
      plan.problem == "--field: no field of rssi is named (expected rssi, txPower)"
    )
  }

  @Test("a record count ends the watch")
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

  @Test("at midnight a new run continues the watch, and the printed output is not interrupted")
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

  @Test("gaps and values are printed as CSV, one line for each field")
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

  @Test("the fields are known before any connection")
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

  @Test("a note is recorded for each device and printed once, with its own time")
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

  @Test("a burst of values is handled in few rounds of the loop")
  func burst() throws {
    let count = 1_000
    belt.notify(Self.heart, (0..<count).map { (.seconds($0 == 0 ? 1 : 0), [0, UInt8($0 % 200)]) })
    let (received, rounds) = (Guarded(0), Guarded(0))
    /// Counts the rounds of the loop from the first value to the last.
    @Sendable func look(on loop: Loop) {
      loop.post {
        rounds.withLock { $0 += 1 }
        if received.withLock({ $0 }) < 1_000 { look(on: loop) }
      }
    }
    let plan = try plan()
    let watching = Watching(
      plan, on: [belt], in: scheduler, identity: RunIdentity(seed: 0, text: plan.definition),
      receive: { [outputs, loop] output in
        outputs.add(output)
        guard case .data(_, .value)? = output.printed?.change else { return }
        let ordinal = received.withLock { received in
          received += 1
          return received
        }
        if ordinal == 1 { look(on: loop) }
      }
    )
    #expect(
      watching.records().then { Signal.just(true) }.firstOrDefault(false, within: .seconds(9)).value
    )
    #expect(lines().count == count)
    #expect(lines().last == "1.000  heart-rate-measurement  199 bpm")
    #expect(rounds.withLock { $0 } < 10)
  }
}
