// One run of a world on one bus and one virtual loop, from the start until no events remain.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Plays a world.
///
/// It does not use `BLETesting`: several programs join and leave a bus whose messages it delays and
/// changes, and it kills and restarts bluetoothd itself.
final class WorldRun: Sendable {
  /// A program on the bus.
  struct Program: Sendable {
    let bus: MessageBus
    let client: BlueZClient
    let scheduler: SerialScheduler
    /// One service per device.
    let services: [BlueZDevice]
  }

  /// The limit for the run to settle after the healing: the longest chain with its clean-ups.
  static let settlingTime = Duration.seconds(300)

  let world: World
  let loop: VirtualTimeLoop
  let observer: Observer
  let bus: LoopbackBus
  let devices: [SimulatedDevice]
  /// The bluetoothd that was started last; it may have ended.
  private struct Daemon: Sendable {
    let simulator: BlueZSimulator
    let bus: MessageBus
    var isRunning = true
  }

  /// Refers to the run from the bus observer, which is created first.
  private struct Follower: Sendable {
    weak var run: WorldRun?
  }

  private let daemon: Guarded<Daemon>
  private let programs = Guarded<[Program]>([])
  private let treatments = Guarded(CallTreatments())
  private let trigger: Guarded<StallTrigger>
  private let oversize: Guarded<Oversize?>

  init(_ world: World, isRecording: Bool) throws {
    self.world = world
    loop = VirtualTimeLoop(eventLimit: 5_000_000)
    let observer = Observer(world, on: loop, isRecording: isRecording)
    self.observer = observer
    trigger = Guarded(StallTrigger(world.stall))
    let oversize = Guarded<Oversize?>(nil)
    self.oversize = oversize
    let follower = Guarded(Follower())
    bus = LoopbackBus(
      on: loop, address: "loopback",
      observer: { message, _ in
        observer.record(.message(message))
        follower.withLock { $0 }.run?.sent(by: message.sender)
      },
      batches: world.batches,
      transcode: { message in try oversize.withLock { try $0?.changed(message) } ?? message }
    )
    let generator = SeededGenerator(seed: world.seed, name: "device")
    devices = world.devices.enumerated().map { [loop] number, definition in
      SimulatedDevice(definition, on: loop, generator: generator.split("\(number)"))
    }
    let connection = try bus.connect()
    let simulator = BlueZSimulator(
      bus: connection, devices: devices, settings: world.settings
    ) { event, _ in observer.record(.device(event)) }
    daemon = Guarded(Daemon(simulator: simulator, bus: connection))
    treatCalls(of: simulator)
    follower.withLock { $0.run = self }
  }

  var simulator: BlueZSimulator { daemon.withLock { $0.simulator } }

  // MARK: The course of a run

  func play() throws {
    try loop.run { [simulator] in try await simulator.start() }
    var programs: [Program] = []
    for index in world.programs.indices { programs.append(try join(index)) }
    self.programs.withLock { $0 = programs }
    for (number, chains) in world.programs.map(\.chains).enumerated() {
      for (index, plan) in chains.enumerated() {
        let run = run(ChainID(program: number, number: index), plan, programs[number])
        loop.after(plan.start) { run.start() }
      }
    }
    for timed in world.disturbances {
      loop.after(timed.at) { [self] in perform(timed.disturbance) }
    }
    let end = loop.now + world.healsAt
    try run(until: end)
    heal()
    try runUntilIdle()
    // A fault that began before the healing may have taken effect after it.
    recover()
    try runUntilIdle()
    try plainChains(programs[0])
    try runUntilIdle()
    observer.finish()
    close(programs)
  }

  private func join(_ index: Int) throws -> Program {
    if index == 0 { stall(trigger.withLock { $0.joins(as: nil) }) }
    let connection = try bus.connect()
    observer.record(.joined(program: index, name: connection.uniqueName))
    if index == 0 { stall(trigger.withLock { $0.joins(as: connection.uniqueName) }) }
    let client = try open(connection)
    let scheduler = SerialScheduler(on: loop)
    let services = world.devices.map {
      BlueZDevice(client: client, target: .address($0.address), scheduler: scheduler)
    }
    return Program(bus: connection, client: client, scheduler: scheduler, services: services)
  }

