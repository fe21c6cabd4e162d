// Control of a running device: set values, added faults, and naming attributes.

import Bluetooth
import Documents
import Signals
import SimulatedDevices
import Testing

@Suite("Control of a device")
struct SteeringTests {
  private static let thermometer = """
    name: Thermo
    services:
    - service: battery
      characteristics:
      - { characteristic: battery-level, properties: [read, notify], value: { u8: 87 } }
      - { characteristic: 2a6e, properties: [read], value: { u8: 1 } }
      - { characteristic: 2a6e, properties: [read], value: { u8: 2 } }
      - { characteristic: 2a6f, properties: [read, notify], counter: { format: u8, every: 1s } }
    """

  private func bench() throws -> DeviceBench {
    DeviceBench(try DeviceText.device(Self.thermometer))
  }

  @Test("a counter stays at a set value, and resumes where it would have been")
  func moving() throws {
    let bench = try bench()
    let (loop, device) = (bench.loop, bench.device)
    let handle = try device.table.characteristic(named: "2a6f").handle
    try loop.run { try await loop.sleep(for: .milliseconds(2500)) }
    #expect(device.value(at: handle) == [2])
    device.setValue([200], at: handle)
    try loop.run { try await loop.sleep(for: .seconds(2)) }
    #expect(device.value(at: handle) == [200])
    device.letMove(at: handle)
    #expect(device.value(at: handle) == [4])
  }

  @Test("an unused handle has no value")
  func noHandle() throws {
    let device = try bench().device
    #expect(device.value(at: 0x0fff) == nil)
    #expect(!device.setValue([1], at: 0x0fff))
  }

  @Test("a characteristic with a duplicate UUID is named with its instance number")
  func instances() throws {
    let table = try bench().device.table
    let error = try #require(throws: Problem.self) { try table.characteristic(named: "2a6e") }
    #expect(error.description == "'2a6e' is 2 characteristics: expected '2a6e#0' to '2a6e#1'")
    let first = try table.characteristic(named: "2a6e#0").handle
    let second = try table.characteristic(named: "battery/2a6e#1").handle
    #expect(first < second)
    #expect(try table.characteristic(named: "@\(second)").handle == second)
  }

  @Test("an ambiguous device name is refused, asking for the address")
  func sameName() throws {
    let loop = VirtualTimeLoop()
    let devices = [1, 2].map { number in
      SimulatedDevice(
        DeviceDefinition(name: "Twin", address: BluetoothAddress(number: number)), on: loop,
        generator: SeededGenerator(seed: 0)
      )
    }
    let error = try #require(throws: Problem.self) {
      try SimulatedDevice.named("twin", among: devices)
    }
    #expect(error.description.contains("expected an address of these"))
    let second = try SimulatedDevice.named("00:00:00:00:00:02", among: devices)
    #expect(second === devices[1])
  }

  @Test(
    "an added rule counts from its own first operation, and does not change other rules' counts"
  )
  func addedFault() throws {
    let device = try bench().device
    device.setFaults([FaultRule(on: .connect, occurrence: .nth(3), action: .refuseConnection)])
    #expect(device.nextFault(.connect) == .none)
    device.addFault(FaultRule(on: .connect, occurrence: .nth(1), action: .neverAnswer))
    #expect(device.nextFault(.connect) == .neverAnswer)
    #expect(device.nextFault(.connect) == .refuseConnection)
  }
}
