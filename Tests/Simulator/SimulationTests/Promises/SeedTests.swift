// Many seeded schedules of faults against whole chains: each repeats from its seed.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Glibc
import Signals
import SimulatedDevices
import Testing

/// The seeds of a run: 0..<300, or those that the environment names.
enum Seeds {
  /// `SEEDS=17` or `SEEDS=0..<5000`.
  static let all: Range<Int> = {
    let parts = getenv("SEEDS").map { String(cString: $0) }?.split(separator: "..<") ?? []
    switch parts.compactMap({ Int($0) }) {
    case let ends where ends.count == 2: return ends[0]..<ends[1]
    case let only where only.count == 1: return only[0]..<only[0] + 1
    default: return 0..<300
    }
  }()
}

/// The faults that one seed causes.
struct Schedule {
  let rules: [FaultRule]
  /// The delay before bluetoothd handles the calls of a member; nil if it never does.
  let holds: [String: Duration?]
  /// For each chain, how long it may take, and when everything is cancelled.
  let chains: [(limit: Duration, cancelledAfter: Duration?)]

  init(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed), name: "schedule")
    rules = (0..<Int.random(in: 0...4, using: &generator)).map { _ in Self.rule(&generator) }
    var holds: [String: Duration?] = [:]
    let members = ["Connect", "Disconnect", "StartNotify", "StartDiscovery", "ReadValue"]
    for member in members where Int.random(in: 0..<5, using: &generator) == 0 {
      let choice = Int.random(in: 0..<6, using: &generator)
      holds[member] = .some([1, 20, 900, 4_000, 12_000, nil][choice].map { .milliseconds($0) })
    }
    self.holds = holds
    chains = (0..<3).map { _ in
      let limit = [50, 250, 1_000, 5_000, 60_000][Int.random(in: 0..<5, using: &generator)]
      let isCancelled = Int.random(in: 0..<4, using: &generator) == 0
      let instant = Int.random(in: 0...limit, using: &generator)
      return (.milliseconds(limit), isCancelled ? .milliseconds(instant) : nil)
    }
  }

  private static func rule(_ generator: inout SeededGenerator) -> FaultRule {
    // Commands are not among the steps.
    let kinds = FaultKind.allCases.filter { $0 != .command }
    let kind = kinds[Int.random(in: 0..<kinds.count, using: &generator)]
    let actions = FaultCase.actions.filter { $0.applies(to: kind) }
    let action = actions[Int.random(in: 0..<actions.count, using: &generator)]
    let number = Int.random(in: 1...3, using: &generator)
    let occurrence: FaultOccurrence =
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: .nth(number)
      case 1: .every(number)
      default: .probability(0.3)
      }
    return FaultRule(on: kind, occurrence: occurrence, action: action)
  }

  /// Whether bluetoothd ends a link soon after it was asked to.
  var disconnectsInTime: Bool {
    let slowest = Duration.milliseconds(900)
    guard let hold = holds["Disconnect", default: .zero], hold <= slowest else { return false }
    return !rules.contains { rule in
      guard rule.on == .disconnect || rule.on == .any else { return false }
      return rule.action == .neverAnswer || rule.action == .slow(.seconds(200))
        || rule.action == .slow(.seconds(3))
    }
  }
}

@Suite("Random schedules of faults")
struct SeedTests {
  /// The clean-ups that may follow one another: a discovery or a subscription, the undo of a
  /// Connect, and what the turn owns.
  static let cleanUp = Duration.seconds(10 + 8 + 10)

  @Test(
    "every chain ends in time with the link down, and the next chain succeeds", arguments: Seeds.all
  )
  func schedule(_ seed: Int) throws {
    let schedule = Schedule(seed: seed)
    let repeated = "seed \(seed), repeat with SEEDS=\(seed) swift test --filter SeedTests"
    let isHealed = Guarded(false)
    let simulation = try Simulation(
      faults: schedule.rules, seed: UInt64(seed),
      hold: { message in
        guard !isHealed.withLock({ $0 }), let member = message.member else { return .zero }
        return schedule.holds[member, default: .zero]
      }
    )
    let (scheduler, loop) = (simulation.scheduler, simulation.loop)
    for (limit, cancelledAfter) in schedule.chains {
      let began = loop.now
      let timer = cancelledAfter.map { loop.after($0) { scheduler.cancelAll() } }
      let outcome = FaultCase.chain(simulation.service).firstOrDefault([], within: limit)
      timer?.cancel()
      let what: Comment =
        "\(repeated): \(String(describing: outcome.error)) \(simulation.history.suffix(8))"
      #expect(loop.now - began <= limit + Self.cleanUp, what)
      #expect(scheduler.isIdle, what)
      #expect(outcome.value == (outcome.success ? [87] : []), what)
      if simulation.ledger.isUp {
        #expect(!schedule.disconnectsInTime, what)
        // A link that could not be released is reported.
        #expect(outcome.error != nil, what)
      }
      #expect(simulation.ledger.violations == [], what)
    }
    isHealed.withLock { $0 = true }
    simulation.heal()
    simulation.drain()
    let left: Comment = "\(repeated): \(simulation.history.suffix(8))"
    if schedule.holds["Disconnect", default: .zero] != nil {
      #expect(simulation.simulator.connectedDevices == [], left)
    }
    let links = simulation.ledger.links.count
    let next = FaultCase.chain(simulation.service).firstOrDefault([], within: .seconds(100))
    #expect(next.success, "\(repeated): \(String(describing: next.error))")
    simulation.drain()
    #expect(simulation.ledger.links.count == links + 1, left)
    #expect(simulation.ledger.violations == [], left)
    #expect(!simulation.ledger.isUp, left)
    if schedule.holds["StartDiscovery"] == nil {
      #expect(simulation.ledger.scansInLinks == [], left)
    }
  }

  @Test("a seed gives the same history in every run", arguments: [3, 33, 133])
  func repeats(_ seed: Int) throws {
    func history() throws -> [String] {
      let schedule = Schedule(seed: seed)
      let log = Recorded<String>()
      let simulation = try Simulation(
        faults: schedule.rules, seed: UInt64(seed),
        log: { message, instant in log.add("\(instant) \(message)") },
        hold: { schedule.holds[$0.member ?? "", default: .zero] }
      )
      for (limit, _) in schedule.chains {
        _ = FaultCase.chain(simulation.service).firstOrDefault([], within: limit)
      }
      return simulation.history + log.all
    }
    let first = try history()
    #expect(!first.isEmpty)
    #expect(try history() == first)
  }
}
