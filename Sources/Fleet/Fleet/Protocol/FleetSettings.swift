// How long everything takes, and how a gateway is chosen.

/// The durations of the protocol. All members of a fleet use the same lease and supervision.
public struct FleetSettings: Equatable, Sendable {
  /// How long a claim holds after the request that made or renewed it was sent.
  public var lease = Duration.seconds(15)
  /// How long after a renewal the next one is sent.
  public var renewEvery = Duration.seconds(5)
  /// How long before the end of its lease a gateway stops a chain, to disconnect in time.
  public var stopBefore = Duration.seconds(3)
  /// How long after the end of a lease the connection of its owner is down for sure.
  ///
  /// The supervision timeout of the connection, and a margin for clocks that run at different
  /// rates. What disconnects for a gateway that is stopped has to do it within this time.
  public var supervision = Duration.seconds(7)
  /// How often a gateway shows its guard that it runs.
  public var beatEvery = Duration.seconds(1)
  /// The deadline of each request to the store.
  public var requestLimit = Duration.seconds(2)
  /// How long after a request without a reply the state is read back.
  public var retryAfter = Duration.seconds(1)
  /// How often waiting jobs are announced, and entries that are not idle are read.
  public var announceEvery = Duration.seconds(10)
  /// How long the gateway with the lowest score waits before it tries to claim.
  public var bidWindow = Duration.milliseconds(500)
  /// How often a gateway reports what it observes.
  public var reportEvery = Duration.seconds(5)
  /// How often a gateway renews its entry, which the store keeps for 30 s.
  public var entryEvery = Duration.seconds(10)
  /// How long a sighting counts.
  public var sightingAge = Duration.seconds(15)
  /// How often somebody looks for jobs that nobody follows.
  public var sweepEvery = Duration.seconds(60)
  /// How many connections a gateway holds at a time.
  public var connections = 4
  /// Steps of the protocol that are left out, for tests that have to notice it.
  package var omitted: Set<Omission> = []

  /// The default durations.
  public init() {}

  /// How long an entry must not change, by the clock of the observer, before its claim is replaced.
  public var succession: Duration { lease + supervision }

  /// How long a gateway may be silent before its guard disconnects its devices, and how long that may
  /// take: together the supervision time.
  public var guardSilence: Duration { supervision - Self.disconnecting }
  private static let disconnecting = Duration.seconds(2)

  func omits(_ step: Omission) -> Bool { omitted.contains(step) }
}

/// A step of the protocol, each of which a promise needs.
package enum Omission: String, CaseIterable, Sendable {
  /// A gateway believes that its claim is renewed, and sends nothing.
  case renewal
  /// Operations begin whether or not the lease has ended, and nothing stops the chain before.
  case leaseCheck
  /// The lease counts from the reply of the store.
  case leaseFromSending
  /// An operation that is not idempotent begins before the mark is stored.
  case armedReply
  /// A successor runs a chain that was armed.
  case armedCheck
  /// A claim that was made late is used from then on.
  case lateClaimGivenUp
  /// A device is released before the end of its job is stored.
  case endBeforeRelease
  /// A successor replaces a claim as soon as it sees it.
  case successorWait
  /// A chain begins without a record of its start.
  case startRecord
  /// A follower asks nobody for the events that it missed.
  case eventRequest
}

/// What decides which gateway tries first to claim a job.
public struct Bid: Equatable, Sendable {
  /// The RSSI of the device, in dBm.
  public var rssi: Int
  /// How many more connections the gateway can hold.
  public var freeConnections: Int
  /// Whether the gateway is connecting to another device now, which delays this one.
  public var isConnecting = false
  /// How often connecting to this device failed at the gateway, in the last five minutes.
  public var recentFailures = 0
  /// Whether the job prefers this gateway.
  public var isPreferred = false

  /// A bid of an idle gateway.
  public init(rssi: Int, freeConnections: Int) {
    self.rssi = rssi
    self.freeConnections = freeConnections
  }

  /// From 0 to 1: the gateway with the greatest score waits the shortest time.
  ///
  /// 60 % RSSI, from −100 dBm (0) to −40 dBm (1); 40 % free connections, from none (0) to 4 (1).
  /// A connection in progress costs 20 %, each recent failure 15 %, at most 45 %. A preferred
  /// gateway has 1, whatever the rest.
  public var score: Double {
    if isPreferred { return 1 }
    let quality = min(max(Double(rssi + 100) / 60, 0), 1)
    let room = Double(min(max(freeConnections, 0), 4)) / 4
    let penalty = (isConnecting ? 0.2 : 0) + 0.15 * Double(min(recentFailures, 3))
    return min(max(0.6 * quality + 0.4 * room - penalty, 0), 1)
  }

  /// How long the gateway waits before it tries to claim.
  ///
  /// A gateway that is not preferred leaves the first half of the window to one that is.
  public func delay(window: Duration) -> Duration {
    isPreferred ? .zero : window / 2 + window * (1 - score) / 2
  }
}