  /// Starts the client of a program. On a stalled bus the start may fail, within the deadline of
  /// its calls and with an error that names it; then it is retried on a bus that does not stall.
  private func open(_ connection: MessageBus) throws -> BlueZClient {
    let began = loop.now
    do {
      return try loop.run { try await BlueZClient.open(bus: connection) }
    } catch let failure as DeviceFailure where trigger.withLock({ $0.hasBegun }) {
      let isInTime = loop.now - began <= Self.startLimit
      guard isInTime, failure.timedOut?.after != nil, !failure.hint.isEmpty else { throw failure }
      bus.resume()
      return try loop.run { try await BlueZClient.open(bus: connection) }
    }
  }

  /// The longest start of a program before it fails: the deadline of one call, after a shorter
  /// stall.
  private static let startLimit = Duration.seconds(15)

  private func run(_ id: ChainID, _ plan: ChainPlan, _ program: Program) -> ChainRun {
    ChainRun(id: id, plan: plan, service: program.services[plan.device], observer: observer)
  }

  /// Starts a plain chain for each device, which must succeed.
  private func plainChains(_ program: Program) throws {
    for device in world.devices.indices {
      let id = ChainID(program: 0, number: Liveness.firstPlainNumber + device)
      run(id, .plain(device), program).start()
    }
  }

  private func run(until end: Instant) throws {
    let loop = loop
    try loop.run { try await loop.sleep(for: max(.zero, end - loop.now)) }
  }

  /// Runs until no events remain.
  private func runUntilIdle() throws {
    let (loop, end) = (loop, loop.now + Self.settlingTime)
    do {
      try loop.drive { loop.now > end }
    } catch is LoopIdle {}
  }

  private func close(_ programs: [Program]) {
    for program in programs { program.bus.close() }
    bus.shutDown()
    loop.end()
  }

  // MARK: Faults

  private func treatCalls(of daemon: BlueZSimulator) {
    daemon.treatCalls { [treatments, observer] call in
      let treatment = treatments.withLock { $0.treatment(of: call) }
      if treatment != .take { observer.record(.treated(call, treatment)) }
      return treatment
    }
  }

  private func perform(_ disturbance: Disturbance) {
    observer.record(.disturbance(disturbance))
    switch disturbance {
    case .fault(let action): perform(action)
    case .leave(let program): programs.withLock { $0[program] }.bus.close()
    case .stall(let duration):
      bus.stall()
      if let duration { loop.after(duration) { [bus] in bus.resume() } }
    case .oversize(let values): oversize.withLock { $0 = values }
    }
  }

  /// Stalls the bus if it is due at this message of a client.
  private func sent(by client: String?) { stall(trigger.withLock { $0.sent(by: client) }) }

  private func stall(_ stall: BusStall?) {
    if let stall { perform(.stall(stall.duration)) }
  }

  private func perform(_ action: WorldAction) {
    switch action {
    case .device(let device, let change): simulator.apply(change, to: device)
    case .adapter(let adapter, let change): simulator.apply(change, toAdapter: adapter)
    case .endDaemon(let isKilled):
      daemon.withLock { $0.isRunning = false }
      simulator.end(isKilled: isKilled)
    case .startDaemon: startSuccessor()
    case .calls(let selection, let treatment):
      treatments.withLock { $0.set(selection, treatment) }
    case .closeBus, .otherProgram, .otherProgramsLeave:
      preconditionFailure("no world draws that: its programs are its own")
    }
  }

  private func startSuccessor() {
    guard !daemon.withLock({ $0.isRunning }), let connection = try? bus.connect() else { return }
    let next = simulator.successor(on: connection)
    treatCalls(of: next)
    daemon.withLock { $0 = Daemon(simulator: next, bus: connection) }
    _ = loop.task { [daemon] in
      do {
        try await next.start()
      } catch {
        // A bluetoothd that gets no answer from a stalled bus exits.
        next.crash()
        daemon.withLock { if $0.bus.uniqueName == connection.uniqueName { $0.isRunning = false } }
      }
    }
  }

  /// Ends all faults.
  private func heal() {
    observer.record(.healed)
    trigger.withLock { $0.end() }
    oversize.withLock { $0 = nil }
    bus.resume()
    treatments.withLock { $0.clear() }
    for device in devices { device.setFaults([]) }
    startSuccessor()
    simulator.plugIn()
    simulator.setPowered(true)
    for device in world.devices {
      for service in device.services { simulator.offer(service.uuid, true, at: device.address) }
    }
    recover()
  }

  /// Restarts bluetoothd if necessary, and brings the devices back into range.
  private func recover() {
    startSuccessor()
    for device in world.devices { simulator.appear(device.address) }
  }
}
