// A test's simulated devices, simulated org.bluez and client, in one object.

public import BlueZ
public import BlueZSimulator
import Bluetooth
package import DBus
import Glibc
public import Signals
public import SimulatedDevices

/// A Bluetooth host and its nearby devices, simulated in this process.
///
/// ```swift
/// let world = try SimulatedWorld(.file("thermometer.yaml"))
/// let thermometer = try world.service()
/// let level = thermometer.session { thermometer.read(.batteryLevel) }
///   .firstOrDefault(0, within: .seconds(10))
/// ```
///
/// The world ends with its last reference: links, timers and pending operations end, too. Keep it
/// in a local constant or a property of the suite while its services are in use.
public final class SimulatedWorld: Sendable {
  /// The loop that everything in the world runs on; its time is the time of the world.
  public let loop: Loop
  /// The scheduler of this world's services.
  public let scheduler: SerialScheduler
  /// The client of the simulated bluetoothd.
  public var client: BlueZClient {
    guard let opened else { preconditionFailure("this world was made without a client") }
    return opened
  }
  /// Changes to devices, adapters and bluetoothd. With a real loop it must be used on that loop;
  /// the methods of the world with the same names take care of that.
  public let steering: Steering

  /// The first bluetoothd of this world.
  package let simulator: BlueZSimulator
  /// The in-memory bus; unused when a daemon's bus is given.
  package let bus: LoopbackBus

  private let opened: BlueZClient?
  package let player: ScenarioPlayer
  private let recorded: Guarded<[SimulatorEvent]>
  private let maker = pthread_self()
  private let hasEnded = Guarded(false)

  /// Creates the devices, and starts bluetoothd and a client.
  ///
  /// ```swift
  /// let drops = try SimulatedWorld(.file("thermometer.yaml"), time: .real, seed: 7)
  /// ```
  ///
  /// - Parameters:
  /// - sources: The devices. Each must have its own address.
  ///   - time: Virtual or real time.
  ///   - seed: The seed of all randomness: RSSI, noise, faults with a probability. nil: the
  /// scenario's seed, or 0.
  ///   - faults: Faults for every device, after the rules of its definition.
  ///   - settings: The delays of bluetoothd, in place of a scenario's. `SimulatorSettings.instant`
  /// has none.
  /// - Throws: `DocumentErrors` with the problems of a file; ``WorldError`` for two devices with
  ///   the same address.
  public convenience init(
    _ sources: DeviceSource..., time: WorldTime = .virtual, seed: UInt64? = nil,
    faults: [FaultRule] = [], settings: SimulatorSettings? = nil
  ) throws {
    try self.init(sources, time: time, seed: seed, faults: faults, settings: settings)
  }

  /// Creates a world from a list of sources.
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

  /// Creates a world from its parts, for the tests and tools of this package.
  ///
  /// - Parameters:
  ///   - devices: Devices created on `loop`.
  ///   - scenario: The events of the world; nil: none.
  ///   - seed: The seed of the scenario's faults.
  ///   - daemon: The address of a bus to use instead of an in-memory one.
  ///   - ledger: The client's ledger of links.
  ///   - hasClient: Whether to start a ``client``; if not, programs connect with ``connection()``.
  ///   - observer: Receives every message of the in-memory bus.
  ///   - treatment: Decides about each call to bluetoothd, including those of the starting client.
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
    let (log, recorded) = (SimulatorLog(), Guarded<[SimulatorEvent]>([]))
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

