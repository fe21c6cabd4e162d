// The RSSI of a device: how it changes, and the effects of a weak signal.

import Signals
import Testing

@testable import SimulatedDevices

@Suite("Signal strength")
struct SignalStrengthTests {
  func bench(_ keys: String, seed: UInt64 = 0) throws -> DeviceBench {
    DeviceBench(try DeviceText.device(keys), seed: seed)
  }

  /// The strengths at each second.
  func strengths(_ keys: String, seed: UInt64 = 0, seconds: Int = 200) throws -> [Int] {
    let bench = try bench(keys, seed: seed)
    return try (0..<seconds).map { second in
      try bench.run(to: second * 1000)
      return bench.device.linkRSSI()
    }
  }

  static let walk =
    "advertisement: { rssi: { walk: { low: -80, high: -40, step: 6, start: -70 } }, rssi-spread: 0 }"

  @Test("a walk starts at its start value, stays within its bounds and step size, and turns back")
  func walk() throws {
    let all = try strengths(Self.walk)
    #expect(all[0] == -70)
    #expect(all.min().map { $0 >= -80 } == true && all.max().map { $0 <= -40 } == true)
    #expect(zip(all, all.dropFirst()).allSatisfy { abs($0 - $1) <= 6 })
    #expect(Set(all).count > 20)
  }

  @Test("a walk is the same for the same seed, however often it is read")
  func seeded() throws {
    let all = try strengths(Self.walk)
    #expect(try strengths(Self.walk, seed: 1) != all)
    let bench = try bench(Self.walk)
    try bench.run(to: 150_000)
    #expect(bench.device.linkRSSI() == all[150])
  }

  @Test("a device follows a path, walks from its position, and returns to its defined movement")
  func carried() throws {
    let bench = try bench("advertisement: { rssi: -60, rssi-spread: 0 }")
    bench.device.move(
      .path(SignalPath([.init(at: .zero, rssi: -50), .init(at: .seconds(4), rssi: -90)]))
    )
    try bench.run(to: 3000)
    #expect(bench.device.linkRSSI() == -80)
    bench.device.move(.walk(SignalWalk(low: -50, high: -40)))
    #expect(bench.device.linkRSSI() == -80)
    try bench.run(to: 300_000)
    #expect((-50...(-40)).contains(bench.device.linkRSSI()))
    bench.device.stray(by: 20)
    #expect(Set((0..<100).map { _ in bench.device.linkRSSI() }).count > 20)
    bench.device.move(nil)
    #expect(bench.device.linkRSSI() == -60)
  }

  @Test("no packet is lost at a strong signal, half midway, and all at the sensitivity")
  func losses() throws {
    for (rssi, expected) in [(-90, 1000...1000), (-100, 0...0), (-95, 450...550)] {
      let bench = try bench("advertisement: { rssi: \(rssi), rssi-spread: 0 }")
      let through = (0..<1000).count { _ in bench.device.getsThrough(rssi: rssi) }
      #expect(expected.contains(through), "\(rssi) dBm: \(through)")
      #expect(bench.device.reaches() || rssi < -90)
      #expect(bench.device.establishes() || rssi < -90)
    }
  }

  /// The time at which the link ended, in seconds; nil if it lasted an hour.
  func loss(_ rssi: Int, seed: UInt64) throws -> Int? {
    let bench = try bench("advertisement: { rssi: \(rssi) }", seed: seed)
    let lost = Guarded<Int?>(nil)
    bench.device.onPresence { [loop = bench.loop, weak device = bench.device] presence in
      guard presence == .losesLink else { return }
      device?.linkDown()
      lost.withLock { $0 = Int(loop.now.sinceStart / .seconds(1)) }
    }
    try bench.run(to: 3_600_000)
    return lost.withLock { $0 }
  }

  @Test("a link lasts hours, a minute or no time, depending on how near it is to the sensitivity")
  func links() throws {
    let all = try [-90, -97, -100].map { rssi in try (0..<20).map { try loss(rssi, seed: $0) } }
    #expect(all[0].allSatisfy { $0 == nil })
    let minutes = all[1].compactMap(\.self)
    #expect(minutes.count == 20 && (20...180).contains(minutes.reduce(0, +) / 20))
    #expect(all[2].allSatisfy { $0 == 0 })
  }

  @Test("an established link drops when the device is moved away, and not before")
  func carriedAway() throws {
    let bench = try bench("advertisement: { rssi: -60 }")
    let lost = Guarded(0)
    bench.device.onPresence { [weak device = bench.device] _ in
      device?.linkDown()
      lost.withLock { $0 += 1 }
    }
    try bench.run(to: 10_000)
    bench.device.move(to: -110, within: .seconds(10))
    try bench.run(to: 13_000)
    #expect(lost.withLock { $0 } == 0)
    try bench.run(to: 21_000)
    #expect(lost.withLock { $0 } == 1)
  }

  @Test("requests take whole intervals longer at the edge of range")
  func latency() throws {
    let bench = try bench("advertisement: { rssi: -95 }\nlink: { latency: 10ms }")
    let all = (0..<500).map { _ in bench.device.latency() - .milliseconds(10) }
    #expect(all.allSatisfy { $0.remainder(of: .milliseconds(30)) == .zero })
    let mean = all.reduce(Duration.zero, +) / 500
    #expect((.milliseconds(22)...(.milliseconds(38))).contains(mean))
  }

  @Test(
    "an impossible RSSI is reported with its place",
    arguments: [
      ("walk: { low: -40, high: -50 }", "3:17: advertisement.rssi.walk: 'low' is not below 'high'"),
      ("walk: { low: -80 }", "'high'"),
      ("walk: { low: -80, high: -50, start: -40 }", "-40 is not between 'low' and 'high'"),
      ("walk: { low: -80, high: -50, step: 0 }", "from 1 to 60"),
      ("walk: { low: -80, high: -50, every: 10ms }", "from 100ms to 1h"),
      ("walk: { low: -80, high: -50 }, path: []", "exclude each other"),
      ("walk: { low: -80, high: -50 }, repeats: true", "'repeats' is about a 'path'"),
    ]
  )
  func complaints(_ rssi: String, _ expected: String) {
    let found = DeviceText.complaints("advertisement:\n  rssi: { \(rssi) }")
    #expect(found.contains { $0.contains(expected) }, "\(found)")
  }
}
