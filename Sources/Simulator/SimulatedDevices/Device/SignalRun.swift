// A movement of the RSSI in progress.
//
// Pure: times in, RSSI out.

import Signals

/// A movement, its start, and the steps drawn so far.
struct SignalRun {
  let movement: SignalMovement
  /// The start of the movement, since the device's start.
  let origin: Duration
  private var generator: SeededGenerator
  /// The RSSI at both ends of the current step of a walk.
  private var from: Double
  private var to: Double
  /// The number of steps drawn.
  private var steps = 0

  /// - Parameter start: The initial RSSI of a walk that does not set one.
  init(_ movement: SignalMovement, at origin: Duration, start: Int?, generator: SeededGenerator) {
    self.movement = movement
    self.origin = origin
    self.generator = generator
    from = 0
    if case .walk(let walk) = movement {
      from = Double(walk.start ?? start ?? (walk.low + walk.high) / 2)
    }
    to = from
  }

  /// The RSSI in dBm at a time since the device's start; nil for a path without points.
  ///
  /// For a walk, the time must not decrease.
  mutating func rssi(elapsed: Duration) -> Int? {
    let time = max(.zero, elapsed - origin)
    switch movement {
    case .path(let path): return path.rssi(elapsed: time)
    case .walk(let walk):
      let done = time.periods(of: walk.every)
      while steps <= done { step(walk) }
      let fraction = time.remainder(of: walk.every) / walk.every
      return Int((from + (to - from) * fraction).rounded())
    }
  }

  /// Draws one step. A step beyond a bound is reflected.
  private mutating func step(_ walk: SignalWalk) {
    let (low, high) = (Double(walk.low), Double(walk.high))
    let length = Double(Int.random(in: -max(0, walk.step)...max(0, walk.step), using: &generator))
    // A walk that starts outside of its bounds first moves towards them.
    let outside = to < low ? abs(length) : to > high ? -abs(length) : length
    var next = to + outside
    if to <= high, next > high { next = 2 * high - next }
    if to >= low, next < low { next = 2 * low - next }
    from = to
    to = (low...high).contains(to) ? min(high, max(low, next)) : next
    steps += 1
  }
}
