// The disturbances of the processes of a fleet and their times, chosen by a seed.
//
// A plan only; DisturbedFleet carries it out and notes when it did.

import Glibc
import Signals

/// One thing that happens to a process of a fleet, and its end.
struct FleetDisturbance: CustomStringConvertible {
  enum Victim: Hashable { case server, gateway(Int) }

  enum Kind: String, CaseIterable {
    /// Killed, and started again.
    case kill
    /// Stopped, and continued.
    case stop
    /// Stopped, killed at the end of that, and started again.
    case stopAndKill
  }

  let victim: Victim
  let kind: Kind
  /// Seconds after the start of the batch.
  let from: Double
  let to: Double

  var description: String { "\(kind) \(victim) from \(from) to \(to)" }

  /// The disturbances of a seed, ordered by start. No process has two at the same time.
  static func plan(seed: UInt64, gateways: Int, within span: Double = 28) -> [FleetDisturbance] {
    var generator = SeededGenerator(seed: seed, name: "disturbances")
    var busy: [Victim: Double] = [:]
    var plan: [FleetDisturbance] = []
    var at = Double.random(in: 1...4, using: &generator)
    while at < span {
      let isServer = Int.random(in: 0..<5, using: &generator) == 0
      let victim: Victim =
        isServer ? .server : .gateway(Int.random(in: 0..<gateways, using: &generator))
      let kind = isServer ? .allCases[Int.random(in: 0..<2, using: &generator)] : kind(&generator)
      let time = duration(of: kind, isServer: isServer, &generator)
      if busy[victim, default: 0] < at {
        plan.append(FleetDisturbance(victim: victim, kind: kind, from: at, to: at + time))
        busy[victim] = at + time + 1
      }
      at += Double.random(in: 0.3...3.5, using: &generator)
    }
    return plan
  }

  private static func kind(_ generator: inout SeededGenerator) -> Kind {
    Kind.allCases[Int.random(in: 0..<Kind.allCases.count, using: &generator)]
  }

  /// Most are short; one in three lasts longer than a lease, so that a successor takes over.
  private static func duration(
    of kind: Kind, isServer: Bool, _ generator: inout SeededGenerator
  ) -> Double {
    let isLong = Int.random(in: 0..<3, using: &generator) == 0
    if isServer { return Double.random(in: isLong ? 8...17 : 0.2...4, using: &generator) }
    return Double.random(in: isLong ? 16...28 : 0.1...8, using: &generator)
  }
}

/// The disturbances of one process, by the wall clock.
struct ProcessHistory {
  let name: String
  let begun: Double
  var stops: [(from: Double, to: Double)] = []
  var stoppedAt: Double?
  var killedAt: Double?

  /// The present time of the wall clock, in seconds: that of the times of files.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  mutating func stopped() { stoppedAt = Self.now }

  mutating func continued() {
    if let stoppedAt { stops.append((stoppedAt, Self.now)) }
    stoppedAt = nil
  }

  mutating func killed() {
    // It does nothing after it was stopped.
    killedAt = stoppedAt ?? Self.now
  }

  /// Whether a disturbance of the process overlaps this time.
  func isDisturbed(from: Double, to: Double) -> Bool {
    if let killedAt, killedAt >= from { return true }
    return stops.contains { $0.from <= to && $0.to >= from }
  }
}
