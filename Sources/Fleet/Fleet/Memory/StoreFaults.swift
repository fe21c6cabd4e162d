// What goes wrong between the clients and a store in memory, drawn from a seed.

import Signals

/// How often the store's connections misbehave. Each is a chance out of 1 000.
public struct StoreFaults: Sendable {
  /// The longest time that a message takes when nothing is wrong.
  public var latency: Duration
  /// A read answers with an earlier state.
  public var staleReads: Int
  /// How old the state of a stale read is at most.
  public var staleness: Duration
  /// A change is made, and its reply is lost.
  public var lostReplies: Int
  /// A request is lost.
  public var lostRequests: Int
  /// A request arrives late, also after its limit.
  public var lateRequests: Int
  /// How late a request or a delivery is at most.
  public var lateness: Duration
  /// A delivery to a subscriber is lost.
  public var lostDeliveries: Int
  /// A delivery is made twice.
  public var repeatedDeliveries: Int
  /// A delivery is late.
  public var lateDeliveries: Int

  /// No faults: every message takes the same short time.
  public static let none = StoreFaults()

  /// Faults that never fire, to be changed.
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

  /// What happens to one request.
  struct Passage {
    /// Until the request arrives; nil when it is lost.
    var request: Duration?
    /// Until the reply arrives, from the arrival of the request; nil when it is lost.
    var reply: Duration?
    /// How old the state is that a read sees.
    var age: Duration
  }

  func passage(_ generator: inout SeededGenerator) -> Passage {
    var passage = Passage(request: short(&generator), reply: short(&generator), age: .zero)
    if generator.fires(lateRequests) { passage.request = generator.duration(upTo: lateness) }
    if generator.fires(lostRequests) { passage.request = nil }
    if generator.fires(lostReplies) { passage.reply = nil }
    if generator.fires(staleReads) { passage.age = generator.duration(upTo: staleness) }
    return passage
  }

  /// When copies of a delivery arrive.
  func deliveries(_ generator: inout SeededGenerator) -> [Duration] {
    if generator.fires(lostDeliveries) { return [] }
    let first =
      generator.fires(lateDeliveries) ? generator.duration(upTo: lateness) : short(&generator)
    return generator.fires(repeatedDeliveries)
      ? [first, first + generator.duration(upTo: lateness)] : [first]
  }

  func short(_ generator: inout SeededGenerator) -> Duration {
    generator.duration(upTo: latency)
  }
}

extension SeededGenerator {
  /// True with a chance out of 1 000. A chance of zero draws nothing.
  mutating func fires(_ chance: Int) -> Bool {
    chance > 0 && Int(next() % 1000) < chance
  }

  /// A duration up to `longest`, in microseconds.
  package mutating func duration(upTo longest: Duration) -> Duration {
    let most =
      longest.components.seconds * 1_000_000
      + longest.components.attoseconds / 1_000_000_000_000
    return .microseconds(Int64(next() % UInt64(max(1, most + 1))))
  }
}
