// Plays a file's scenario on a bus for some virtual seconds, with a client that uses every
// attribute.

import BlueZInterfaces
import BlueZSimulator
import DBus
import Signals
import SimulatedDevices

/// Plays a scenario to check that it ends.
///
/// It does not use `BLETesting`, which requires a successful start: a damaged file may not start.
struct PlayedWorld {
  /// More events than any world without an endless loop needs.
  private static let eventLimit = 400_000
  private static let limit = Duration.seconds(3)

  private let scenario: ScenarioDefinition
  private let loop = VirtualTimeLoop(eventLimit: eventLimit)
  private let bus: LoopbackBus
  private let player: ScenarioPlayer

  init(_ scenario: ScenarioDefinition, seed: UInt64) {
    self.scenario = scenario
    let bus = LoopbackBus(on: loop)
    self.bus = bus
    let generator = SeededGenerator(seed: seed, name: "world")
    let loop = loop
    let devices = scenario.devices.enumerated().map { number, definition in
      SimulatedDevice(definition, on: loop, generator: generator.split("\(number)"))
    }
    player = ScenarioPlayer(
      scenario,
      devices: devices,
      on: loop,
      generator: generator.split("faults"),
      connect: { try bus.connect() },
      // Damaged files must not start programs.
      openLogic: { _, _ in DeviceLogic { _ in LogicAnswer() } }
    )
  }

  /// Scans, connects, and reads and subscribes to every characteristic.
  ///
  /// - Throws: ``BrokenPromise`` when the world does not come to an end.
  func play() throws {
    defer {
      player.stop()
      bus.shutDown()
      loop.end()
    }
    do {
      let (bus, player) = (bus, player)
      try loop.run {
        try await player.start()
        let client = try bus.connect()
        try await touch(client)
        client.close()
      }
    } catch let limit as EventLimitReached {
      throw BrokenPromise(description: "playing what the file defines does not end: \(limit)")
    } catch {}
  }

  private func touch(_ client: MessageBus) async throws {
    let adapter = BlueZPath.adapter(BlueZPath.adapterName(index: 0))
    await call(client, adapter, Adapter1.interface, "StartDiscovery")
    try await loop.sleep(for: .milliseconds(1_500))
    for path in await paths(client) where BlueZPath.devicePath(containing: path) == path {
      await call(client, path, Device1.interface, "Connect")
    }
    try await loop.sleep(for: .milliseconds(500))
    let options = DBusValue.properties([:])
    for path in await paths(client).prefix(24) {
      await call(client, path, GattCharacteristic1.interface, "ReadValue", [options])
      await call(client, path, GattCharacteristic1.interface, "StartNotify")
      await call(
        client,
        path,
        GattCharacteristic1.interface,
        "WriteValue",
        [.bytes([1, 2, 3]), options]
      )
    }
    try await loop.sleep(for: .seconds(2))
  }

  private func paths(_ client: MessageBus) async -> [ObjectPath] {
    let reply = await call(
      client,
      BlueZPath.objectManager,
      StandardInterface.objectManager,
      StandardInterface.getManagedObjects.name
    )
    guard case .dictionary(let objects) = reply?.body.first else { return [] }
    return objects.entries.compactMap { $0.key.asObjectPath }
  }

  @discardableResult
  private func call(
    _ client: MessageBus, _ path: ObjectPath, _ interface: String, _ member: String,
    _ body: [DBusValue] = []
  ) async -> Message? {
    let call = try? MethodCall(
      destination: OrgBlueZ.busName, path: path, interface: interface, member: member, body: body
    )
    guard let call else { return nil }
    return try? await client.call(call, limit: Self.limit)
  }
}
