// The connections of watched devices: at the start, after drops, and at the end.

import Bluetooth
import Fixtures
import Signals
import Testing

@testable import Jobs

@Suite("Watching")
final class WatchingTests: WatchScene {
  @Test("two devices are watched at the same time and disconnected at the end")
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

  @Test("the current value is printed immediately if it can be read, and counts as a value")
  func presentValue() throws {
    thermometer.offered = [
      GATTService(
        uuid: BluetoothUUID(short: 0x180f), handle: 1, isPrimary: true, includes: [],
        characteristics: [
          GATTCharacteristic(
            uuid: BluetoothUUID(short: 0x2a19), handle: 2, properties: [.read, .notify], mtu: nil,
            descriptors: []
          )
        ]
      )
    ]
    thermometer.answer("read battery-level", .value([80], after: .milliseconds(100)))
    let both = try both(.values)
    #expect(watch(both) == nil)
    #expect(
      lines().prefix(2) == ["0.100  battery-level  80 %", "1.000  heart-rate-measurement  60 bpm"]
    )
    #expect(!belt.calls.contains { $0.hasPrefix("read") })
    #expect(story(1).contains("1 [80]"))
    // A value notified in the meantime is newer.
    outputs.removeAll()
    thermometer.answer("read battery-level", .value([80], after: .seconds(2)))
    #expect(watch(both) == nil)
    #expect(lines().count { $0.contains("battery-level") } == 1)
    // A value that cannot be read does not end the watch.
    outputs.removeAll()
    thermometer.answer(
      "read battery-level", .failure(DeviceFailure.scripted(.notPaired, .definite))
    )
    #expect(watch(both) == nil)
    #expect(lines().count { $0.contains("battery-level") } == 1)
    // Rates count only notifications.
    thermometer.forgetCalls()
    #expect(watch(try self.both(.rate(window: .seconds(1)))) == nil)
    #expect(!thermometer.calls.contains { $0.hasPrefix("read") })
  }

  @Test("a device whose connection drops is reconnected, with a gap in its values")
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

  @Test("the other device continues while one reconnects")
  func independent() throws {
    thermometer.lose(Self.battery, times: 100)
    #expect(watch(try both(.values)) == nil)
    #expect(belt.calls.count { $0.hasPrefix("connect") } == 1)
    #expect(lines().count { $0.contains("bpm") } == 2)
    #expect(lines().count { $0.contains("(gap: not connected for 0.250 s)") } == 1, "\(lines())")
    #expect(thermometer.calls.count { $0.hasPrefix("connect") } == 2)
  }

  @Test("pauses between connection attempts double up to 5 s, and reset after a value")
  func pauses() {
    var link = WatchedLink(series: [0, 1])
    let lost = RunFailure(DeviceFailure.scripted(.linkLost, .passing))
    #expect(link.active(0, at: .start) == nil)
    #expect(link.active(1, at: .start) == .connected)
    for expected in [[250, 500, 1000, 2000, 4000, 5000, 5000], [5000], [250, 500]] {
      #expect(link.lost(lost, at: .start + .seconds(1)) == .lost(lost))
      #expect(link.lost(lost, at: .start + .seconds(2)) == nil)
      let pauses = expected.map { _ in link.nextPause() / .milliseconds(1) }
      #expect(pauses == expected.map(Double.init))
      #expect(link.active(0, at: .start + .seconds(9)) == nil)
      #expect(link.active(1, at: .start + .seconds(9)) == .reconnected(after: .seconds(8)))
      // A connection without values does not reset the pause.
      if expected == [5000] { link.received() }
    }
  }

  private static let absent = DeviceFailure.scripted(.notFound, .passing, "connecting")

  @Test("a device that cannot be connected at the start is retried, and each reason is reported")
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

  @Test("one device is watched while the other is retried; the time counts from when both are up")
  func oneIsMissing() throws {
    thermometer.answer("connect", .failure(Self.absent, after: .seconds(4)), .value([]))
    #expect(watch(try both(.values)) == nil)
    #expect(lines().first == "1.000  heart-rate-measurement  60 bpm")
    #expect(lines().last == "5.750  battery-level  72 %")
    #expect(belt.calls.last == "disconnect at 7s")
  }

  @Test(
    "a watch that cannot connect can be stopped during an attempt and during a pause",
    arguments: [1, 6]
  )
  func stopWhileConnecting(second: Int) throws {
    belt.answer("connect", .failure(Self.absent, after: .seconds(5)))
    let plan = try plan()
    let watching = Watching(
      plan, on: [belt], in: scheduler, identity: RunIdentity(seed: 0, text: plan.definition),
      receive: { [outputs] in outputs.add($0) }, until: Signal.just(()).delay(.seconds(second))
    )
    let outcome = watching.records().then { Signal.just(true) }
      .firstOrDefault(false, within: .seconds(100))
    #expect(outcome.error == nil)
    #expect(loop.now.sinceStart == .seconds(second))
    watching.finish(nil)
    #expect(scheduler.isIdle)
    #expect(story(0).last == "run ok")
  }

  @Test("a permanent failure at the start ends the watch without another attempt")
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

  @Test("without --resume a missing device ends the watch of all devices")
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

  @Test("a permanent failure ends the watch even after a drop; without --resume a drop does too")
  func permanent() throws {
    belt.lose(Self.heart)
    let gone = DeviceFailure.scripted(.characteristicMissing, .definite)
    belt.answer("subscribe heart-rate-measurement", .value([]), .failure(gone))
    #expect(watch(try plan())?.code == .characteristicMissing)
    belt.lose(Self.heart)
    belt.answer("subscribe heart-rate-measurement", .value([]))
    #expect(watch(try plan { $0.reconnects = false })?.code == .linkLost)
  }
}
