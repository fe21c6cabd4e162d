// Devices carried about while the simulation runs: how strongly they are heard.

public import SimulatedDevices

extension Steering {
  /// Carries a device about: its strength changes evenly to `rssi`, in dBm from -127 to 20.
  public func move(
    _ name: String,
    to rssi: Int,
    within duration: Duration = .zero
  ) throws(SteeringError) {
    let device = try device(name)
    try check(rssi)
    device.move(to: rssi, within: duration)
  }

  /// Carries a device along a path, whose times count from now.
  ///
  /// - Throws: ``SteeringError/Kind/invalidValue`` for a path without points, or whose times do not
  ///   rise from 0.
  public func move(_ name: String, along path: SignalPath) throws(SteeringError) {
    let device = try device(name)
    for point in path.points { try check(point.rssi) }
    let times = path.points.map(\.time)
    guard times.first == .zero, zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw SteeringError(.invalidValue, "this is no path: expected points at rising times from 0")
    }
    device.move(.path(path))
  }

  /// Has the strength of a device wander between two bounds, from where it is.
  ///
  /// - Throws: ``SteeringError/Kind/invalidValue`` for bounds that are none, a step that is not 1 to
  ///   60 dB, or one of less than 100 ms.
  public func walk(_ name: String, _ walk: SignalWalk) throws(SteeringError) {
    let device = try device(name)
    try check(walk.low)
    try check(walk.high)
    guard walk.low < walk.high, (1...60).contains(walk.step), walk.every >= .milliseconds(100)
    else {
      throw SteeringError(
        .invalidValue,
        "this is no walk: expected low below high, steps of 1 to 60 dB, and 100 ms or more for each"
      )
    }
    device.move(.walk(walk))
  }

  /// Has the strength of a device stray by so many dB to either side, 0 to 60.
  public func stray(_ name: String, by spread: Int) throws(SteeringError) {
    let device = try device(name)
    guard (0...60).contains(spread) else {
      throw SteeringError(.invalidValue, "\(spread) is no spread: expected 0 to 60 dB")
    }
    device.stray(by: spread)
  }

  /// Has a device move, and its strength stray, as its definition says again.
  public func moveAsDefined(_ name: String) throws(SteeringError) { try device(name).move(nil) }

  private func check(_ rssi: Int) throws(SteeringError) {
    guard (-127...20).contains(rssi) else {
      throw SteeringError(.invalidValue, "\(rssi) is no strength: expected -127 to 20 dBm")
    }
  }
}
