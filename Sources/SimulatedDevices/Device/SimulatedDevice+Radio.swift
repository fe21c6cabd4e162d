// How strongly a device is received, and what comes of it.
//
// The model is RadioState's; Simulators/README.md tells it to users.

import Signals

extension SimulatedDevice {
  /// The strength in dBm with which the device is received on a link; drawn anew each time.
  public func linkRSSI() -> Int { radio { $0.linkRSSI(elapsed: $1) } }

  /// Whether an advertisement of that strength gets through; drawn anew each time.
  public func getsThrough(rssi: Int) -> Bool { radio { radio, _ in radio.getsThrough(rssi: rssi) } }

  /// Whether an advertisement is heard by a host that wants to connect; drawn anew each time.
  public func reaches() -> Bool { radio { $0.reaches(elapsed: $1) } }

  /// Whether a link that is made now stands, rather than failing to be established.
  public func establishes() -> Bool { radio { $0.establishes(elapsed: $1) } }

  // MARK: Carrying about

  /// Carries the device about: the strength with which it is heard changes evenly to `rssi`, in
  /// dBm, and stays there. It still strays as its definition says.
  ///
  /// - Parameter duration: How long that takes, from now on.
  public func move(to rssi: Int, within duration: Duration = .zero) {
    radio { $0.move(to: rssi, within: duration, elapsed: $1) }
    watchLink()
  }

  /// Has the strength move in another way from now on; nil: as the definition says, as if it had
  /// never moved in another way.
  ///
  /// - Parameter movement: Of a path, the times count from now. A walk without a start begins where
  ///   the strength is.
  public func move(_ movement: SignalMovement?) {
    radio { $0.move(movement, elapsed: $1) }
    watchLink()
  }

  /// Has the strength stray so many dB to either side, until the device moves as its definition
  /// says again.
  public func stray(by spread: Int) { radio { radio, _ in radio.stray(by: spread) } }
}
