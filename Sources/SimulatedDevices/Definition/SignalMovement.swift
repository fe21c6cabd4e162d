// How the strength of a device changes by itself: along a path, or anywhere between two bounds.

/// What the strength of a device does in place of staying.
public enum SignalMovement: Sendable, Hashable {
  /// Straight lines between points.
  case path(SignalPath)
  /// Steps that are drawn from the seed.
  case walk(SignalWalk)

  /// The weakest that it comes to, in dBm.
  var weakest: Int? {
    switch self {
    case .path(let path): path.points.map(\.rssi).min()
    case .walk(let walk): min(walk.low, walk.start ?? walk.low)
    }
  }
}

/// A strength that wanders between two bounds, as that of somebody who walks about.
public struct SignalWalk: Sendable, Hashable {
  /// The weakest, in dBm.
  public var low: Int
  /// The strongest, in dBm.
  public var high: Int
  /// The longest step, in dB; each is drawn anew, in either direction.
  public var step: Int
  /// The time of one step, over which the strength changes evenly.
  public var every: Duration
  /// Where it begins; nil: in the middle, or where a device that is carried about was.
  public var start: Int?

  /// A strength that wanders; see the properties.
  ///
  /// ```swift
  /// let walk = SignalWalk(low: -90, high: -60, every: .seconds(2))
  /// try world.move("Thermo-1", .walk(walk))
  /// ```
  public init(
    low: Int,
    high: Int,
    step: Int = 4,
    every: Duration = .seconds(1),
    start: Int? = nil
  ) {
    self.low = low
    self.high = high
    self.step = step
    self.every = every
    self.start = start
  }
}
