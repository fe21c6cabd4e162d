// The change of a device's RSSI over time: a path, or a random walk.

/// A change of the RSSI over time.
public enum SignalMovement: Sendable, Hashable {
  /// Linear changes between points.
  case path(SignalPath)
  /// Random steps, drawn from the seed.
  case walk(SignalWalk)

  /// The minimum RSSI, in dBm.
  var weakest: Int? {
    switch self {
    case .path(let path): path.points.map(\.rssi).min()
    case .walk(let walk): min(walk.low, walk.start ?? walk.low)
    }
  }
}

/// An RSSI that varies between two bounds, as if the device were carried around.
public struct SignalWalk: Sendable, Hashable {
  /// The minimum, in dBm.
  public var low: Int
  /// The maximum, in dBm.
  public var high: Int
  /// The maximum step in dB; each step is drawn, in either direction.
  public var step: Int
  /// The duration of a step, over which the RSSI changes evenly.
  public var every: Duration
  /// The initial RSSI; nil: the middle, or the current RSSI of a running device.
  public var start: Int?

  /// Creates a random walk; see the properties.
  ///
  /// ```swift
  /// let walk = SignalWalk(low: -90, high: -60, every: .seconds(2))
  /// try world.move("Thermo-1", .walk(walk))
  /// ```
  public init(
    low: Int, high: Int, step: Int = 4, every: Duration = .seconds(1), start: Int? = nil
  ) {
    self.low = low
    self.high = high
    self.step = step
    self.every = every
    self.start = start
  }
}

/// RSSI values at points in time, with linear changes between them.
public struct SignalPath: Sendable, Hashable {
  /// The RSSI at one point in time.
  public struct Point: Sendable, Hashable {
    /// The time since the device's start.
    public var time: Duration
    /// The RSSI in dBm.
    public var rssi: Int

    /// Creates a point from a time and an RSSI in dBm.
    public init(at time: Duration, rssi: Int) {
      self.time = time
      self.rssi = rssi
    }
  }

  /// At least one point, in ascending order of time, the first at 0.
  public var points: [Point]
  /// Whether it restarts after the last point, rather than staying there.
  public var repeats: Bool

  /// Creates a path through these points.
  ///
  /// ```swift
  /// let away = SignalPath([.init(at: .zero, rssi: -50), .init(at: .seconds(30), rssi: -95)])
  /// try world.move("Thermo-1", .path(away))
  /// ```
  public init(_ points: [Point], repeats: Bool = false) {
    self.points = points
    self.repeats = repeats
  }

  /// The RSSI in dBm at a time since the device's start.
  func rssi(elapsed: Duration) -> Int? {
    guard let last = points.last else { return nil }
    let isRepeated = repeats && last.time > .zero
    let time = isRepeated ? elapsed.remainder(of: last.time) : elapsed
    guard let next = points.firstIndex(where: { $0.time > time }), next > 0 else {
      return time >= last.time ? last.rssi : points[0].rssi
    }
    let (from, to) = (points[next - 1], points[next])
    let fraction = (time - from.time) / (to.time - from.time)
    return from.rssi + Int((Double(to.rssi - from.rssi) * fraction).rounded())
  }
}

extension Duration {
  /// The rest of this duration after whole periods.
  func remainder(of period: Duration) -> Duration {
    period > .zero ? self - period * periods(of: period) : self
  }
}
