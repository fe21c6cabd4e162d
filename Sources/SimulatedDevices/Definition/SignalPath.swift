// How the strength of a device changes on the way that it is carried.

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
