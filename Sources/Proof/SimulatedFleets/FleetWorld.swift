// What a simulated fleet consists of and what goes wrong in it, drawn from a seed.
//
// Values only: a world is played by FleetRun.

import Bluetooth
import Fleet
import Signals

/// A fleet before it is played.
struct FleetWorld: Sendable {
  /// A job, and when it is submitted.
  struct JobDraft: Sendable {
    var job: FleetJob
    /// What its chain does after the connect: `r` is an idempotent operation, `w` another one, `.` a wait.
    var operations: String
    let submitter: Int
    var at: Duration
    let cancelledAfter: Duration?
    /// The name that stands for the device, if one does.
    var name: String?
  }

  enum Disturbance: Sendable {
    /// The process is killed, and started again with its journal.
    case kill(Int, downFor: Duration)
    /// SIGSTOP and SIGCONT of the process; its guard runs.
    case pauseProcess(Int, for: Duration)
    /// The whole host is stopped, its guard included; the radio keeps its connections.
    case pauseHost(Int, for: Duration)
    case cut(Int, MemoryStore.Direction, for: Duration)
    /// Nothing is received for a while; from the moment on that it is again, nothing is sent.
    case cutInTurn(Int, receiving: Duration, sending: Duration)
    case cutSubmitter(Int, MemoryStore.Direction, for: Duration)
    case killSubmitter(Int)
    case restartStore(downFor: Duration)
    /// The journal of a gateway has no space left.
    case fillDisk(Int, for: Duration)
    /// The wall clock of a host is set.
    case setWallClock(Int, forwardBy: Duration)
    /// A device leaves the range of a gateway, for that of another.
    case move(device: Int, to: [Int])
    case drain(Int)

    /// How long it takes until what was affected works again.
    var lasts: Duration {
      switch self {
      case .kill(_, let time), .pauseProcess(_, let time), .pauseHost(_, let time),
        .cut(_, _, let time), .cutSubmitter(_, _, let time), .restartStore(let time),
        .fillDisk(_, let time):
        time
      case .cutInTurn(_, let receiving, let sending): receiving + sending
      case .killSubmitter, .move, .setWallClock: .zero
      case .drain: SimulatedGateway.maintenance
      }
    }
  }

  let seed: UInt64
  var settings = FleetSettings()
  var faults = StoreFaults.none
  var gateways: Int
  /// How fast the clock of each gateway and then of each submitter runs.
  var rates: [Double]
  var submitters: Int
  /// What each gateway reports of itself: versions, capabilities, bonds.
  var entries: [GatewayEntry]
  /// What the devices advertise: a name, from an identity address or a private one.
  var names: [(name: String, isIdentity: Bool)]
  /// How many times longer than usual operations take: chains of slow devices outlast a lease.
  var slowness = 1
  /// Which gateways each device is in range of.
  var ranges: [[Int]]
  var jobs: [JobDraft] = []
  var disturbances: [(at: Duration, what: Disturbance)] = []
  /// When everything is healed.
  var healsAt: Duration

  static func address(_ device: Int) -> BluetoothAddress {
    BluetoothAddress(number: 0xc0ff_ee00_0000 + UInt64(device))
  }

  /// What a world is about.
  enum Theme {
    /// Nothing goes wrong.
    case calm
    /// Anything may go wrong.
    case mixed
    /// The same, with tens of gateways and a hundred devices and more.
    case large
    /// What goes wrong is aimed at the ends of leases.
    case lease

    init(of seed: UInt64) {
      if seed % 1000 == 999 {
        self = .large
      } else if seed % 8 == 0 {
        self = .calm
      } else {
        self = seed % 4 == 3 ? .lease : .mixed
      }
    }
  }

  init(seed: UInt64) {
    self.seed = seed
    var draw = SeededGenerator(seed: seed, name: "fleet world")
    let theme = Theme(of: seed)
    let isLarge = theme == .large
    gateways = isLarge ? draw.number(20...25) : draw.number(2...5)
    let devices = isLarge ? draw.number(100...130) : draw.number(1...5)
    submitters = draw.number(1...2)
    rates = (0..<gateways + submitters).map { _ in 1 + Double(draw.number(-5...5)) / 1000 }
    let count = gateways
    ranges = (0..<devices).map { _ in Self.range(of: count, &draw) }
    names = (0..<devices).map { number in
      // Some devices share a name, some change their address.
      let name = draw.number(0...9) == 0 ? "twin" : "device-\(number)"
      return (name, draw.number(0...9) != 0)
    }
    entries = (0..<count).map { _ in
      var entry = GatewayEntry()
      // Some are older than the submitters.
      entry.format = draw.number(0...7) == 0 ? 1 : 2
      if draw.number(0...1) == 0 { entry.capabilities = ["indoor"] }
      return entry
    }
    for device in 0..<devices where draw.number(0...7) == 0 {
      let bonded = ranges[device].first ?? 0
      entries[bonded].bonds.append(Self.address(device))
    }
    healsAt = .seconds(draw.number(40...100))
    settings.sweepEvery = .seconds(30)
    settings.sightingAge = .seconds(60)
    settings.connections = draw.number(1...4)
    // A short one leaves no room for mistakes of the lease.
    settings.supervision = .milliseconds([700, 2000, 7000][draw.number(0...2)])
    settings.lease = .seconds([6, 10, 15][draw.number(0...2)])
    settings.renewEvery = settings.lease / 3
    settings.stopBefore = settings.lease / 5
    if draw.number(0...2) == 0 { slowness = draw.number(5...20) }
    switch theme {
    case .calm:
      drawJobs(devices, isLarge: false, &draw)
    case .mixed, .large:
      drawFaults(&draw)
      drawJobs(devices, isLarge: isLarge, &draw)
      drawDisturbances(devices, &draw)
    case .lease:
      drawLeases(&draw)
    }
  }