  /// Ends the world: pending operations fail. For tests of that failure.
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
    // Only its own thread may drive a virtual loop.
    if loop is VirtualTimeLoop, pthread_equal(maker, pthread_self()) == 0 {
      loop.shutDown()
    } else {
      loop.end()
    }
  }

  /// Opens another connection to the bus of this world, for a program under test such as a
  /// peripheral that registers with one adapter to be found by another.
  package func connection() throws -> MessageBus { try bus.connect() }

  // MARK: Devices

  /// The client's `Device`, to pass to code under test. The simulated device itself, its state and its
  /// faults, is ``device(_:)``.
  ///
  /// ```swift
  /// let lamp = try world.service("Lamp", scheduler: SerialScheduler(on: world.loop))
  /// ```
  ///
  /// - Parameters:
  /// - name: The device's name, in any case, or its address; nil: the first device.
  ///   - options: The client's connection options.
  ///   - scheduler: The scheduler of its operations; nil: the world's.
  /// - Throws: `SteeringError` when no such device exists.
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
  /// - Parameter name: The device's name, in any case, or its address; nil: the first device.
  public func device(_ name: String? = nil) throws(SteeringError) -> SimulatedDevice {
    try steer { (steering) throws(SteeringError) in
      if let name { return try steering.device(name) }
      guard let first = steering.devices.first else {
        throw SteeringError(.unknownDevice, "there is no simulated device: expected at least one")
      }
      return first
    }
  }

  // MARK: Events

  /// Events at the devices so far, in order.
  ///
  /// ```swift
  /// let reads = world.events.filter { if case .read = $0 { true } else { false } }
  /// ```
  public var events: [SimulatorEvent] { recorded.withLock { $0 } }

  /// Calls of clients to bluetoothd, and their effects at the devices, in order: the last 100 000 at
  /// most. A test that relies on what is absent checks ``isLogComplete``, too.
  ///
  /// ```swift
  /// let connects = world.log.count { $0.event == SimulatorLogEntry.Event.linkUp }
  /// ```
  public var log: [SimulatorLogEntry] { steering.log.entries }

  /// Whether ``log`` still has its first entry.
  ///
  /// ```swift
  /// let isKept = world.isLogComplete && !world.log.contains { $0.event == "Adapter1.RemoveDevice" }
  /// ```
  public var isLogComplete: Bool { steering.log.displacedCount == 0 }

  /// Clears ``events``; the log is kept.
  ///
  /// ```swift
  /// world.forgetEvents()
  /// let level = thermometer.session { thermometer.read(.batteryLevel) }
  ///   .firstOrDefault(0, within: .seconds(10))
  /// print(world.events.count)
  /// ```
  public func forgetEvents() { recorded.withLock { $0 = [] } }
}

/// Two devices of a world have the same address.
public struct WorldError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  static func check(_ definitions: [DeviceDefinition]) throws(WorldError) {
    for (index, definition) in definitions.enumerated()
    where definitions[..<index].contains(where: { $0.address == definition.address }) {
      throw WorldError(description: "\(definition.address) is the address of two devices")
    }
  }
}

// MARK: - Changes

extension SimulatedWorld {
  /// Advances the time and runs everything that becomes due. Takes no real time on a virtual loop.
  ///
  /// ```swift
  /// try world.pass(.seconds(60))
  /// ```
  public func pass(_ duration: Duration) throws {
    try loop.run { [loop] in try await loop.sleep(for: duration) }
  }

  /// Changes a device, its connection or its RSSI.
  ///
  /// ```swift
  /// try world.apply(.stray(12), to: "Thermo-1")
  /// ```
  ///
  /// - Parameters:
  /// - change: The change.
  /// - name: The device's name or address; nil: the first device. The same applies to the methods
  ///   below.
  /// - Throws: `SteeringError` when the change is impossible in the current state, or no such
  ///   device exists.
  public func apply(_ change: DeviceChange, to name: String? = nil) throws {
    try steer(name) { (steering, device) throws(SteeringError) in
      try steering.apply(change, to: device)
    }
  }

  /// Drops the link to a device, as if the signal were lost.
  ///
  /// ```swift
  /// try world.dropLink("Thermo-1")
  /// ```
  ///
  /// - Throws: `SteeringError` when there is no link.
  public func dropLink(_ name: String? = nil) throws { try apply(.loseLink, to: name) }

  /// Moves a device out of range, which drops its link.
  ///
  /// ```swift
  /// try world.vanish()
  /// let read = thermometer.session { thermometer.read(.batteryLevel) }
  /// let failure = read.firstResult(within: .seconds(30))   // link-lost or not-found
  /// ```
  public func vanish(_ name: String? = nil) throws { try apply(.vanish, to: name) }

  /// Brings a device back into range.
  ///
  /// ```swift
  /// world.loop.after(.seconds(5)) { try? world.appear("Thermo-1") }
  /// ```
  public func appear(_ name: String? = nil) throws { try apply(.appear, to: name) }

  /// Changes the RSSI of a device evenly to `rssi`, in dBm, over a duration.
  ///
  /// ```swift
  /// try world.move("Thermo-1", to: -90, within: .seconds(20))
  /// ```
  public func move(_ name: String? = nil, to rssi: Int, within duration: Duration = .zero) throws {
    try apply(.move(to: rssi, within: duration), to: name)
  }

  /// Moves the RSSI of a device along a path, or randomly; nil: as its definition describes.
  ///
  /// ```swift
  /// let walk = SignalPath([.init(at: .zero, rssi: -50), .init(at: .seconds(30), rssi: -95)])
  /// try world.move("Thermo-1", .path(walk))
  /// ```
  public func move(_ name: String? = nil, _ movement: SignalMovement?) throws {
    try apply(.follow(movement), to: name)
  }

