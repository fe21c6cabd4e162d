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
    low: Int, high: Int, step: Int = 4, every: Duration = .seconds(1), start: Int? = nil
  ) {
    self.low = low
    self.high = high
    self.step = step
    self.every = every
    self.start = start
  }
}

/// Strengths at moments, with straight lines in between.
public struct SignalPath: Sendable, Hashable {
  /// The strength at one moment.
  public struct Point: Sendable, Hashable {
    /// Since the device's start.
    public var time: Duration
    /// In dBm.
    public var rssi: Int

    /// A strength in dBm at a moment.
    public init(at time: Duration, rssi: Int) {
      self.time = time
      self.rssi = rssi
    }
  }

  /// At least one, at rising times, the first at 0.
  public var points: [Point]
  /// Whether it begins again after the last point, rather than staying there.
  public var repeats: Bool

  /// A path through these points.
  ///
  /// ```swift
  /// let away = SignalPath([.init(at: .zero, rssi: -50), .init(at: .seconds(30), rssi: -95)])
  /// try world.move("Thermo-1", .path(away))
  /// ```
  public init(_ points: [Point], repeats: Bool = false) {
    self.points = points
    self.repeats = repeats
  }

  /// The strength in dBm so long after the device's start.
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
  /// What is left of this duration after whole periods.
  func remainder(of period: Duration) -> Duration {
    period > .zero ? self - period * periods(of: period) : self
  }
}