  /// What a device advertises.
  func advertised(by address: BluetoothAddress) -> (name: String, isIdentity: Bool) {
    names[Int(address.number - Self.address(0).number)]
  }

  /// The gateway with the bond of a device.
  func bonded(_ address: BluetoothAddress) -> Int? {
    entries.firstIndex { $0.bonds.contains(address) }
  }

  /// When the last of the disturbances is over, and the last job submitted.
  var quietAt: Duration {
    let ends =
      disturbances.map { $0.at + $0.what.lasts } + jobs.map { $0.at + ($0.cancelledAfter ?? .zero) }
    return max(healsAt, ends.max() ?? .zero)
  }

  private static func range(of gateways: Int, _ draw: inout SeededGenerator) -> [Int] {
    let first = draw.number(0...gateways - 1)
    let more = (0..<draw.number(0...2)).map { _ in draw.number(0...gateways - 1) }
    return Array(Set([first] + more)).sorted()
  }

  private mutating func drawFaults(_ draw: inout SeededGenerator) {
    faults.latency = .milliseconds(draw.number(1...50))
    faults.staleReads = draw.number(0...1) * draw.number(0...200)
    faults.lostReplies = draw.number(0...1) * draw.number(0...60)
    faults.lostRequests = draw.number(0...1) * draw.number(0...60)
    faults.lateRequests = draw.number(0...1) * draw.number(0...60)
    faults.lateness = .milliseconds(draw.number(1000...8000))
    faults.lostDeliveries = draw.number(0...1) * draw.number(0...300)
    faults.repeatedDeliveries = draw.number(0...100)
    faults.lateDeliveries = draw.number(0...100)
  }

  mutating func drawJobs(_ devices: Int, isLarge: Bool, _ draw: inout SeededGenerator) {
    let count = isLarge ? devices : draw.number(2...8)
    for number in 0..<count {
      let device = isLarge ? number : draw.number(0...devices - 1)
      let submitter = draw.number(0...submitters - 1)
      guard let id = JobID("job-\(number)") else { continue }
      var job = FleetJob(
        id: id, device: Self.address(device), chain: String(repeating: "0", count: 64),
        submitter: "submitter-\(submitter)", deadline: .seconds(draw.number(20...200))
      )
      let length = draw.number(1...5)
      let operations = (0..<length).map { _ in draw.number(0...2) == 0 ? "r" : "w" }.joined()
      job.values = ["operations": operations]
      if draw.number(0...9) == 0 { job.rerun = .idempotent }
      if draw.number(0...9) == 0 { job.pin = "gateway-\(draw.number(0...gateways - 1))" }
      if draw.number(0...4) == 0 { job.prefer = "gateway-\(draw.number(0...gateways - 1))" }
      if draw.number(0...9) == 0 {
        job.needs = [["nothing-has-this", "indoor"][draw.number(0...1)]]
      }
      if draw.number(0...9) == 0 { job.format = 2 }
      let isNamed = draw.number(0...5) == 0
      jobs.append(
        JobDraft(
          job: job, operations: operations, submitter: submitter,
          at: .milliseconds(draw.number(4000...40_000)),
          cancelledAfter: draw.number(0...7) == 0 ? .milliseconds(draw.number(0...20_000)) : nil,
          name: isNamed ? names[device].name : nil
        )
      )
    }
  }

  private mutating func drawDisturbances(_ devices: Int, _ draw: inout SeededGenerator) {
    let count = draw.number(1...4) + (gateways > 10 ? 20 : 0)
    let last = Int(healsAt.components.seconds) * 1000 - 1000
    for _ in 0..<count {
      let at = Duration.milliseconds(draw.number(2000...last))
      let gateway = draw.number(0...gateways - 1)
      let time = Duration.milliseconds(draw.number(500...40_000))
      let direction = MemoryStore.Direction.allCases[draw.number(0...1)]
      let what: Disturbance =
        switch draw.number(0...14) {
        case 0, 1, 2: .kill(gateway, downFor: time)
        case 3: .pauseProcess(gateway, for: time)
        case 4, 5, 6: .pauseHost(gateway, for: time)
        case 7, 8: .cut(gateway, direction, for: time)
        case 9: .restartStore(downFor: time)
        case 10:
          .move(device: draw.number(0...devices - 1), to: Self.range(of: gateways, &draw))
        case 11: .fillDisk(gateway, for: time)
        case 12: .setWallClock(gateway, forwardBy: .seconds(draw.number(-7200...7200)))
        case 13: .cutSubmitter(draw.number(0...submitters - 1), direction, for: time)
        default:
          draw.number(0...1) == 0
            ? .drain(gateway) : .killSubmitter(draw.number(0...submitters - 1))
        }
      disturbances.append((at, what))
    }
    if seed % Self.longOutageEach == 5 {
      // The store is away for an hour, whatever else goes on.
      let at = Duration.seconds(draw.number(2...30))
      disturbances.append((at, .restartStore(downFor: .seconds(3600))))
      healsAt += .seconds(3600)
    }
  }

  /// In one world of so many the store is away for an hour.
  private static let longOutageEach: UInt64 = 100
}

extension SeededGenerator {
  /// A number within bounds.
  mutating func number(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
  }
}
