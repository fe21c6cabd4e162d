// How long things may take, and how many may wait.
//
// These bound single calls. A step's own deadline is carried down to its waits and strikes first
// when it is shorter.

/// The limits of the calls to bluetoothd.
public struct BlueZLimits: Sendable {
  /// Finding a device by discovery.
  public var find: Duration = .seconds(30)
  /// Device1.Connect; longer than the 40 s after which bluetoothd gives up by itself.
  public var connect: Duration = .seconds(45)
  /// From the answer to Connect until the services are resolved.
  public var resolve: Duration = .seconds(35)
  /// Device1.Disconnect until the link is seen to be down; longer than bluetoothd's 2 s timer.
  public var disconnect: Duration = .seconds(8)
  /// A read, a write or a subscription; longer than the 30 s of an ATT transaction.
  public var attribute: Duration = .seconds(35)
  /// Device1.Pair; longer than the 60 s that bluetoothd gives an agent.
  public var pair: Duration = .seconds(75)
  /// How long a pairing waits for others of this program to end.
  public var pairingTurn: Duration = .seconds(300)
  /// Any other call.
  public var call: Duration = .seconds(10)
  /// From the moment that nobody waits for the answer to StartDiscovery any more until it is taken
  /// to be lost.
  public var lateStart: Duration = .seconds(2)
  /// From the end of our own discovery until `Discovering` is seen to be false.
  public var discoveryEnd: Duration = .seconds(2)
  /// The same while another program discovers too: it stays true then.
  public var othersDiscoveryEnd: Duration = .milliseconds(300)
  /// From `ServicesResolved` until the objects of the services are there.
  public var objects: Duration = .seconds(1)
  /// How long a notified value is held back at most because it may be the echo of a read.
  public var echo: Duration = .milliseconds(100)
  /// From the end of an acquired socket until a loss of the link is known to be its cause, and
  /// from the closing of ours until bluetoothd has released the characteristic.
  public var release: Duration = .milliseconds(500)
  /// From the loss of a link, a device or an adapter until it is known what took it along: the
  /// adapter or bluetoothd may have gone.
  public var cause: Duration = .milliseconds(200)
  /// From the end of a link until a call about its attributes is known not to be answered any more.
  public var unanswered: Duration = .milliseconds(500)
  /// How long the exchange of the MTU is waited for while it still is 23 octets.
  public var mtuExchange: Duration = .milliseconds(500)
  /// How long a subscription that is to be resumed tries to, beside the caller's deadline.
  public var resume: Duration = .seconds(120)
  /// How many advertisements of a scan may wait to be taken.
  public var advertisements = 65_536
  /// How long another process may take to connect over the same adapter before this one gives up.
  public var turn: Duration = .seconds(60)
  /// How long a scan waits for another process to have connected before it begins regardless.
  public var scanTurn: Duration = .seconds(2)
  /// How often a scan looks whether another process connects over its adapter.
  public var scanWatch: Duration = .milliseconds(200)
  /// How long a scan pauses at most while another process has the turn; it goes on beside it then.
  public var scanYield: Duration = .seconds(10)
  /// How long an adapter may take from being switched on to being on.
  public var powerOn: Duration = .seconds(5)
  /// From a failed attempt to connect until the link is seen to be down.
  public var settle: Duration = .seconds(3)

  public init() {}
}
