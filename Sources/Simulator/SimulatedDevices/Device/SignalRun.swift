// Where a moving strength is: a movement with what was drawn of it so far.
//
// Pure: times in, strengths out.

import Signals

/// A movement under way, since a moment of its own.
struct SignalRun {
  let movement: SignalMovement
  /// When it began, since the device's start.
  let origin: Duration
  private var generator: SeededGenerator
  /// The ends of the present step of a walk.
  private var from: Double
  private var to: Double
  /// Steps that were drawn.
  private var steps = 0

  /// - Parameter start: Where a walk begins that does not set it.
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

  /// The strength in dBm so long after the device's start; nil for a path without points.
  ///
  /// A walk does not go back in time.
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

  /// One step: what would go beyond a bound turns round there.
  private mutating func step(_ walk: SignalWalk) {
    let (low, high) = (Double(walk.low), Double(walk.high))
    let length = Double(Int.random(in: -max(0, walk.step)...max(0, walk.step), using: &generator))
    // One that begins outside of its bounds walks there first.
    let outside = to < low ? abs(length) : to > high ? -abs(length) : length
    var next = to + outside
    if to <= high, next > high { next = 2 * high - next }
    if to >= low, next < low { next = 2 * low - next }
    from = to
    to = (low...high).contains(to) ? min(high, max(low, next)) : next
    steps += 1
  }
}