  /// Changes a value as the device itself does: stores it, and notifies the subscribers.
  ///
  /// ```swift
  /// try world.setValue([0x2a], of: "battery-level")
  /// ```
  ///
  /// - Parameters:
  ///   - value: The value, in bytes.
  ///   - characteristic: A name such as `battery-level`, a UUID, or a handle.
  /// - name: The device's name or address; nil: the first device.
  public func setValue(_ value: [UInt8], of characteristic: String, at name: String? = nil) throws {
    try steer(name) { (steering, device) throws(SteeringError) in
      try steering.setValue(value, of: characteristic, at: device)
    }
  }

  /// The current value of a characteristic. The access does not count as a client's read.
  ///
  /// ```swift
  /// let written = try world.value(of: "alert-level")
  /// ```
  public func value(of characteristic: String, at name: String? = nil) throws -> [UInt8] {
    try steer(name) { (steering, device) throws(SteeringError) in
      try steering.value(of: characteristic, at: device)
    }
  }

  /// Starts or stops offering a service of the device's definition.
  ///
  /// ```swift
  /// try world.offer("battery", false)
  /// ```
  public func offer(_ service: String, _ isOffered: Bool, at name: String? = nil) throws {
    try steer(name) { (steering, device) throws(SteeringError) in
      try steering.offer(service, isOffered, at: device)
    }
  }

  /// Adds a fault to a device.
  ///
  /// ```swift
  /// try world.addFault("{ on: read, nth: 2, do: lose-link }")
  /// ```
  ///
  /// - Parameters:
  /// - fault: A rule as in a device file, `{ on: read, nth: 1, do: lose-link }`, or a named fault
  ///   of operations or devices, `{ fault: lost-notifications, for: 3s }`, which begins at once.
  /// - name: The device's name or address; nil: the first device.
  public func addFault(_ fault: String, at name: String? = nil) throws {
    try steer(name) { (steering, device) throws(SteeringError) in
      try steering.addFault(fault, at: device)
    }
  }

  /// Powers an adapter on or off, as an rfkill switch does.
  ///
  /// ```swift
  /// try world.setPowered(false)
  /// ```
  ///
  /// - Parameters:
  /// - isOn: The new power state.
  /// - adapter: The adapter's interface, such as `hci0`, its name or its address; nil: the first
  ///   adapter. The same applies to the methods below.
  public func setPowered(_ isOn: Bool, adapter: String? = nil) throws {
    try apply(.power(isOn), toAdapter: adapter)
  }

  /// Unplugs an adapter.
  ///
  /// ```swift
  /// try world.unplug("hci0")
  /// ```
  public func unplug(_ adapter: String? = nil) throws { try apply(.unplug, toAdapter: adapter) }

  /// Plugs an adapter in as `hci` with that number; nil: its own number.
  ///
  /// ```swift
  /// try world.plugIn("hci0", as: 1)
  /// ```
  public func plugIn(_ adapter: String? = nil, as number: Int? = nil) throws {
    try apply(.plugIn(number), toAdapter: adapter)
  }

  private func apply(_ change: AdapterChange, toAdapter adapter: String?) throws {
    try steer { (steering) throws(SteeringError) in
      try steering.apply(change, toAdapter: adapter)
    }
  }

  /// Kills bluetoothd and starts it again. The new one knows the devices that were connected or
  /// paired.
  ///
  /// ```swift
  /// try world.restart(after: .seconds(2))
  /// ```
  ///
  /// - Parameter pause: The time between the end and the new start.
  public func restart(after pause: Duration = .zero) throws {
    try loop.run { [steering] in try await steering.restart(after: pause) }
  }

  private func steer<Answer: Sendable>(
    _ name: String?, _ body: @escaping @Sendable (Steering, String) throws(SteeringError) -> Answer
  ) throws -> Answer {
    let address = "\(try device(name).definition.address)"
    return try steer { (steering) throws(SteeringError) in try body(steering, address) }
  }

  /// Runs `body` on the loop.
  func steer<Answer: Sendable>(
    _ body: @escaping @Sendable (Steering) throws(SteeringError) -> Answer
  ) throws(SteeringError) -> Answer {
    try loop.performAndWait { [steering] in
      Result { () throws(SteeringError) in try body(steering) }
    }.get()
  }
}

/// The clock of a simulated world.
public enum WorldTime: Sendable {
  /// Virtual time: it advances only when nothing is left to do, so an hour passes at once, and each
  /// run of a test is the same. The world belongs to the thread that created it: use it in test
  /// functions without `async`, and create it there or in the suite's `init`.
  case virtual
  /// Real time: for `async` tests, and for code with its own clock.
  case real
}
