// Puts the live parts together: a loop, a scheduler, a bus, and org.bluez on it, real or simulated.
//
// The only place in the package that does so.

package import BlueZ
import BlueZSimulator
package import Bluetooth
import DBus
import HostController
package import Jobs
package import Signals
import SimulatedDevices

/// The handler for a simulated device that has lost its logic.
private struct LogicFailure: Sendable {
  var end: @Sendable (RunFailure) -> Void
}

/// The environment of chains: the Bluetooth of this host, or simulated devices.
package struct World: Sendable {
  package let loop: Loop
  package let scheduler: SerialScheduler
  /// The client of bluetoothd, real or simulated, or the reason why there is none.
  let client: Result<BlueZClient, any Error>
  let traffic: WorldTraffic
  /// Measures connections, by the kernel or by the simulator.
  private let meter: any LinkMeter
  /// Listens for signals, from before the first wait.
  package let interruption: Interruption
  var adapter = AdapterSelector.first
  /// Coordinates the runs on this host; nil in a simulation.
  private(set) var ledger: HostLedger?
  /// The keys that decrypt advertised data.
  private var bindKeys = BindKeys.none
  /// The simulation, retained with the world; nil in a real one.
  private var player: ScenarioPlayer?
  /// The seed of a simulation.
  private var seed: UInt64 = 0
  private var bus: LoopbackBus?
  /// The handler for a simulated device that has lost its logic; nil in a real world.
  private var logicFailure: Guarded<LogicFailure>?

  package var isSimulated: Bool { player != nil }

  /// The timeout for reaching bluetoothd in total. Each reply has a shorter one.
  private static let openingLimit = Duration.seconds(30)

  /// The bluetoothd of this host. If it cannot be reached, every operation fails with the reason.
  ///
  /// - Parameter ending: The effect of a signal, as a message: "ending the scan".
  /// - Throws: ``CommandExit`` after a signal.
  static func real(
    _ ending: String, _ bindKeys: BindKeys = .none, trace: HCITrace? = nil
  ) throws(CommandExit) -> World {
    let loop = EventLoop()
    let interruption = Interruption(on: loop, ending)
    let scheduler = SerialScheduler(on: loop, name: "chains")
    let ledger = openLedger()
    let traffic = WorldTraffic(on: loop)
    let opening = Signal<BlueZClient>(home: scheduler) { sink in
      try await sink(try await openClient(on: loop, ledger, traffic))
    }
    interruption.cancels(scheduler, "nothing was begun")
    let line = StatusLine(on: loop, lines: openingStatus(begun: loop.now))
    let client = opening.firstResult(within: openingLimit)
    line?.end()
    do {
      try interruption.check()
    } catch {
      if case .success(let client) = client { client.bus.close() }
      loop.end()
      throw error
    }
    interruption.cancels(scheduler)
    return World(
      loop: loop, scheduler: scheduler, client: client.mapError { Self.unreachable($0) },
      traffic: traffic, meter: HostController(on: loop, trace: trace), interruption: interruption,
      ledger: ledger, bindKeys: bindKeys
    )
  }

  /// The status line during the connection to the bus, which is hidden at first.
  private static func openingStatus(begun: Instant) -> StatusLine.Lines {
    var status = RunStatus()
    status.apply(RunWait(what: "opening the bus", begun: begun, limit: openingLimit))
    return { [status] now, size in
      now - begun < .milliseconds(300) ? [] : [status.line(at: now, columns: size.columns)]
    }
  }

  /// Turns a timeout of the bus into the error for an unreachable one.
  private static func unreachable(_ error: any Error) -> any Error {
    let isLate = error is TimedOut || (error as? DeviceFailure)?.code == .timedOut
    guard isLate else { return error }
    return DeviceFailure(
      code: .busUnreachable, class: .unavailable,
      operation: "reaching bluetoothd over the message bus",
      meaning: (error as? DeviceFailure)?.meaning ?? "no answer came within \(openingLimit)",
      hint: "check that the bus and bluetoothd are running: systemctl status dbus bluetooth"
    )
  }

  private static func openLedger() -> HostLedger? {
    let notify: @Sendable (String) -> Void = { StandardError.notice("\($0)") }
    do {
      return HostLedger(try RuntimeFolder(), notice: notify)
    } catch {
      notify("\(error): were a run killed, its link would stay up")
      return nil
    }
  }

  private static func openClient(
    on loop: EventLoop, _ ledger: HostLedger?, _ traffic: WorldTraffic
  ) async throws -> BlueZClient {
    let client = try await BlueZClient.open(on: loop, ledger: ledger, observing: traffic.receive)
    let call = BusDriver.identityCall
    let answer = try? await client.bus.call(call, limit: client.limits.call, lateReply: nil)
    if let identity = answer?.body.first?.asString { ledger?.setBus(identity) }
    return client
  }

  /// A loop and a scheduler without Bluetooth, for work that another host does.
  package static func withoutRadio(_ ending: String) -> World {
    let loop = EventLoop()
    let unused = DeviceFailure(
      code: .notSupportedHere, class: .definite, operation: "using Bluetooth",
      meaning: "this command leaves it to others", hint: ""
    )
    return World(
      loop: loop, scheduler: SerialScheduler(on: loop, name: "chains"), client: .failure(unused),
      traffic: WorldTraffic(on: loop), meter: HostController(on: loop),
      interruption: Interruption(on: loop, ending)
    )
  }

  /// Simulated devices behind a simulated org.bluez, all in this process.
  ///
  /// - Parameters:
  ///   - isPaced: Whether simulated time is real time; else it is virtual.
  ///   - log: Receives each message between client and simulator.
  static func simulated(
    _ scenario: ScenarioDefinition, _ bindKeys: BindKeys, seed: UInt64, isPaced: Bool, log: BusLog?,
    _ ending: String
  ) throws -> World {
    let loop: Loop = isPaced ? EventLoop() : VirtualTimeLoop()
    let scheduler = SerialScheduler(on: loop, name: "chains")
    let interruption = Interruption(on: loop, ending)
    interruption.cancels(scheduler)
    let bus = LoopbackBus(on: loop, address: "simulated", observer: log?.add)
    let traffic = WorldTraffic(on: loop)
    let logicFailure = Guarded(LogicFailure { scheduler.cancelAll($0) })
    let (client, player) = try loop.run {
      let player = Self.player(
        scenario, on: loop, seed: seed, connect: { try bus.connect() },
        closeBus: { bus.shutDown() },
        logicFailed: { error in loop.post { logicFailure.withLock { $0 }.end(RunFailure(error)) } }
      )
      try await player.start()
      let connection = try bus.connect()
      connection.observe(traffic.receive)
      return (try await BlueZClient.open(bus: connection), player)
    }
    return World(
      loop: loop, scheduler: scheduler, client: .success(client), traffic: traffic, meter: player,
      interruption: interruption, bindKeys: bindKeys, player: player, seed: seed, bus: bus,
      logicFailure: logicFailure
    )
  }

  /// Registers a handler for a simulated device that has lost its logic, in place of cancelling the work on
  /// ``scheduler``. Called on the loop.
  func onLogicFailure(_ end: @escaping @Sendable (RunFailure) -> Void) {
    logicFailure?.withLock { $0.end = end }
  }

  /// A player for a scenario. Its faults and its devices have separate random generators.
  ///
  /// - Parameter logicFailed: Called once for each device that has lost its logic, after the message is printed.
  static func player(
    _ scenario: ScenarioDefinition, on loop: Loop, seed: UInt64, log: SimulatorLog? = nil,
    connect: @escaping ScenarioPlayer.Connect, closeBus: @escaping @Sendable () -> Void,
    logicFailed: @escaping @Sendable (LogicError) -> Void = { _ in }
  ) -> ScenarioPlayer {
    let generator = SeededGenerator(seed: seed, name: "devices")
    let devices = scenario.devices.map { definition in
      SimulatedDevice(definition, on: loop, generator: generator.split("\(definition.address)"))
    }
    for device in devices {
      device.onLogicError { error in
        StandardError.failure("\(error)")
        logicFailed(error)
      }
    }
    return ScenarioPlayer(
      scenario, devices: devices, on: loop,
      generator: SeededGenerator(seed: seed, name: "scenario"), connect: connect,
      closeBus: closeBus, log: log, openLogic: LogicConnection.open
    )
  }

  /// Ends the simulation and the connections to the bus. Calls without a reply fail, and recording stops.
  package func end() {
    // The clean-up of an operation that timed out may still have to disconnect.
    try? scheduler.waitUntilIdle(within: scheduler.cleanUpLimit)
    ledger?.removeLeaseAtEnd()
    player?.reportUnused()
    player?.stop()
    if case .success(let client) = client { client.bus.close() }
    bus?.shutDown()
    loop.end()
    interruption.close()
  }

  /// The operations on one device. Notices are printed on standard error.
  ///
  /// - Parameters:
  ///   - lane: A scheduler of its own, if several devices are in use at once.
  ///   - follow: Receives all notices of the service, also those that are not printed.
  package func service(
    for target: DeviceTarget, options: ConnectOptions = ConnectOptions(),
    on lane: SerialScheduler? = nil, follow: @escaping @Sendable (ServiceNotice) -> Void = { _ in }
  ) -> any Device {
    let scheduler = lane ?? scheduler
    switch client {
    case .success(let client):
      let service = BlueZDevice(
        client: client, target: target, adapter: adapter, options: options, scheduler: scheduler,
        bindKeys: bindKeys, meter: meter,
        notices: { notice in
          follow(notice)
          if notice.isRoutine { return }
          StandardError.notice("\(lane == nil ? "" : "\(target.text): ")\(notice)")
        }
      )
      traffic.know(target.text) { [weak service] in service?.object }
      return service
    case .failure(let failure):
      return UnreachableDevice(
        scheduler: scheduler, deviceDescription: target.text, failure: failure
      )
    }
  }
}

