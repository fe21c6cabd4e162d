// Several devices at once over one adapter.

import BLETesting
import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Known problems of several devices")
struct ParallelPainTests {
  /// A world of several devices, with a service for each.
  private struct Fleet {
    let world: SimulatedWorld
    let services: [BlueZDevice]
    let calls = Recorded<String>()

    init(_ count: Int) throws {
      let (loop, calls) = (VirtualTimeLoop(), calls)
      let devices = (0..<count).map { index in
        var definition = DeviceDefinition.thermometer
        definition.name = "Thermo-\(index)"
        definition.address = BluetoothAddress(number: 0xC0FF_EE00_0010 + UInt64(index))
        let generator = SeededGenerator(seed: 0, name: "\(index)")
        return SimulatedDevice(definition, on: loop, generator: generator)
      }
      world = try SimulatedWorld(
        devices, on: loop,
        observer: { message, _ in
          if message.kind == .methodCall, message.member == "Connect" {
            calls.add("called")
          } else if message.kind == .signal, message.isLinkUp {
            calls.add("up")
          }
        }
      )
      services = devices.map { [world] device in
        world.client.service(device.definition.address, on: SerialScheduler(on: loop))
      }
    }

    /// Runs a chain on every device at once.
    func all(
      _ chain: @escaping @Sendable (BlueZDevice) -> Signal<Int>
    ) throws -> [Result<Int, any Error>] {
      let tasks = services.map { service in
        world.loop.task {
          try await service.scheduler.turn(within: .seconds(60)) {
            let last = Guarded(0)
            try await chain(service).run { value in last.withLock { $0 = value } }
            return last.withLock { $0 }
          }
        }
      }
      return try world.loop.run {
        var results: [Result<Int, any Error>] = []
        for task in tasks { results.append(await task.result) }
        return results
      }
    }
  }

  private static let chain: @Sendable (BlueZDevice) -> Signal<Int> = { service in
    service.session {
      service.read(.batteryLevel).flattenMap { Signal.just($0).delay(.seconds(2)) }
    }
  }

  @Test("parallel connects run one at a time per adapter, and all links are used concurrently")
  func parallel() throws {
    let fleet = try Fleet(4)
    let results = try fleet.all(Self.chain)
    for result in results { #expect((try? result.get()) == 87, "\(result)") }
    #expect(fleet.world.simulator.connectedDevices == [])
    // Each was up before the next was asked for.
    #expect(fleet.calls.all == Array(repeating: ["called", "up"], count: 4).flatMap { $0 })
    // All four were up at the same time.
    var up = 0
    var most = 0
    for event in fleet.world.events {
      if case .linkUp = event { up += 1 }
      if case .linkDown = event { up -= 1 }
      most = max(most, up)
    }
    #expect(most == 4)
  }

  @Test("a device that cannot be connected delays the others but does not fail them")
  func oneAbsent() throws {
    let fleet = try Fleet(3)
    fleet.world.steering.devices[0].setFaults([FaultRule(on: .connect, action: .refuseConnection)])
    let results = try fleet.all(Self.chain)
    let failure = #expect(throws: DeviceFailure.self) { try results[0].get() }
    #expect(failure?.code == .connectFailed)
    for result in results.dropFirst() { #expect((try? result.get()) == 87, "\(result)") }
    #expect(fleet.world.simulator.connectedDevices == [])
    fleet.world.steering.devices[0].setFaults([])
    for result in try fleet.all(Self.chain) { #expect((try? result.get()) == 87, "\(result)") }
    #expect(fleet.world.simulator.connectedDevices == [])
  }
}

extension Message {
  /// Whether the event says that a device is connected.
  fileprivate var isLinkUp: Bool {
    body.count == 3 && body[1].asPropertyMap?["Connected"]?.asBool == true
  }
}
