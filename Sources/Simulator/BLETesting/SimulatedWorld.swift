// Simulated devices behind a simulated org.bluez, with our client, in one object for a test.
//
// What is done to the world meanwhile is in SimulatedWorld+Steering.swift.

public import BlueZ
public import BlueZSimulator
import Bluetooth
package import DBus
import Glibc
public import Signals
public import SimulatedDevices

/// A host with Bluetooth, and devices around it, that exist in this process only.
///
/// ```swift
/// let world = try SimulatedWorld(.file("thermometer.yaml"))
/// let thermometer = try world.service()
/// let level = thermometer.session { thermometer.read(.batteryLevel) }
///   .firstOrDefault(0, within: .seconds(10))
/// ```
///
/// Everything ends with the last reference: links, timers, what still waits. So hold it as long as
/// a service of it is used; a local constant or a property of the suite will do.
public final class SimulatedWorld: Sendable {
  /// What everything runs on, and whose time it is.
  public let loop: Loop
  /// Where the chains of this world's services take turns.
  public let scheduler: SerialScheduler
  /// Our client, as a program would have it of bluetoothd.
  public var client: BlueZClient {
    guard let opened else { preconditionFailure("this world was made without a client") }
    return opened
  }
  /// What can be done to devices, adapter and daemon. On a real loop it is to be called on that:
  /// the methods of the same names here see to it.
  public let steering: Steering

  /// bluetoothd as it was started first.
  package let simulator: BlueZSimulator
  /// The bus in memory; one that nobody is on where there is a daemon.
  package let bus: LoopbackBus

  private let opened: BlueZClient?
  package let player: ScenarioPlayer
  private let recorded: Guarded<[SimulatorEvent]>
  private let maker = pthread_self()
  private let hasEnded = Guarded(false)

  /// Puts devices in range, and starts a bluetoothd and a client.
  ///
  /// ```swift
  /// let drops = try SimulatedWorld(.file("thermometer.yaml"), time: .real, seed: 7)
  /// ```
  ///
  /// - Parameters:
  ///   - sources: The devices; each has an address of its own.
  ///   - time: How time passes.
  ///   - seed: The seed of all randomness: RSSI, noise, faults with a probability. Without one,
  ///     the scenario's, or 0.
  ///   - faults: What goes wrong, at every device, behind the rules of its definition.
  ///   - settings: The delays of bluetoothd, in place of those of a scenario.
  ///     `SimulatorSettings.instant` has none.
  /// - Throws: What is wrong with a file; ``WorldError`` for two devices with one address.
  public convenience init(
    _ sources: DeviceSource..., time: WorldTime = .virtual, seed: UInt64? = nil,
    faults: [FaultRule] = [], settings: SimulatorSettings? = nil
  ) throws {
    try self.init(sources, time: time, seed: seed, faults: faults, settings: settings)
  }

  /// The same with a list of sources.
  ///
  /// ```swift
  /// let sources = ["hall", "attic"].map { DeviceSource.file("\($0).yaml") }
  /// let world = try SimulatedWorld(sources, seed: 7)
  /// ```
  public convenience init(
    _ sources: [DeviceSource], time: WorldTime = .virtual, seed: UInt64? = nil,
    faults: [FaultRule] = [], settings: SimulatorSettings? = nil
  ) throws {
    let scenario = ScenarioDefinition.joined(try sources.map { try $0.scenario() })
    try WorldError.check(scenario.devices)
    let seed = seed ?? scenario.seed ?? 0
    let loop: Loop =
      switch time {
      case .virtual: VirtualTimeLoop()
      case .real: EventLoop()
      }
    let generator = SeededGenerator(seed: seed, name: "devices")
    let devices = scenario.devices.map { definition in
      let own = generator.split("\(definition.address)")
      let device = SimulatedDevice(definition, on: loop, generator: own)
      for fault in faults { device.addFault(fault) }
      return device
    }
    try self.init(devices, on: loop, playing: scenario, seed: seed, settings: settings)
  }