extension World {
  /// Reports each attempt to connect, and each end of a connection, of this program.
  package func observeLinks(_ receive: @escaping @Sendable (LinkNews) -> Void) {
    if case .success(let client) = client { client.observeLinks(receive) }
  }

  /// The devices of the adapter that other programs have connected.
  package func foreignLinks() -> [BluetoothAddress] {
    if case .success(let client) = client { client.foreignLinks(of: adapter) } else { [] }
  }

  /// The bonded devices of the adapter, in order of address.
  package func bonds() -> [BluetoothAddress] {
    if case .success(let client) = client { client.bondedDevices(of: adapter) } else { [] }
  }

  /// Calls `handler` on the loop whenever bonds may have changed.
  package func observeBonds(_ handler: @escaping @Sendable () -> Void) {
    if case .success(let client) = client { client.observeBonds(handler) }
  }

  /// Calls `handler` on the loop with each device whose RSSI the adapter reports, changed or not.
  package func observeSightings(_ handler: @escaping @Sendable (Advertisement) -> Void) {
    if case .success(let client) = client { client.observeSightings(of: adapter, handler) }
  }

  /// The operations of a chain on one device.
  ///
  /// - Parameter run: The journal's number of its run, which waiting processes show.
  package func service(
    for target: DeviceTarget, _ rule: LinkRule, run: Int64? = nil, on lane: SerialScheduler
  ) -> any Device {
    var options = ConnectOptions(rule)
    options.run = run
    return service(for: target, options: options, on: lane)
  }

