// The end of a simulation: its signals, unanswered calls, and that nothing remains.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("The end of a simulation")
struct LifetimeTests {
  @Test(
    "ending drops connections, powers off the adapter, then removes all objects, children first"
  )
  func stop() throws {
    let lab = try Lab.connected([.small])
    lab.simulator.stop()
    try lab.pass()
    let object = "removed Properties Introspectable"
    #expect(
      lab.client.take() == [
        "DEV Device1 ServicesResolved=false Connected=false",
        "hci0 Adapter1 Powered=false Discovering=false",
        "/org/bluez removed Introspectable AgentManager1 ProfileManager1 HealthManager1",
        "DEV/service0006/char0007/desc0009 \(object) GattDescriptor1",
        "DEV/service0006/char0007 \(object) GattCharacteristic1",
        "DEV/service0006 \(object) GattService1",
        "DEV/service000a/char000b/desc000d \(object) GattDescriptor1",
        "DEV/service000a/char000b \(object) GattCharacteristic1",
        "DEV/service000a \(object) GattService1",
        "DEV \(object) Device1 Battery1",
        "hci0 \(object) Adapter1 LEAdvertisingManager1 GattManager1 NetworkServer1 Media1",
      ]
    )
    #expect(lab.events.last == .linkDown(.monitor))
  }

  @Test("ending answers no pending calls, and nothing happens afterwards")
  func pending() throws {
    let slow = FaultRule(on: .read, characteristic: .own(9), action: .slow(.seconds(1)))
    let lab = try Lab.connected(faults: [slow])
    try lab.client.call("StartNotify", .heartRate)
    try lab.client.call("StartDiscovery", .adapter)
    try lab.client.begin("ReadValue", .slow, .noOptions)
    try lab.client.begin("Disconnect", .device)
    try lab.pass(.milliseconds(100))
    lab.simulator.stop()
    try lab.pass()
    lab.client.forget()
    lab.forgetEvents()
    try lab.pass(.seconds(99))
    #expect(lab.client.take() == [])
    #expect(lab.events == [])
  }

  @Test("a second simulator cannot own the bus name")
  func nameTaken() throws {
    let lab = try Lab()
    let other = BlueZSimulator(bus: try lab.bus.connect(), devices: [])
    let loop = lab.loop
    #expect(throws: SimulatorError.nameTaken) { try loop.run { try await other.start() } }
  }

  // MARK: Memory

  /// References that keep nothing.
  private final class Leftovers {
    weak var simulator: BlueZSimulator?
    weak var device: SimulatedDevice?
    weak var bus: LoopbackBus?
  }

  /// A simulator by itself: a world would end it, and its own end is the matter here.
  private struct Alone {
    let bus: LoopbackBus
    let device: SimulatedDevice
    let simulator: BlueZSimulator

    init(on loop: VirtualTimeLoop) throws {
      bus = LoopbackBus(on: loop)
      let generator = SeededGenerator(seed: 0, name: "device")
      device = SimulatedDevice(.monitor, on: loop, generator: generator)
      simulator = BlueZSimulator(bus: try bus.connect(), devices: [device])
    }

    /// A client with a connection to the device.
    func connect() throws -> RawClient {
      let (loop, simulator) = (bus.loop, simulator)
      try loop.run { try await simulator.start() }
      let client = try RawClient(on: bus, receiving: OrgBlueZ.busName)
      try client.call("StartDiscovery", .adapter)
      try loop.run { try await loop.sleep(for: .seconds(1)) }
      try client.call("Connect", .device)
      try loop.run { try await loop.sleep(for: .seconds(1)) }
      return client
    }
  }

  /// Runs a simulation, releases it, and returns the remaining objects while its loop runs on.
  private func leftovers(_ use: (Alone, Loop) throws -> Void) throws -> Leftovers {
    let (left, loop) = (Leftovers(), VirtualTimeLoop())
    do {
      let alone = try Alone(on: loop)
      (left.simulator, left.device, left.bus) = (alone.simulator, alone.device, alone.bus)
      try use(alone, loop)
    }
    // Lets the last posted job run and be freed.
    try loop.run { try await loop.sleep(for: .milliseconds(1)) }
    loop.end()
    return left
  }

  @Test("a simulation that is stopped during any activity leaves no object behind")
  func stopped() throws {
    let left = try leftovers { alone, loop in
      let client = try alone.connect()
      try client.call("StartNotify", .heartRate)
      try client.call("AcquireWrite", .echo, .noOptions)
      try client.begin("ReadValue", .slow, .noOptions)
      try client.begin("WriteValue", .echo, .write([1]))
      try client.begin("Disconnect", .device)
      try loop.run { try await loop.sleep(for: .milliseconds(1)) }
      alone.simulator.stop()
      client.leave()
      alone.bus.shutDown()
    }
    #expect(left.simulator == nil)
    #expect(left.device == nil)
    #expect(left.bus == nil)
  }

  @Test("an adapter that is plugged in after bluetoothd ended leaves no object behind")
  func putInLate() throws {
    let left = try leftovers { alone, loop in
      try alone.connect().leave()
      alone.simulator.crash()
      alone.simulator.plugIn(as: 1)
      #expect(alone.simulator.connectedDevices == [])
      try loop.run { try await loop.sleep(for: .milliseconds(1)) }
      alone.bus.shutDown()
    }
    #expect(left.simulator == nil)
    #expect(left.device == nil)
    #expect(left.bus == nil)
  }

  @Test("a simulation that is released ends by itself, even if it was never started")
  func dropped() throws {
    for isStarted in [true, false] {
      let left = try leftovers { alone, _ in
        if isStarted { try alone.connect().leave() }
        #expect(isStarted || alone.simulator.connectedDevices == [])
        alone.bus.shutDown()
      }
      #expect(left.simulator == nil)
      #expect(left.device == nil)
    }
  }
}