  /// The parts of a world, for the tests and tools of this package: each is there in one line, and
  /// differs in what is given here.
  ///
  /// - Parameters:
  ///   - devices: Made on `loop` by whoever has their seeds.
  ///   - scenario: What happens; nil: nothing.
  ///   - seed: Of the faults of the scenario.
  ///   - daemon: The address of a bus to use instead of one in memory.
  ///   - ledger: Where the client keeps its links.
  ///   - hasClient: Whether there is a ``client``; otherwise programs come by ``connection()``.
  ///   - observer: Receives the messages of the bus in memory.
  ///   - treatment: Decides about each call to bluetoothd, those of the opening client included.
  package init(
    _ devices: [SimulatedDevice], on loop: Loop, playing scenario: ScenarioDefinition? = nil,
    seed: UInt64 = 0, settings: SimulatorSettings? = nil, over daemon: BusAddress? = nil,
    ledger: (any LinkLedger)? = nil, hasClient: Bool = true, observer: MessageObserver? = nil,
    treatment: (@Sendable (Message) -> CallTreatment)? = nil
  ) throws {
    let bus = LoopbackBus(on: loop, address: "simulated", observer: observer)
    let connect: ScenarioPlayer.Connect = {
      guard let daemon, let loop = loop as? EventLoop else { return try bus.connect() }
      return try await MessageBus.open(address: daemon, on: loop)
    }
    let (log, recorded) = (BoundaryLog(), Guarded<[SimulatorEvent]>([]))
    let player = ScenarioPlayer(
      scenario ?? ScenarioDefinition(devices: devices.map(\.definition)), devices: devices,
      on: loop, generator: SeededGenerator(seed: seed, name: "scenario"), connect: connect,
      closeBus: { bus.shutDown() }, settings: settings, log: log
    ) { event in recorded.withLock { $0.append(event) } }
    (simulator, opened) = try loop.run {
      try await player.start()
      guard let simulator = player.simulator else {
        preconditionFailure("a player that has begun has a simulator")
      }
      if let treatment { simulator.treatCalls(treatment) }
      guard hasClient else { return (simulator, nil) }
      return (simulator, try await BlueZClient.open(bus: try await connect(), ledger: ledger))
    }
    self.loop = loop
    self.bus = bus
    self.player = player
    self.recorded = recorded
    scheduler = SerialScheduler(on: loop, name: "test")
    steering = Steering(player, log: log)
  }

  deinit { end() }

  /// Ends the world now: what waits for an answer fails. For tests that look at what that does.
  ///
  /// ```swift
  /// world.end()
  /// let failure = thermometer.read(.batteryLevel).firstResult(within: .seconds(5))
  /// ```
  public func end() {
    let isFirst = hasEnded.withLock { hasEnded in
      defer { hasEnded = true }
      return !hasEnded
    }
    guard isFirst else { return }
    player.stop()
    opened?.bus.close()
    bus.shutDown()
    // A virtual loop is driven by its own thread alone.
    if loop is VirtualTimeLoop, pthread_equal(maker, pthread_self()) == 0 {
      loop.shutDown()
    } else {
      loop.end()
    }
  }

  /// One more connection to the bus of this world, for a program under test: a peripheral that
  /// registers with an adapter, so that another adapter finds it.
  package func connection() throws -> MessageBus { try bus.connect() }

  // MARK: Devices

  /// The operations on a device: what code under test takes as its `Device`.
  ///
  /// ```swift
  /// let lamp = try world.service("Lamp", scheduler: SerialScheduler(on: world.loop))
  /// ```
  ///
  /// - Parameters:
  ///   - name: Its name, in any case, or its address; nil: the first one.
  ///   - options: How the client connects.
  ///   - scheduler: Where its chains take turns; nil: with all others of this world.
  /// - Throws: `SteeringError` when there is no such device.
  public func service(
    _ name: String? = nil, options: ConnectOptions = ConnectOptions(),
    scheduler: SerialScheduler? = nil
  ) throws(SteeringError) -> BlueZDevice {
    BlueZDevice(
      client: client, target: .address(try device(name).definition.address), options: options,
      scheduler: scheduler ?? self.scheduler, meter: player
    )
  }

  /// A simulated device.
  ///
  /// ```swift
  /// let address = try world.device("Thermo-1").definition.address
  /// ```
  ///
  /// - Parameter name: Its name, in any case, or its address; nil: the first one.
  public func device(_ name: String? = nil) throws(SteeringError) -> SimulatedDevice {
    try steer { (steering) throws(SteeringError) in
      if let name { return try steering.device(name) }
      guard let first = steering.devices.first else {
        throw SteeringError(.unknownDevice, "there is no simulated device: expected at least one")
      }
      return first
    }
  }

  // MARK: What happened

  /// What happened at the devices so far, in order.
  ///
  /// ```swift
  /// let reads = world.events.filter { if case .read = $0 { true } else { false } }
  /// ```
  public var events: [SimulatorEvent] { recorded.withLock { $0 } }

  /// What clients asked of bluetoothd, and what came of it at the devices, in order.
  ///
  /// ```swift
  /// let connects = world.log.count { $0.event == BoundaryEntry.Event.linkUp }
  /// ```
  public var log: [BoundaryEntry] { steering.log.entries }

  /// Forgets ``events``; the log goes on.
  ///
  /// ```swift
  /// world.forgetEvents()
  /// let level = thermometer.session { thermometer.read(.batteryLevel) }
  ///   .firstOrDefault(0, within: .seconds(10))
  /// print(world.events.count)
  /// ```
  public func forgetEvents() { recorded.withLock { $0 = [] } }
}

/// Devices that cannot be together.
public struct WorldError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  static func check(_ definitions: [DeviceDefinition]) throws(WorldError) {
    for (index, definition) in definitions.enumerated()
    where definitions[..<index].contains(where: { $0.address == definition.address }) {
      throw WorldError(description: "\(definition.address) is the address of two devices")
    }
  }
}
