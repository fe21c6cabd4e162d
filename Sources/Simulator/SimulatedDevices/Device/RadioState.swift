// The RSSI of a device, and the resulting losses.
//
// Pure: no loop, no lock. SimulatedDevice+Radio.swift uses it.

import Signals

/// The RSSI of a device's advertisements and of its link, with their random variation.
///
/// No packet is lost at ``margin`` above the sensitivity or more, every packet at the sensitivity
/// or below; in between the chance changes linearly.
struct RadioState {
  /// The RSSI in dBm at which every packet is lost, in either direction.
  static let sensitivity = -100
  /// The range of partial losses above the sensitivity, in dB.
  static let margin = 10
  /// The interval of packets on a link, as Linux requests it.
  ///
  /// - Source: Linux 6.1, `net/bluetooth/hci_core.c` (hci_alloc_dev_priv: 30 ms).
  static let packetInterval = Duration.milliseconds(30)
  /// The time without any packet after which a link is lost (`hci_alloc_dev_priv`: 420 ms).
  static let supervisionTimeout = Duration.milliseconds(420)
  /// The number of packets in the supervision timeout.
  static let supervisedPackets = 14
  /// The number of lost packets after which a new connection is not established.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 6, Part B §4.5.2.
  static let establishingPackets = 6

  private(set) var advertisements: [AdvertisementDefinition]
  private let generator: SeededGenerator
  private var stray: SeededGenerator
  private var linkStray: SeededGenerator
  private var loss: SeededGenerator
  /// The movement of each advertisement's RSSI.
  private var movements: [SignalRun?]
  /// The movement that replaces the definition's; nil: the definition's applies.
  private var carried: SignalRun?
  private var moves = 0
  /// The RSSI spread that replaces the definition's; nil: the definition's applies.
  private var spread: Int?

  init(_ definition: DeviceDefinition, generator: SeededGenerator) {
    let all = definition.advertisements
    advertisements = all.isEmpty ? [definition.advertisement] : all
    self.generator = generator
    stray = generator.split("rssi")
    linkStray = generator.split("link rssi")
    loss = generator.split("lost packets")
    movements = advertisements.enumerated().map { number, advertised in
      advertised.movement.map { movement in
        SignalRun(
          movement, at: .zero, start: nil, generator: generator.split("movement \(number + 1)")
        )
      }
    }
  }

  // MARK: RSSI

  /// The RSSI of an advertisement in dBm, with random variation.
  mutating func rssi(_ number: Int, elapsed: Duration) -> Int {
    let strayed = Self.draw(spread ?? advertisements[number].rssiSpread, &stray)
    return Self.bounded(steady(number, elapsed: elapsed) + strayed)
  }

  /// The RSSI of the connection in dBm, with random variation.
  mutating func linkRSSI(elapsed: Duration) -> Int {
    let strayed = Self.draw(spread ?? advertisements[0].rssiSpread, &linkStray)
    return Self.bounded(steady(0, elapsed: elapsed) + strayed)
  }

  /// The RSSI without random variation.
  private mutating func steady(_ number: Int, elapsed: Duration) -> Int {
    carried?.rssi(elapsed: elapsed) ?? movements[number]?.rssi(elapsed: elapsed)
      ?? advertisements[number].rssi
  }

  private static func draw(_ spread: Int, _ generator: inout SeededGenerator) -> Int {
    let spread = max(0, spread)
    return Int.random(in: -spread...spread, using: &generator)
  }

  private static func bounded(_ rssi: Int) -> Int { min(20, max(-127, rssi)) }

  // MARK: Movement

  /// Starts a movement; nil: the movement of the definition applies again.
  mutating func move(_ movement: SignalMovement?, elapsed: Duration) {
    moves += 1
    let now = steady(0, elapsed: elapsed)
    carried = movement.map { movement in
      SignalRun(movement, at: elapsed, start: now, generator: generator.split("carried \(moves)"))
    }
    if movement == nil { spread = nil }
  }

  /// Changes the RSSI linearly to `rssi`, where it stays.
  mutating func move(to rssi: Int, within duration: Duration, elapsed: Duration) {
    let last = SignalPath.Point(at: max(.zero, duration), rssi: rssi)
    let first = SignalPath.Point(at: .zero, rssi: steady(0, elapsed: elapsed))
    move(.path(SignalPath(duration > .zero ? [first, last] : [last])), elapsed: elapsed)
  }

  /// Varies the RSSI by this many dB to either side.
  mutating func stray(by spread: Int) { self.spread = spread }

  // MARK: Advertisements

  /// Replaces the first advertisement. A new movement of its RSSI begins now.
  mutating func advertise(_ advertisement: AdvertisementDefinition, elapsed: Duration) {
    let before = advertisements[0].signal
    advertisements[0] = advertisement
    guard advertisement.signal != before else { return }
    moves += 1
    movements[0] = advertisement.movement.map { movement in
      SignalRun(movement, at: elapsed, start: nil, generator: generator.split("carried \(moves)"))
    }
  }

  // MARK: Losses

  /// True if the link can become weak: only then is it supervised.
  var canBeWeak: Bool { weakest < Self.sensitivity + Self.margin }

  /// Draws whether a packet of this RSSI is received.
  mutating func getsThrough(rssi: Int) -> Bool { !draw(chance(of: rssi)) }

  /// Draws whether a new connection is established.
  mutating func establishes(elapsed: Duration) -> Bool {
    guard canStray else { return true }
    let chance = chance(of: linkRSSI(elapsed: elapsed))
    return !draw(chance, in: Self.establishingPackets)
  }

  /// Draws whether one packet between host and device is received.
  mutating func reaches(elapsed: Duration) -> Bool {
    guard canStray else { return true }
    return !draw(chance(of: linkRSSI(elapsed: elapsed)))
  }

  /// Draws whether the link is lost in the supervision timeout that ends now.
  mutating func losesLink(elapsed: Duration) -> Bool {
    draw(chance(of: steady(0, elapsed: elapsed)), in: Self.supervisedPackets)
  }

  /// Draws the delay that retransmissions add to an operation.
  mutating func delay(elapsed: Duration) -> Duration {
    guard canBeWeak else { return .zero }
    let chance = chance(of: steady(0, elapsed: elapsed))
    var lost = 0
    while lost < Self.supervisedPackets, draw(chance) { lost += 1 }
    return Self.packetInterval * lost
  }

  /// True if random variation alone can make the link weak.
  private var canStray: Bool {
    weakest - max(0, spread ?? advertisements[0].rssiSpread) < Self.sensitivity + Self.margin
  }

  /// The minimum RSSI without random variation, in dBm.
  private var weakest: Int {
    let movement = carried?.movement ?? advertisements[0].movement
    return movement?.weakest ?? advertisements[0].rssi
  }

  /// The chance that a packet is lost.
  private func chance(of rssi: Int) -> Double {
    min(1, max(0, Double(Self.sensitivity + Self.margin - rssi) / Double(Self.margin)))
  }

  /// Draws whether an event happens `row` times in a row. Certain and impossible events draw
  /// nothing.
  private mutating func draw(_ chance: Double, in row: Int = 1) -> Bool {
    if chance <= 0 { return false }
    if chance >= 1 { return true }
    let all = (1..<row).reduce(chance) { product, _ in product * chance }
    return Double.random(in: 0..<1, using: &loss) < all
  }
}
