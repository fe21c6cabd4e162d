// The cost of a chain step: thirty flattenMaps are built and run, and their first value is awaited.

import CBenchmarkPeers
import Signals

struct ChainSteps {
  static let length = 30

  /// Nanoseconds per step, the best of several batches.
  let nanosecondsPerStep: Double

  var line: String {
    "chain step (K=\(Self.length), build and run): \(decimal(nanosecondsPerStep)) ns"
  }

  @inline(never)
  static func run(on scheduler: SerialScheduler) -> Bool {
    var signal = Signal.just(0).on(scheduler)
    for _ in 0..<length { signal = signal.flattenMap { .just($0 + 1) } }
    return signal.firstOrDefault(-1, within: .seconds(10)).value == length
  }

  static func measured() -> ChainSteps {
    let scheduler = SerialScheduler(on: EventLoop())
    let batch = 2000
    var best = Double.infinity
    for _ in 0..<10 {
      let start = nanoseconds()
      for _ in 0..<batch { precondition(run(on: scheduler)) }
      best = min(best, (nanoseconds() - start) / Double(batch * length))
    }
    return ChainSteps(nanosecondsPerStep: best)
  }

  /// The growth of the process's memory in bytes over many chains, after a warm-up.
  static func growth(chains: Int) -> Int {
    let scheduler = SerialScheduler(on: EventLoop())
    for _ in 0..<chains / 10 { precondition(run(on: scheduler)) }
    let before = peers_octets_in_use()
    for _ in 0..<chains { precondition(run(on: scheduler)) }
    return Int(peers_octets_in_use() - before)
  }
}
