// The members of a simulated fleet and its disturbances, drawn from a seed.
//
// Values only: FleetRun plays them.

import Bluetooth
import Fleet
import Signals

struct FleetWorld: Sendable {
  /// A job and its submission time.
  struct JobDraft: Sendable {
    var job: FleetJob
    /// Operations after the connect: `r` is idempotent, `w` is not, `.` waits.
    var operations: String
    let submitter: Int
    var at: Duration
    let cancelledAfter: Duration?
    /// The name to submit the job for; nil: the address of the device.
    var name: String?
  }

  enum Disturbance: Sendable {
    /// The process is killed, then restarted with its journal.
    case kill(Int, downFor: Duration)
    /// The host loses its power: what was not synchronized to its disk may be lost.
    case losePower(Int, downFor: Duration)
    /// The process gets SIGSTOP and later SIGCONT; its guard keeps running.
    case pauseProcess(Int, for: Duration)
    /// The whole host stops, its guard included; its controller keeps the connections.
    case pauseHost(Int, for: Duration)
    case cut(Int, MemoryStore.Direction, for: Duration)
    /// The gateway receives nothing for a while, and after that sends nothing for a while.
    case cutInTurn(Int, receiving: Duration, sending: Duration)
    case cutSubmitter(Int, MemoryStore.Direction, for: Duration)
    case killSubmitter(Int)
    case restartStore(downFor: Duration)
    /// The store is down, and has lost everything when it is started again.
    case emptyStore(downFor: Duration)
    /// The disk of a gateway's journal is full.
    case fillDisk(Int, for: Duration)
    /// The wall clock of a host is set forward.
    case setWallClock(Int, forwardBy: Duration)
    /// A device moves out of range of some gateways and into range of others.
    case move(device: Int, to: [Int])
    case drain(Int)