  /// The connections of killed runs; nil if they are unknown.
  func orphans(isForced: Bool = false) -> OrphanLinks? {
    guard let ledger, case .success(let client) = client else { return nil }
    return OrphanLinks(
      ledger: ledger, scheduler: scheduler, client: client, interruption: interruption,
      isForced: isForced
    )
  }

  /// Ends the connections of killed runs, and reports them.
  ///
  /// - Throws: ``CommandExit`` after a signal.
  package func releaseOrphans() throws(CommandExit) {
    guard let orphans = orphans() else { return }
    defer { interruption.cancels(scheduler) }
    interruption.cancels(scheduler, "nothing was begun")
    OrphanLinks.report(orphans.release(), of: "a killed run")
    try interruption.check()
  }

  /// A number that identifies this run: the seed of a simulation, else the time in microseconds.
  package var identitySeed: UInt64 {
    let now = loop.wallClockAtStart + loop.now.sinceStart
    return isSimulated ? seed : UInt64(clamping: now.wholeMicroseconds)
  }
}

extension ScenarioPlayer {
  /// Prints the unused parts of recordings, for devices that were connected.
  func reportUnused() {
    for response in devices.filter(\.wasEverLinked).flatMap(\.unusedResponses) {
      StandardError.notice("\(response)")
    }
  }
}

extension DeviceFailure.Code {
  /// The logic of a simulated device gave no answer, or a wrong one.
  static let logicFailed = Self(rawValue: "logic-failed")
}

extension RunFailure {
  /// The failure of a run whose simulated device has lost its logic.
  fileprivate init(_ error: LogicError) {
    self.init(
      code: .logicFailed, class: .definite, what: "simulating \(error.device)", why: "\(error)"
    )
  }
}

extension World {
  /// A receiver of run events, for a report that explains failures.
  ///
  /// - Parameter trace: The trace whose part for a failed step is named.
  package func explaining(
    trace: (any RunTrace)? = nil, _ report: @escaping @Sendable (RunEvent) -> Void
  ) -> @Sendable (RunEvent) -> Void {
    TracedReport(trace, traffic, report).receive
  }

  /// A receiver of the outputs of a watch, which explains failures for its journal.
  package func explainingWatch(
    _ receive: @escaping @Sendable (WatchOutput) -> Void
  ) -> @Sendable (WatchOutput) -> Void {
    let present = Guarded(WatchOutput())
    let explain = explaining { event in
      var output = present.withLock { $0 }
      output.recorded = event
      receive(output)
    }
    return { output in
      guard let event = output.recorded else { return receive(output) }
      present.withLock { $0 = output }
      explain(event)
    }
  }
}
