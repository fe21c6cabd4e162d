// A bus that stalls at a message of the first program, from its first on.

import Signals

/// When the bus stalls, and for how long.
struct BusStall: Hashable, Sendable {
  /// The ordinal of the message that is not delivered any more, among those of the program; 0: none
  /// of them is delivered, nor that it has joined.
  let message: Int
  /// Nil: until the healing.
  let duration: Duration?

  /// Draws one for a part of the worlds.
  static func draw(_ generator: inout SeededGenerator) -> BusStall? {
    guard generator.hits(1, in: 6) else { return nil }
    // Reading the objects takes seven calls; the chains come after that.
    let message = Int.random(in: 0...generator.pick([8, 20, 60]), using: &generator)
    let milliseconds: Int? = generator.pick([50, 900, 4_000, 15_000, nil, nil])
    return BusStall(message: message, duration: milliseconds.map { .milliseconds($0) })
  }
}

/// Counts the messages of the program up to the one at which the bus stalls.
struct StallTrigger: Sendable {
  /// The stall that has not begun.
  private var next: BusStall?
  private var program: String?
  private var sent = 0
  /// Whether it has begun.
  private(set) var hasBegun = false

  init(_ stall: BusStall?) { next = stall }

  /// The program joins the bus; nil: its name is not known yet.
  ///
  /// - Returns: The stall, if it begins now.
  mutating func joins(as name: String?) -> BusStall? {
    program = name
    return begin()
  }

  /// A client has sent a message.
  ///
  /// - Returns: The stall, if it begins with this message.
  mutating func sent(by client: String?) -> BusStall? {
    guard program != nil, client == program else { return nil }
    sent += 1
    return begin()
  }

  /// It does not begin any more.
  mutating func end() { next = nil }

  private mutating func begin() -> BusStall? {
    guard let stall = next, stall.message == sent else { return nil }
    next = nil
    hasBegun = true
    return stall
  }
}
