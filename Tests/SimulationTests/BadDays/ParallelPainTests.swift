// Several devices at once over one adapter.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Pains of several devices")
struct ParallelPainTests {
  /// A client with a service for each of several devices, all in the air of one adapter.
  private final class Fleet: Sendable {
    let loop = VirtualTimeLoop()
    let bus: LoopbackBus
    let simulator: BlueZSimulator
    let devices: [SimulatedDevice]
    let services: [BlueZDevice]
    let calls = Recorded<String>()
    let events: Recorded<SimulatorEvent>

    init(_ count: Int) throws {
      let (loop, calls, events) = (loop, calls, Recorded<SimulatorEvent>())
      self.events = events
      let bus = LoopbackBus(on: loop) { message, _ in
        if message.kind == .methodCall, message.member == "Connect" {
          calls.add("called")
        } else if message.kind == .signal, message.isLinkUp {
          calls.add("up")
        }
      }
      self.bus = bus
      devices = (0..<count).map { index in
        var definition = DeviceDefinition.thermometer
        definition.name = "Thermo-\(index)"
        definition.address = BluetoothAddress(number: 0xC0FF_EE00_0010 + UInt64(index))
        let generator = SeededGenerator(seed: 0, name: "\(index)")
        return SimulatedDevice(definition, on: loop, generator: generator)
      }
      let simulator = BlueZSimulator(bus: try bus.connect(), devices: devices) { events.add($0) }
      self.simulator = simulator
      let ours = try bus.connect()
      let client = try loop.run {
        try await simulator.start()
        return try await BlueZClient.open(bus: ours)
      }
      services = devices.map {
        client.service($0.definition.address, on: SerialScheduler(on: loop))
      }
    }

    deinit {
      bus.shutDown()
      loop.end()
    }

    /// Runs a chain on every device at once.
    func all(
      _ chain: @escaping @Sendable (BlueZDevice) -> Signal<Int>
    ) throws -> [Result<Int, any Error>] {
      let tasks = services.map { service in
        loop.task {
          try await service.scheduler.turn(within: .seconds(60)) {
            let last = Guarded(0)
            try await chain(service).run { value in last.withLock { $0 = value } }
            return last.withLock { $0 }
          }
        }
      }
      return try loop.run {
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

  @Test("parallel connects: one at a time over an adapter, and all are used at once")
  func parallel() throws {
    let fleet = try Fleet(4)
    let results = try fleet.all(Self.chain)
    for result in results { #expect((try? result.get()) == 87, "\(result)") }
    #expect(fleet.simulator.connectedDevices == [])
    // Each was up before the next was asked for.
    #expect(fleet.calls.all == Array(repeating: ["called", "up"], count: 4).flatMap { $0 })
    // All four were up at the same time.
    var up = 0
    var most = 0
    for event in fleet.events.all {
      if case .linkUp = event { up += 1 }
      if case .linkDown = event { up -= 1 }
      most = max(most, up)
    }
    #expect(most == 4)
  }

  @Test("a device that cannot be connected holds up the others, and costs them nothing else")
  func oneAbsent() throws {
    let fleet = try Fleet(3)
    fleet.devices[0].setFaults([FaultRule(on: .connect, action: .refuseConnection)])
    let results = try fleet.all(Self.chain)
    let failure = #expect(throws: DeviceFailure.self) { try results[0].get() }
    #expect(failure?.code == .connectFailed)
    for result in results.dropFirst() { #expect((try? result.get()) == 87, "\(result)") }
    #expect(fleet.simulator.connectedDevices == [])
    fleet.devices[0].setFaults([])
    for result in try fleet.all(Self.chain) { #expect((try? result.get()) == 87, "\(result)") }
    #expect(fleet.simulator.connectedDevices == [])
  }
}

extension Message {
  /// Whether it says that a device is connected.
  fileprivate var isLinkUp: Bool {
    body.count == 3 && body[1].asPropertyMap?["Connected"]?.asBool == true
  }
}
