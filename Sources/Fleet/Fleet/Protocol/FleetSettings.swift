// The durations of the protocol, and the score by which a gateway is chosen.
//
// Pure values. Nothing here waits.

/// The durations of the protocol. All members of a fleet must use the same lease and supervision.
public struct FleetSettings: Equatable, Sendable {
  /// The duration of a claim, from the sending (not the reply) of the request that made or renewed
  /// it.
  public var lease = Duration.seconds(15)
  /// The pause between renewals.
  public var renewEvery = Duration.seconds(5)
  /// The time before the end of its lease at which a gateway stops its chain, to disconnect in
  /// time.
  public var stopBefore = Duration.seconds(3)
  /// The time from the end of a lease until its owner's connection is certainly down.
  ///
  /// The supervision timeout of the connection, plus a margin for clocks that run at different
  /// rates. The guard of a stopped gateway must disconnect within this time.
  public var supervision = Duration.seconds(7)
  /// The interval at which a gateway signals its guard that it is running.
  public var beatEvery = Duration.seconds(1)
  /// The deadline of each request to the store.
  public var requestLimit = Duration.seconds(2)
  /// The pause before reading the state back after a request without a reply.
  public var retryAfter = Duration.seconds(1)
  /// The interval at which waiting jobs are announced, and entries with jobs are read.
  public var announceEvery = Duration.seconds(10)
  /// The time that the gateway with the lowest score waits before it tries to claim; see ``Bid``.
  public var bidWindow = Duration.milliseconds(500)
  /// The interval at which a gateway reports its sightings.
  public var reportEvery = Duration.seconds(5)
  /// The interval at which a gateway renews its entry, which the store keeps for 30 s.
  public var entryEvery = Duration.seconds(10)
  /// The time for which a sighting stays valid.
  public var sightingAge = Duration.seconds(15)
  /// The interval at which one gateway announces the jobs of all devices, for jobs whose submitter
  /// has ended.
  public var sweepEvery = Duration.seconds(60)
  /// The time after the limit in which a drained gateway tries to store the ends of its chains. The
  /// remaining ends are in its journal, and are stored after the next start.
  public var settleWithin = Duration.seconds(5)
  /// The most connections a gateway holds at a time.
  public var connections = 4
  /// Steps of the protocol to leave out; a test must then fail.
  package var omitted: Set<Omission> = []

  /// Creates the default settings.
  public init() {}

  /// The time for which an entry must stay unchanged, by the observer's clock, before its claim is
  /// replaced.
  public var succession: Duration { lease + supervision }

  /// The maximum silence of a gateway before its guard disconnects its devices. With the time to
  /// disconnect, this makes up the supervision time.
  public var guardSilence: Duration { supervision - Self.disconnecting }
  private static let disconnecting = Duration.seconds(2)

  func omits(_ step: Omission) -> Bool { omitted.contains(step) }
}

/// A fault in the protocol: a necessary step left out. Tests check that each one is detected.
package enum Omission: String, CaseIterable, Sendable {
  /// A gateway extends its lease without sending a renewal.
  case renewal
  /// Operations begin even after the lease has ended, and the chain is not stopped before.
  case leaseCheck
  /// The lease counts from the store's reply instead of the sending of the request.
  case leaseFromSending
  /// An operation that is not idempotent begins before the armed mark is stored.
  case armedReply
  /// A successor runs a chain that was already armed.
  case armedCheck
  /// A claim that the store applied late is used instead of given up.
  case lateClaimGivenUp
  /// A device is released before the end of its job is stored.
  case endBeforeRelease
  /// A successor replaces another member's claim as soon as it sees it.
  case successorWait
  /// A chain begins without a record of its start.
  case startRecord
  /// A submitter queues the jobs of an emptied store again as if no gateway had begun them.
  case lostMark
  /// An operation begins before its journal entry is on the disk.
  case journalWait
  /// A follower does not request missing events.
  case eventRequest
}

/// A gateway's suitability for a job; the better the bid, the earlier it tries to claim.
public struct Bid: Equatable, Sendable {
  /// The RSSI of the device, in dBm.
  public var rssi: Int
  /// The number of further connections the gateway can hold.
  public var freeConnections: Int
  /// Whether the gateway is connecting to another device, which would delay this job.
  public var isConnecting = false
  /// The number of this gateway's failed connects to this device in the last five minutes.
  public var recentFailures = 0
  /// Whether the job prefers this gateway.
  public var isPreferred = false

  /// The number of failed connects above which the score does not change.
  static let mostFailures = 3
  /// The time for which a failed connect counts.
  static let failureAge = Duration.seconds(300)

  /// Creates the bid of an idle gateway.
  public init(rssi: Int, freeConnections: Int) {
    self.rssi = rssi
    self.freeConnections = freeConnections
  }

  /// The score, from 0 to 1. The gateway with the greatest score waits the shortest time.
  ///
  /// 60 % RSSI, from −100 dBm (0) to −40 dBm (1); 40 % free connections, from none (0) to 4 (1).
  /// A connection in progress costs 20 %, each recent failure 15 %, at most 45 %. A preferred
  /// gateway always has 1.
  public var score: Double {
    if isPreferred { return 1 }
    let quality = min(max(Double(rssi + 100) / 60, 0), 1)
    let room = Double(min(max(freeConnections, 0), 4)) / 4
    let penalty = (isConnecting ? 0.2 : 0) + 0.15 * Double(min(recentFailures, Self.mostFailures))
    return min(max(0.6 * quality + 0.4 * room - penalty, 0), 1)
  }

  /// The time that the gateway waits before it tries to claim.
  ///
  /// A preferred gateway does not wait; all others wait at least half of the window.
  public func delay(window: Duration) -> Duration {
    isPreferred ? .zero : window / 2 + window * (1 - score) / 2
  }
}
