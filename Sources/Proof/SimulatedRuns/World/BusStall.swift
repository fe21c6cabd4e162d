// A stall of the bus that begins at a given message of the first program.

import Signals

/// The start and duration of a stall.
struct BusStall: Hashable, Sendable {
  /// The first message of the program that is not delivered, counted from 1; with 0 not even the
  /// notice that it joined is delivered.
  let message: Int
  /// Nil: until the healing.
  let duration: Duration?

  /// Draws a stall for some of the worlds.
  static func draw(_ generator: inout SeededGenerator) -> BusStall? {
    guard generator.hits(1, in: 6) else { return nil }
    // Reading the objects takes seven calls; the chains follow.
    let message = Int.random(in: 0...generator.pick([8, 20, 60]), using: &generator)
    let milliseconds: Int? = generator.pick([50, 900, 4_000, 15_000, nil, nil])
    return BusStall(message: message, duration: milliseconds.map { .milliseconds($0) })
  }
}

/// Counts the program's messages until the stall is due.
struct StallTrigger: Sendable {
  /// The stall that has not begun yet.
  private var next: BusStall?
  private var program: String?
  private var sent = 0
  private(set) var hasBegun = false

  init(_ stall: BusStall?) { next = stall }

  /// Notes that the program joins the bus; nil: its name is not known yet.
  ///
  /// - Returns: The stall, if it begins now.
  mutating func joins(as name: String?) -> BusStall? {
    program = name
    return begin()
  }

  /// Counts a message of a client.
  ///
  /// - Returns: The stall, if it begins with this message.
  mutating func sent(by client: String?) -> BusStall? {
    guard program != nil, client == program else { return nil }
    sent += 1
    return begin()
  }

  /// Cancels a stall that has not begun.
  mutating func end() { next = nil }

  private mutating func begin() -> BusStall? {
    guard let stall = next, stall.message == sent else { return nil }
    next = nil
    hasBegun = true
    return stall
  }
}
