// The memory that a long repetition in a chain keeps, which should be none.

import BlueZ
import CBenchmarkPeers
import Jobs
import Signals

enum RepeatedSteps {
  /// The growth of the process's memory in bytes over the later steps of a repetition of `count`.
  static func growth(count: Int) throws -> Int {
    let loop = VirtualTimeLoop()
    let (service, simulator) = try SimulatedChains.world(on: loop)
    defer { withExtendedLifetime(simulator) {} }
    guard let template = MessageTemplate("again") else {
      throw SerialReads.Failure(description: "a message could not be made")
    }
    let plan = Plan(steps: [Step(.repeat(RepeatStep(count, [Step(.log(LogStep(template)))])))])
    // Each step sends a start and a finish event.
    let (early, late) = (count / 5, count * 2)
    let seen = Guarded((events: 0, early: 0, late: 0))
    let runner = ChainRunner(
      plan: plan, service: service, identity: RunIdentity(seed: 0, plan: plan)
    ) { _ in
      seen.withLock { seen in
        seen.events += 1
        if seen.events == early { seen.early = Int(peers_octets_in_use()) }
        if seen.events == late { seen.late = Int(peers_octets_in_use()) }
      }
    }
    let outcome = runner.ending().map { Optional($0) }.firstOrDefault(nil, within: .seconds(60))
    guard outcome.value?.done == count else {
      throw SerialReads.Failure(
        description: "a repetition failed: \(String(describing: outcome.error))"
      )
    }
    return seen.withLock { $0.late - $0.early }
  }
}
