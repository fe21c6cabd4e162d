// Moves devices while the simulation runs: changes of their RSSI.

public import SimulatedDevices

extension Steering {
  /// Moves a device: its RSSI changes evenly to `rssi`, in dBm from -127 to 20.
  ///
  /// ```swift
  /// try steering.move("Thermo-1", to: -90, within: .seconds(20))
  /// ```
  public func move(
    _ name: String,
    to rssi: Int,
    within duration: Duration = .zero
  ) throws(SteeringError) {
    let device = try device(name)
    try check(rssi)
    device.move(to: rssi, within: duration)
  }

  /// Moves a device along a path, whose times count from now.
  ///
  /// - Throws: ``SteeringError/Kind/invalidValue`` for a path without points, or whose times do not
  ///   increase from 0.
  public func move(_ name: String, along path: SignalPath) throws(SteeringError) {
    let device = try device(name)
    for point in path.points { try check(point.rssi) }
    let times = path.points.map(\.time)
    guard times.first == .zero, zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw SteeringError(.invalidValue, "invalid path: expected points at increasing times from 0")
    }
    device.move(.path(path))
  }

  /// Makes the RSSI of a device wander between two bounds, from its current value.
  ///
  /// ```swift
  /// try steering.walk("Thermo-1", SignalWalk(low: -90, high: -60))
  /// ```
  ///
  /// - Throws: ``SteeringError/Kind/invalidValue`` for invalid bounds, a step that is not 1 to 60
  ///   dB, or one of less than 100 ms.
  public func walk(_ name: String, _ walk: SignalWalk) throws(SteeringError) {
    let device = try device(name)
    try check(walk.low)
    try check(walk.high)
    guard walk.low < walk.high, (1...60).contains(walk.step), walk.every >= .milliseconds(100)
    else {
      throw SteeringError(
        .invalidValue,
        "invalid walk: expected low below high, steps of 1 to 60 dB, and 100 ms or more for each"
      )
    }
    device.move(.walk(walk))
  }

  /// Makes the RSSI of a device vary by this many dB to either side, 0 to 60.
  public func stray(_ name: String, by spread: Int) throws(SteeringError) {
    let device = try device(name)
    guard (0...60).contains(spread) else {
      throw SteeringError(.invalidValue, "invalid spread \(spread): expected 0 to 60 dB")
    }
    device.stray(by: spread)
  }

  /// Makes a device move, and its RSSI vary, as in its definition again, or as last advertised.
  public func moveAsDefined(_ name: String) throws(SteeringError) { try device(name).move(nil) }

  private func check(_ rssi: Int) throws(SteeringError) {
    guard (-127...20).contains(rssi) else {
      throw SteeringError(.invalidValue, "invalid RSSI \(rssi): expected -127 to 20 dBm")
    }
  }
}
