// The RSSI that a device is received with, and its consequences.
//
// RadioState has the model; Simulators/README.md describes it for users.

import Signals

extension SimulatedDevice {
  /// The RSSI of the connection, in dBm; drawn anew each time.
  public func linkRSSI() -> Int { radio { $0.linkRSSI(elapsed: $1) } }

  /// Whether an advertisement with that RSSI is received; drawn anew each time.
  public func getsThrough(rssi: Int) -> Bool { radio { radio, _ in radio.getsThrough(rssi: rssi) } }

  /// Whether a host that wants to connect receives an advertisement; drawn anew each time.
  public func reaches() -> Bool { radio { $0.reaches(elapsed: $1) } }

  /// Whether a connection that is made now is established.
  public func establishes() -> Bool { radio { $0.establishes(elapsed: $1) } }

  // MARK: Advertisements

  /// What the device advertises now.
  ///
  /// - Parameter number: The index of the advertisement, from 0; beyond the last it is the first.
  public func advertised(_ number: Int = 0) -> AdvertisementDefinition {
    radio { radio, _ in
      radio.advertisements[radio.advertisements.indices.contains(number) ? number : 0]
    }
  }

  /// Whether it accepts connections now.
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

  /// Moves the device: its RSSI changes linearly to `rssi`, in dBm, and stays there. The random
  /// variation of its definition still applies.
  ///
  /// - Parameters:
  ///   - rssi: The strength at the end, in dBm.
  ///   - duration: How long the change takes, from now on.
  public func move(to rssi: Int, within duration: Duration = .zero) {
    radio { $0.move(to: rssi, within: duration, elapsed: $1) }
    watchLink()
  }

  /// Replaces the movement of the RSSI from now on; nil: the definition's, as if it had never been
  /// replaced.
  ///
  /// - Parameter movement: The times of a path count from now. A walk without a start begins at the
  ///   present RSSI.
  public func move(_ movement: SignalMovement?) {
    radio { $0.move(movement, elapsed: $1) }
    watchLink()
  }

  /// Has the RSSI vary by so many dB to either side, until the definition's movement applies
  /// again.
  public func stray(by spread: Int) { radio { radio, _ in radio.stray(by: spread) } }
}
