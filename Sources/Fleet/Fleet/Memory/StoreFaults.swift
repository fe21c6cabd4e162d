// The faults between the clients and a store in memory, drawn from a seed.
//
// Only single messages: cuts and restarts are calls of MemoryStore.

import Signals

/// The chances and sizes of the faults on the store's connections. Each `Int` is a chance out of 1 000.
public struct StoreFaults: Sendable {
  /// The greatest latency of a message without faults.
  public var latency: Duration
  /// A read returns an earlier state.
  public var staleReads: Int
  /// The greatest age of the state that a stale read returns.
  public var staleness: Duration
  /// A change is made, but its reply is lost.
  public var lostReplies: Int
  /// A request is lost.
  public var lostRequests: Int
  /// A request arrives late, possibly after its limit.
  public var lateRequests: Int
  /// The greatest delay of a late request or delivery.
  public var lateness: Duration
  /// A delivery to a subscriber is lost.
  public var lostDeliveries: Int
  /// A delivery is made twice.
  public var repeatedDeliveries: Int
  /// A delivery is late.
  public var lateDeliveries: Int

  /// No faults: every message arrives within ``latency``.
  public static let none = StoreFaults()

  /// Creates faults that never fire.
  public init() {
    latency = .milliseconds(1)
    staleReads = 0
    staleness = .seconds(3)
    lostReplies = 0
    lostRequests = 0
    lateRequests = 0
    lateness = .seconds(6)
    lostDeliveries = 0
    repeatedDeliveries = 0
    lateDeliveries = 0
  }

  /// The delays of one request and its reply.
  struct Passage {
    /// The time until the request arrives; nil when it is lost.
    var request: Duration?
    /// The time from the request's arrival to the reply's; nil when the reply is lost.
    var reply: Duration?
    /// The age of the state that a read returns.
    var age: Duration
  }

  func drawPassage(_ generator: inout SeededGenerator) -> Passage {
    var passage = Passage(
      request: drawLatency(&generator), reply: drawLatency(&generator), age: .zero)
    if generator.fires(lateRequests) { passage.request = generator.duration(upTo: lateness) }
    if generator.fires(lostRequests) { passage.request = nil }
    if generator.fires(lostReplies) { passage.reply = nil }
    if generator.fires(staleReads) { passage.age = generator.duration(upTo: staleness) }
    return passage
  }

  /// Draws the delay of each copy of a delivery; empty when it is lost.
  func drawDeliveries(_ generator: inout SeededGenerator) -> [Duration] {
    if generator.fires(lostDeliveries) { return [] }
    let first =
      generator.fires(lateDeliveries) ? generator.duration(upTo: lateness) : drawLatency(&generator)
    return generator.fires(repeatedDeliveries)
      ? [first, first + generator.duration(upTo: lateness)] : [first]
  }

  func drawLatency(_ generator: inout SeededGenerator) -> Duration {
    generator.duration(upTo: latency)
  }
}

extension SeededGenerator {
  /// Returns true with a chance out of 1 000. A chance of zero draws no random number.
  mutating func fires(_ chance: Int) -> Bool {
    chance > 0 && Int(next() % 1000) < chance
  }

  /// Draws a duration of zero to `longest`, in whole microseconds.
  package mutating func duration(upTo longest: Duration) -> Duration {
    let most =
      longest.components.seconds * 1_000_000
      + longest.components.attoseconds / 1_000_000_000_000
    return .microseconds(Int64(next() % UInt64(max(1, most + 1))))
  }
}
