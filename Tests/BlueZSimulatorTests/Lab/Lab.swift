// The simulated org.bluez on a bus in memory, with raw clients and a clock that jumps.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices

/// A simulator, its devices, and a first client that receives everything from before the start.
struct Lab {
  let loop: VirtualTimeLoop
  let bus: LoopbackBus
  let simulator: BlueZSimulator
  let devices: [SimulatedDevice]
  let client: RawClient
  /// What happened at the devices.
  let events: Recorded<SimulatorEvent>
  /// What clients did, too.
  let log: BoundaryLog
  /// What plays the simulator, if anything does.
  let player: ScenarioPlayer?
  private let ending: Ending?

  /// - Parameters:
  ///   - isOutlived: Whether the bus and the loop go on without it, until somebody else ends them.
  ///   - isPlayed: Whether the simulator is that of a scenario in which nothing happens.
  init(
    _ definitions: [DeviceDefinition] = [.monitor],
    faults: [FaultRule] = [],
    settings: SimulatorSettings = SimulatorSettings(),
    isOutlived: Bool = false,
    isPlayed: Bool = false
  ) throws {
    let loop = VirtualTimeLoop()
    self.loop = loop
    let bus = LoopbackBus(on: loop)
    self.bus = bus
    ending = isOutlived ? nil : Ending(loop) { bus.shutDown() }
    devices = definitions.map { definition in
      let generator = SeededGenerator(seed: 0, name: "\(definition.address)")
      let device = SimulatedDevice(definition, on: loop, generator: generator)
      device.setFaults(faults)
      return device
    }
    let events = Recorded<SimulatorEvent>()
    self.events = events
    let log = BoundaryLog()
    self.log = log
    guard !isPlayed else {
      let player = ScenarioPlayer(
        ScenarioDefinition(devices: definitions),
        devices: devices,
        on: loop,
        generator: SeededGenerator(seed: 0, name: "scenario"),
        connect: { try bus.connect() },
        settings: settings,
        log: log
      ) { events.add($0) }
      client = try RawClient(on: bus, receiving: OrgBlueZ.busName)
      let simulator = try loop.run {
        try await player.start()
        return player.simulator
      }
      guard let simulator else { preconditionFailure("a player that has begun has a simulator") }
      self.player = player
      self.simulator = simulator
      client.forget()
      return
    }
    player = nil
    let connection = try bus.connect()
    let simulator = BlueZSimulator(
      bus: connection,
      devices: devices,
      settings: settings,
      log: log
    ) { events.add($0) }
    self.simulator = simulator
    client = try RawClient(on: bus, receiving: connection.uniqueName)
    try loop.run { try await simulator.start() }
    client.forget()
  }

  var device: SimulatedDevice { devices[0] }

  /// Another client, which receives everything from now on.
  func join() throws -> RawClient { try RawClient(on: bus, receiving: OrgBlueZ.busName) }

  /// Lets time pass, and with it all that is due.
  func pass(_ duration: Duration = .milliseconds(1)) throws {
    try loop.run { [loop] in try await loop.sleep(for: duration) }
  }

  /// Lets time pass until one of the first client's lines ends so, at most five seconds.
  func pass(untilLine end: String) throws {
    for _ in 0..<5_000 where !client.lines.contains(where: { $0.hasSuffix(end) }) { try pass() }
  }

  /// Discovers until every device is known, then stops. Nothing is left in the first client's log.
  func discover() throws {
    try client.call("SetDiscoveryFilter", .adapter, [.properties(["Transport": .string("le")])])
    try client.call("StartDiscovery", .adapter)
    try pass(.seconds(1))
    try client.call("StopDiscovery", .adapter)
    try pass()
    client.forget()
  }

  /// Discovers and connects, until services are resolved and the battery is known.
  func connect() throws {
    try discover()
    try client.call("Connect", .device)
    try pass(.seconds(1))
    client.forget()
  }
}
