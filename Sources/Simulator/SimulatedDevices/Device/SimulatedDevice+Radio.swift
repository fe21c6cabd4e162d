// The RSSI of a device, and its consequences.
//
// RadioState has the model; Simulators/README.md describes it for users.

import Signals

extension SimulatedDevice {
  /// The RSSI of the connection in dBm; drawn on each call.
  public func linkRSSI() -> Int { radio { $0.linkRSSI(elapsed: $1) } }

  /// Draws whether an advertisement of this RSSI is received.
  public func getsThrough(rssi: Int) -> Bool { radio { radio, _ in radio.getsThrough(rssi: rssi) } }

  /// Draws whether a connecting host receives an advertisement.
  public func reaches() -> Bool { radio { $0.reaches(elapsed: $1) } }

  /// Draws whether a connection made now is established.
  public func establishes() -> Bool { radio { $0.establishes(elapsed: $1) } }

  // MARK: Advertisements

  /// The current advertisement.
  ///
  /// - Parameter number: The index of the advertisement, from 0; beyond the last it is the first.
  public func advertised(_ number: Int = 0) -> AdvertisementDefinition {
    radio { radio, _ in
      radio.advertisements[radio.advertisements.indices.contains(number) ? number : 0]
    }
  }

  /// True if the device accepts connections now.
  public var isConnectable: Bool {
    radio { radio, _ in radio.advertisements.contains(where: \.isConnectable) }
  }

  /// Replaces the first advertisement from now on.
  ///
  /// A movement or a spread that replaces the definition's still applies, until ``move(_:)`` ends it.
  public func advertise(_ advertisement: AdvertisementDefinition) {
    radio { $0.advertise(advertisement, elapsed: $1) }
    watchLink()
  }

  // MARK: Movement

  /// Changes the RSSI linearly to `rssi`, in dBm, where it stays. The random variation of the
  /// definition still applies.
  ///
  /// - Parameters:
  /// - rssi: The final RSSI, in dBm.
  ///   - duration: The duration of the change.
  public func move(to rssi: Int, within duration: Duration = .zero) {
    radio { $0.move(to: rssi, within: duration, elapsed: $1) }
    watchLink()
  }

  /// Replaces the movement of the RSSI; nil: the movement of the definition applies again, as if it
  /// had never been replaced.
  ///
  /// - Parameter movement: The times of a path count from now. A walk without a start begins at the
  ///   current RSSI.
  public func move(_ movement: SignalMovement?) {
    radio { $0.move(movement, elapsed: $1) }
    watchLink()
  }

  /// Varies the RSSI by this many dB to either side, until the movement of the definition applies
  /// again.
  public func stray(by spread: Int) { radio { radio, _ in radio.stray(by: spread) } }
}
