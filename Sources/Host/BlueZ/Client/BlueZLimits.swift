// How long operations may take, and how many items may be queued.
//
// These bound single calls. A step's own deadline also applies to its waits, and ends them first
// when it is shorter.

/// The limits of the calls to bluetoothd.
public struct BlueZLimits: Sendable {
  /// Discovery of a device.
  public var find: Duration = .seconds(30)
  /// The time from the start of a scan until the strongest of several matching devices is chosen,
  /// unless ``ConnectOptions/choice`` is set.
  public var choice: Duration = .seconds(1)
  /// Device1.Connect; longer than the 40 s after which bluetoothd itself gives up.
  public var connect: Duration = .seconds(45)
  /// The time from the reply to Connect until the services are resolved.
  public var resolve: Duration = .seconds(35)
  /// Device1.Disconnect until the connection is down; longer than bluetoothd's 2 s timer.
  public var disconnect: Duration = .seconds(8)
  /// A read, a write or a subscription; longer than the 30 s of an ATT transaction.
  public var attribute: Duration = .seconds(35)
  /// Device1.Pair; longer than the 60 s that bluetoothd allows an agent.
  public var pair: Duration = .seconds(75)
  /// How long a pairing waits for other pairings of this program to end.
  public var pairingTurn: Duration = .seconds(300)
  /// Any other call.
  public var call: Duration = .seconds(10)
  /// The time from the end of the wait for the reply to StartDiscovery until the reply counts as
  /// lost.
  public var lateStart: Duration = .seconds(2)
  /// The time from the end of this program's discovery until `Discovering` is false.
  public var discoveryEnd: Duration = .seconds(2)
  /// The limit for the end of our own discovery while another program discovers: `Discovering`
  /// stays true then.
  public var othersDiscoveryEnd: Duration = .milliseconds(300)
  /// The time from `ServicesResolved` until the objects of the services are exported.
  public var objects: Duration = .seconds(1)
  /// How long at most a notified value is held because it may be the echo of a read.
  public var echo: Duration = .milliseconds(100)
  /// The time from the end of an acquired socket until a lost connection is known to be the
  /// cause, and from closing our socket until bluetoothd has released the characteristic.
  public var release: Duration = .milliseconds(500)
  /// The time from the loss of a connection, a device or an adapter until its cause is known: the
  /// adapter or bluetoothd may have disappeared.
  public var cause: Duration = .milliseconds(200)
  /// The time from the end of a connection until a call about its attributes counts as unanswered.
  public var unanswered: Duration = .milliseconds(500)
  /// How long to wait for the MTU exchange while the MTU is still 23 octets.
  public var mtuExchange: Duration = .milliseconds(500)
  /// How long a subscription tries to resume, in addition to the caller's deadline.
  public var resume: Duration = .seconds(120)
  /// How many advertisements of a scan may be queued.
  public var advertisements = 65_536
  /// How long to wait while another process connects over the same adapter.
  public var turn: Duration = .seconds(60)
  /// How long to wait for another run on this host that uses the device.
  public var otherRun: Duration = .seconds(600)
  /// How often it is checked whether that run has ended.
  public var otherRunWatch: Duration = .milliseconds(50)
  /// How long a scan waits for another process to connect before it starts regardless.
  public var scanTurn: Duration = .seconds(2)
  /// How often a scan checks whether another process connects over its adapter.
  public var scanWatch: Duration = .milliseconds(200)
  /// How long at most a scan pauses while another process has the turn; then it resumes beside it.
  public var scanYield: Duration = .seconds(10)
  /// The time from the end of a connection until Connect is called for the same device.
  public var quiet: Duration = .milliseconds(100)
  /// The time from the end of our agent's registration until it is registered again.
  public var agentPause: Duration = .milliseconds(200)
  /// How long an adapter may take to power on.
  public var powerOn: Duration = .seconds(5)
  /// The time from a failed attempt to connect until the connection is down.
  public var settle: Duration = .seconds(3)

  /// The usual limits.
  ///
  /// ```swift
  /// var limits = BlueZLimits()
  /// limits.connect = .seconds(20)
  /// let client = try await BlueZClient.open(on: EventLoop(), limits: limits)
  /// ```
  public init() {}
}