    /// The time until the affected parts work again.
    var lasts: Duration {
      switch self {
      case .kill(_, let time), .losePower(_, let time), .pauseProcess(_, let time),
        .pauseHost(_, let time),
        .cut(_, _, let time), .cutSubmitter(_, _, let time), .restartStore(let time),
        .emptyStore(let time), .fillDisk(_, let time):
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
  /// Clock rates: of each gateway, then of each submitter.
  var rates: [Double]
  var submitters: Int
  /// Each gateway's entry: versions, capabilities, bonds.
  var entries: [GatewayEntry]
  /// Advertised name of each device, and whether its address is an identity address.
  var names: [(name: String, isIdentity: Bool)]
  /// Factor by which operations are slower than usual, so that chains can outlast a lease.
  var slowness = 1
  /// The gateways in range of each device.
  var ranges: [[Int]]
  var jobs: [JobDraft] = []
  var disturbances: [(at: Duration, what: Disturbance)] = []
  /// When all disturbances end.
  var healsAt: Duration

  static func address(_ device: Int) -> BluetoothAddress {
    BluetoothAddress(number: 0xc0ff_ee00_0000 + UInt64(device))
  }

  /// The kind of a world, chosen by its seed.
  enum Theme {
    /// No disturbances.
    case calm
    /// All kinds of disturbances.
    case mixed
    /// All kinds of disturbances, with dozens of gateways and a hundred devices or more.
    case large
    /// Disturbances at the end of leases.
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
      // Some devices share a name; some have a changing address.
      let name = draw.number(0...9) == 0 ? "twin" : "device-\(number)"
      return (name, draw.number(0...9) != 0)
    }
    entries = (0..<count).map { _ in
      var entry = GatewayEntry()
      // Some gateways are older than the submitters.
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
    // A short timeout leaves no margin for errors of the lease.
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

  /// The advertised name of a device.
  func advertised(by address: BluetoothAddress) -> (name: String, isIdentity: Bool) {
    names[Int(address.number - Self.address(0).number)]
  }

  /// The gateway that has a bond with a device.
  func bonded(_ address: BluetoothAddress) -> Int? {
    entries.firstIndex { $0.bonds.contains(address) }
  }

  /// When the last disturbance has ended and the last job was submitted.
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

  private mutating func drawJobs(_ devices: Int, isLarge: Bool, _ draw: inout SeededGenerator) {
    let count = isLarge ? devices : draw.number(2...8)
    for number in 0..<count {
      let device = isLarge ? number : draw.number(0...devices - 1)
      let submitter = draw.number(0...submitters - 1)
      guard let id = JobID("job-\(number)") else { continue }
      let deadline = Duration.seconds(draw.number(20...200))
      let length = draw.number(1...5)
      let operations = (0..<length).map { _ in draw.number(0...2) == 0 ? "r" : "w" }.joined()
      var job = FleetJob(
        id: id, device: Self.address(device), chain: StoreKey.chain(of: operations).name,
        submitter: "submitter-\(submitter)", deadline: deadline
      )
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
      // The store is unreachable for an hour, in addition to the other disturbances.
      let at = Duration.seconds(draw.number(2...30))
      disturbances.append((at, .restartStore(downFor: .seconds(3600))))
      healsAt += .seconds(3600)
    }
    drawEmptiedStore()
    drawPowerLoss()
  }

  /// Draws a loss of power while a chain runs, in addition to the other disturbances.
  private mutating func drawPowerLoss() {
    guard seed % 20 == Self.powerLosses, !jobs.isEmpty else { return }
    // Numbers of its own, so that the other worlds stay as they are.
    var draw = SeededGenerator(seed: seed, name: "loss of power")
    for _ in 0..<draw.number(1...3) {
      let at = jobs[draw.number(0...jobs.count - 1)].at + .milliseconds(draw.number(500...8000))
      let gateway = draw.number(0...gateways - 1)
      disturbances.append((at, .losePower(gateway, downFor: .seconds(draw.number(8...40)))))
    }
  }

  /// Draws a single loss of all entries of the store, in addition to the other disturbances.
  private mutating func drawEmptiedStore() {
    guard seed % 20 == Self.emptiedStores else { return }
    // Numbers of its own, so that the other worlds stay as they are.
    var draw = SeededGenerator(seed: seed, name: "emptied store")
    // While a chain runs, and some of the gateways that know what it has done are away.
    let begun = jobs.isEmpty ? .seconds(20) : jobs[draw.number(0...jobs.count - 1)].at
    let at = begun + .milliseconds(draw.number(1000...8000))
    disturbances.append((at, .emptyStore(downFor: .milliseconds(draw.number(200...9000)))))
    for gateway in 0..<gateways where draw.number(0...1) == 0 {
      disturbances.append((at, .kill(gateway, downFor: .seconds(draw.number(20...60)))))
    }
  }

  /// Whether a submitter is killed.
  func kills(submitter number: Int) -> Bool {
    disturbances.contains { if case .killSubmitter(number) = $0.what { true } else { false } }
  }

  /// Whether the store loses everything.
  var hasEmptiedStore: Bool {
    disturbances.contains { if case .emptyStore = $0.what { true } else { false } }
  }

  /// Worlds whose seed has this remainder have a store that is emptied.
  private static let emptiedStores: UInt64 = 6
  /// Worlds whose seed has this remainder have hosts that lose their power.
  private static let powerLosses: UInt64 = 13
  /// One in this many worlds has an hour without the store.
  private static let longOutageEach: UInt64 = 100
}

extension SeededGenerator {
  /// Draws a number from a range.
  mutating func number(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
  }
}

// MARK: - The end of a lease
//
// Chains wait for about a lease, disturbances hit the gateway that runs them, and networks are as slow
// as renewals. Other worlds rarely begin an operation so close to the end of a lease.

extension FleetWorld {
  private mutating func drawLeases(_ draw: inout SeededGenerator) {
    // Every gateway is in range, so there is always a successor.
    ranges = ranges.map { _ in Array(0..<gateways) }
    for index in entries.indices { entries[index].bonds = [] }
    settings.supervision = .milliseconds([700, 2000][draw.number(0...1)])
    slowness = draw.number(1...3)
    healsAt = .seconds(draw.number(60...90))
    faults.latency = .milliseconds([20, 300, 900][draw.number(0...2)])
    faults.lateRequests = draw.number(0...1) * draw.number(100...400)
    faults.lateness = settings.lease
    faults.lostReplies = draw.number(0...1) * draw.number(50...250)
    faults.staleReads = draw.number(0...1) * draw.number(50...300)
    drawJobs(ranges.count, isLarge: false, &draw)
    for index in jobs.indices {
      let gateway = draw.number(0...gateways - 1)
      jobs[index].drawChain(preferring: "gateway-\(gateway)", &draw)
      for _ in 0..<draw.number(1...2) {
        let later = Duration.milliseconds(draw.number(0...12_000))
        disturbances.append((jobs[index].at + later, aimed(at: gateway, &draw)))
      }
    }
  }

  private func aimed(at gateway: Int, _ draw: inout SeededGenerator) -> Disturbance {
    func leases(_ tenths: ClosedRange<Int>) -> Duration {
      settings.lease * draw.number(tenths) / 10
    }
    return switch draw.number(0...7) {
    case 0, 1: .pauseHost(gateway, for: leases(3...25))
    case 2: .pauseProcess(gateway, for: leases(3...25))
    case 3, 4: .cutInTurn(gateway, receiving: leases(3...9), sending: leases(10...20))
    case 5: .cut(gateway, .sending, for: leases(10...25))
    case 6: .cut(gateway, .receiving, for: leases(5...25))
    default: .kill(gateway, downFor: leases(1...20))
    }
  }
}

extension FleetWorld.JobDraft {
  /// Draws a chain whose waits add up to a few leases.
  fileprivate mutating func drawChain(preferring gateway: String, _ draw: inout SeededGenerator) {
    let kinds = ["r", "w", ".", "."]
    operations = (0..<draw.number(3...8)).map { _ in kinds[draw.number(0...3)] }.joined() + "rw"
    job.values = ["operations": operations]
    job.chain = StoreKey.chain(of: operations).name
    job.prefer = gateway
    job.pin = nil
    job.needs = []
    job.format = 1
    name = nil
    at = .milliseconds(draw.number(0...15_000))
  }
}
