// The end of a simulation: what is announced, who is left waiting, and that nothing remains.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("The end of a simulation")
struct LifetimeTests {
  @Test("connections end, the adapter powers off, then every object is removed, children first")
  func stop() throws {
    let lab = try Lab([.small])
    try lab.connect()
    lab.simulator.stop()
    try lab.pass()
    let object = "removed Properties Introspectable"
    #expect(
      lab.client.take() == [
        "DEV Device1 ServicesResolved=false Connected=false",
        "hci0 Adapter1 Powered=false Discovering=false",
        "/org/bluez removed Introspectable AgentManager1",
        "DEV/service0006/char0007/desc0009 \(object) GattDescriptor1",
        "DEV/service0006/char0007 \(object) GattCharacteristic1",
        "DEV/service0006 \(object) GattService1",
        "DEV/service000a/char000b/desc000d \(object) GattDescriptor1",
        "DEV/service000a/char000b \(object) GattCharacteristic1",
        "DEV/service000a \(object) GattService1",
        "DEV \(object) Device1 Battery1",
        "hci0 \(object) Adapter1 LEAdvertisingManager1 GattManager1",
      ]
    )
    #expect(lab.events.all.last == .linkDown(.monitor))
  }

  @Test("pending calls are not answered by it, and nothing happens afterwards")
  func pending() throws {
    let slow = FaultRule(on: .read, characteristic: .own(9), action: .slow(.seconds(1)))
    let lab = try Lab(faults: [slow])
    try lab.connect()
    try lab.client.call("StartNotify", .heartRate)
    try lab.client.call("StartDiscovery", .adapter)
    try lab.client.begin("ReadValue", .slow, .noOptions)
    try lab.client.begin("Disconnect", .device)
    try lab.pass(.milliseconds(100))
    lab.simulator.stop()
    try lab.pass()
    lab.client.forget()
    lab.events.forget()
    try lab.pass(.seconds(99))
    #expect(lab.client.take() == [])
    #expect(lab.events.all == [])
  }

  @Test("a second simulator does not get the name")
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

  /// Runs a simulation, drops it, and returns what is left while its loop runs on.
  private func leftovers(_ use: (Lab) throws -> Void) throws -> Leftovers {
    let left = Leftovers()
    let loop: VirtualTimeLoop
    do {
      let lab = try Lab(isOutlived: true)
      loop = lab.loop
      left.simulator = lab.simulator
      left.device = lab.device
      left.bus = lab.bus
      try use(lab)
    }
    // What was posted last is done, and then forgotten.
    try loop.run { try await loop.sleep(for: .milliseconds(1)) }
    loop.end()
    return left
  }

  @Test("a simulation that was stopped in the middle of everything leaves no object behind")
  func stopped() throws {
    let left = try leftovers { lab in
      try lab.connect()
      try lab.client.call("StartNotify", .heartRate)
      try lab.client.call("AcquireWrite", .echo, .noOptions)
      try lab.client.call("StartDiscovery", .adapter)
      try lab.client.begin("ReadValue", .slow, .noOptions)
      try lab.client.begin("WriteValue", .echo, .write([1]))
      try lab.client.begin("Disconnect", .device)
      try lab.pass()
      lab.simulator.stop()
      lab.client.leave()
      lab.bus.shutDown()
    }
    #expect(left.simulator == nil)
    #expect(left.device == nil)
    #expect(left.bus == nil)
  }

  @Test("an adapter that is plugged in after bluetoothd has ended leaves no object behind")
  func putInLate() throws {
    let left = try leftovers { lab in
      try lab.connect()
      lab.client.leave()
      lab.simulator.crash()
      lab.simulator.plugIn(as: 1)
      #expect(lab.simulator.connectedDevices == [])
      try lab.pass()
      lab.bus.shutDown()
    }
    #expect(left.simulator == nil)
    #expect(left.device == nil)
    #expect(left.bus == nil)
  }

  @Test("a simulation that is dropped ends by itself")
  func dropped() throws {
    let left = try leftovers { lab in
      try lab.connect()
      lab.client.leave()
      lab.bus.shutDown()
    }
    #expect(left.simulator == nil)
    #expect(left.device == nil)
  }

  @Test("a simulator that was never started leaves no object behind")
  func unstarted() throws {
    weak var simulator: BlueZSimulator?
    weak var device: SimulatedDevice?
    let loop = VirtualTimeLoop()
    let bus = LoopbackBus(on: loop)
    defer {
      bus.shutDown()
      loop.end()
    }
    do {
      let made = SimulatedDevice(
        .monitor,
        on: loop,
        generator: SeededGenerator(seed: 0, name: "device")
      )
      let unused = BlueZSimulator(bus: try bus.connect(), devices: [made])
      (simulator, device) = (unused, made)
      #expect(unused.connectedDevices == [])
    }
    #expect(simulator == nil)
    #expect(device == nil)
  }
}
