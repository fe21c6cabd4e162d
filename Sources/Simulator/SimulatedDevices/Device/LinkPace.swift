// The times at which the values of one side of a connection are on air.
//
// A pure value: it is asked with the time, and starts no timer.

public import Bluetooth
public import Signals

/// One side of a connection with a speed: it sends its packets in connection events.
public struct LinkPace: Sendable {
  private var speed: LinkSpeed
  /// The time of the connection event with number 0.
  private var begun: Instant
  /// The last connection event with a packet, and the number of packets in it.
  private var event = 0
  private var used = 0

  /// The most packets that wait at a device; it drops a notification that comes then.
  public static let mostWaiting = 64

  /// Begins with the connection.
  public init(_ speed: LinkSpeed, at now: Instant) {
    self.speed = speed
    begun = now
  }

  /// Adds a value to those that wait.
  ///
  /// - Parameter octets: The length of the value.
  /// - Returns: The time of the connection event with its last packet.
  public mutating func send(_ octets: Int, at now: Instant) -> Instant {
    let next = nextEvent(at: now)
    if next > event { (event, used) = (next, 0) }
    let packets = used + LinkSpeed.packets(forValue: octets)
    // A full event is followed by the next one only with a packet for it.
    event += (packets - 1) / speed.capacity
    used = (packets - 1) % speed.capacity + 1
    return begun + speed.interval * event
  }

  /// Changes the interval, from the last connection event with a packet on, or else from the next one.
  public mutating func change(_ interval: Duration, at now: Instant) {
    restart(at: now)
    speed.interval = interval
  }

  /// Changes the PHY, from the last connection event with a packet on, or else from the next one.
  public mutating func change(_ phy: PHY, at now: Instant) {
    restart(at: now)
    let before = speed.capacity
    speed.phy = phy
    // A full event stays full.
    used = (used * speed.capacity + before - 1) / before
  }

  /// Counts connection events from the last one with a packet, or else from the next one.
  private mutating func restart(at now: Instant) {
    let next = nextEvent(at: now)
    begun = begun + speed.interval * max(event, next)
    (event, used) = (0, event < next ? 0 : used)
  }

  /// Whether so many packets wait that a device has no buffer for another value.
  public func isFull(at now: Instant) -> Bool {
    let ahead = event - nextEvent(at: now)
    return ahead >= 0 && ahead * speed.capacity + used >= Self.mostWaiting
  }

  /// The first connection event at or after a time; the connection begins with number 0.
  private func nextEvent(at now: Instant) -> Int {
    let elapsed = now - begun
    let event = elapsed.periods(of: speed.interval)
    return speed.interval * event < elapsed ? event + 1 : event
  }
}
