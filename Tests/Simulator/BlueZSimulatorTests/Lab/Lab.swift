// A world with raw clients instead of ours, and a clock that jumps.

import BLETesting
import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// A world and a first client.
struct Lab {
  let world: SimulatedWorld
  let client: RawClient

  /// - Parameters:
  ///   - scenario: What is played, instead of a world in which nothing happens.
  ///   - settings: nil: those of bluetoothd 5.66, or of the scenario.
  init(
    _ definitions: [DeviceDefinition] = [.monitor], playing scenario: ScenarioDefinition? = nil,
    faults: [FaultRule] = [], settings: SimulatorSettings? = nil
  ) throws {
    let loop = VirtualTimeLoop()
    let devices = (scenario?.devices ?? definitions).map { definition in
      let generator = SeededGenerator(seed: 0, name: "\(definition.address)")
      let device = SimulatedDevice(definition, on: loop, generator: generator)
      device.setFaults(faults)
      return device
    }
    let usual = scenario == nil ? SimulatorSettings(version: .debian12) : nil
    world = try SimulatedWorld(
      devices, on: loop, playing: scenario, settings: settings ?? usual, hasClient: false
    )
    client = try RawClient(on: world.bus, receiving: world.simulator.bus.uniqueName)
  }

  /// A world whose devices the first client knows.
  static func discovered(
    _ definitions: [DeviceDefinition] = [.monitor], faults: [FaultRule] = [],
    settings: SimulatorSettings? = nil
  ) throws -> Lab {
    let lab = try Lab(definitions, faults: faults, settings: settings)
    try lab.discover()
    return lab
  }

  /// A world whose first device is connected.
  static func connected(
    _ definitions: [DeviceDefinition] = [.monitor], faults: [FaultRule] = [],
    settings: SimulatorSettings? = nil
  ) throws -> Lab {
    let lab = try Lab(definitions, faults: faults, settings: settings)
    try lab.connect()
    return lab
  }

  var loop: Loop { world.loop }
  var bus: LoopbackBus { world.bus }
  var simulator: BlueZSimulator { world.simulator }
  var device: SimulatedDevice { world.steering.devices[0] }
  /// The events at the devices.
  var events: [SimulatorEvent] { world.events }

  func forgetEvents() { world.forgetEvents() }

  /// Another client, which receives everything from now on.
  func join() throws -> RawClient { try RawClient(on: bus, receiving: OrgBlueZ.busName) }

  /// Lets time pass, and with it all that is due.
  func pass(_ duration: Duration = .milliseconds(1)) throws {
    try world.pass(duration)
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
