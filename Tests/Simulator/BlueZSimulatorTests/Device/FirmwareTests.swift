// New firmware without a Service Changed indication: bluetoothd's cached services are stale.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Replaced firmware")
struct FirmwareTests {
  static let service = BluetoothUUID(short: 0x180d)
  static let failed = "org.bluez.Error.Failed: Operation failed with ATT error: 0x01"

  @Test(
    "after a firmware change, the objects stay, and requests fail as Invalid Handle on every link"
  )
  func stale() throws {
    let lab = try Lab.connected()
    lab.simulator.replace(Self.service, true, at: .monitor)
    try lab.pass()
    #expect(lab.client.take() == [])
    for _ in 0..<2 {
      #expect(
        try lab.client.ask("ReadValue", .location, .noOptions) == "ReadValue failed \(Self.failed)"
      )
      #expect(try lab.client.ask("StartNotify", .heartRate) == "StartNotify failed \(Self.failed)")
      lab.simulator.loseLink(.monitor)
      try lab.client.call("Connect", .device)
      try lab.pass(.seconds(1))
    }
  }

  @Test("a device that is removed and found again does not have the removed service")
  func anew() throws {
    let lab = try Lab.connected()
    lab.simulator.replace(Self.service, true, at: .monitor)
    try lab.client.call("RemoveDevice", .adapter, [.objectPath(Target.device.path)])
    try lab.discover()
    try lab.client.call("Connect", .device)
    try lab.pass(.seconds(1))
    #expect(!lab.client.lines.contains { $0.contains("service000a") })
    #expect(lab.client.lines.contains { $0.contains("service0012") })
  }

  @Test("restoring the firmware restores the service; a device never connected meanwhile lacks it")
  func back() throws {
    let lab = try Lab.discovered()
    lab.simulator.replace(Self.service, true, at: .monitor)
    try lab.client.call("Connect", .device)
    try lab.pass(.seconds(1))
    #expect(!lab.client.take().contains { $0.contains("service000a") })
    lab.simulator.replace(Self.service, false, at: .monitor)
    try lab.pass()
    #expect(lab.client.take().contains { $0.contains("service000a") })
    #expect(try lab.client.ask("StartNotify", .heartRate) == "StartNotify replied")
  }
}
