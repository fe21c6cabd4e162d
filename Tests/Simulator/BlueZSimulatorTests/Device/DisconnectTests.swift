// The ends of links: by Disconnect, by the peer, by RemoveDevice.

import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("End of the link")
struct DisconnectTests {
  private static let notConnected = "org.bluez.Error.Failed: Not connected"

  /// Acquires both ways, listens, and leaves a read of 1 s pending.
  private func load(_ lab: Lab) throws -> [DBusValue] {
    let client = lab.client
    let notify = try client.call("AcquireNotify", .heartRate, .noOptions).get()
    let write = try client.call("AcquireWrite", .echo, .noOptions).get()
    try client.call("StartNotify", .battery)
    client.forget()
    try client.begin("ReadValue", .slow, .noOptions)
    try lab.pass(.milliseconds(500))
    client.forget()
    return notify + write
  }

  private static let slowRead = [
    FaultRule(on: .read, characteristic: .own(9), action: .slow(.seconds(1)))
  ]

  @Test(
    "Disconnect removes Battery1, waits 2 s, updates ServicesResolved, replies, then ends the link"
  )
  func disconnect() throws {
    let lab = try Lab.connected(faults: Self.slowRead)
    let sockets = try load(lab)
    let start = lab.loop.now
    try lab.client.call("Disconnect", .device)
    #expect(lab.loop.now - start == .seconds(2))
    try lab.pass()
    #expect(
      lab.client.take() == [
        "DEV removed Battery1",
        "DEV/service0016/char0022 GattCharacteristic1 Value=0x73",
        "ReadValue replied 0x73",
        "DEV Device1 ServicesResolved=false",
        "Disconnect replied",
        "DEV Device1 Connected=false",
        "DEV/service000a/char000b GattCharacteristic1 NotifyAcquired=false",
        "DEV/service0016/char0017 GattCharacteristic1 WriteAcquired=false",
      ]
    )
    #expect(sockets.count == 4)
  }

  @Test("a second Disconnect waits with the first, and both are answered")
  func twice() throws {
    let lab = try Lab.connected()
    try lab.client.begin("Disconnect", .device)
    try lab.pass(.seconds(1))
    try lab.client.call("Disconnect", .device)
    try lab.pass()
    #expect(
      lab.client.take() == [
        "DEV removed Battery1", "DEV Device1 ServicesResolved=false", "Disconnect replied",
        "Disconnect replied", "DEV Device1 Connected=false",
      ]
    )
  }

  @Test("Disconnect while disconnected succeeds at once")
  func idle() throws {
    let lab = try Lab.discovered()
    let start = lab.loop.now
    try lab.client.call("Disconnect", .device)
    #expect(lab.loop.now == start)
    #expect(lab.client.take() == ["Disconnect replied"])
  }

  @Test(
    "a lost link sends one message, fails pending requests, and removes Battery1 and the sockets"
  )
  func loss() throws {
    let lab = try Lab.connected(faults: Self.slowRead)
    let sockets = try load(lab)
    lab.simulator.loseLink(.monitor)
    try lab.pass()
    #expect(
      lab.client.take() == [
        "DEV Device1 ServicesResolved=false Connected=false",
        "ReadValue failed org.bluez.Error.Failed: Operation failed with ATT error: 0x0e",
        "DEV removed Battery1",
        "DEV/service000a/char000b GattCharacteristic1 NotifyAcquired=false",
        "DEV/service0016/char0017 GattCharacteristic1 WriteAcquired=false",
      ]
    )
    try lab.pass(.seconds(10))
    #expect(lab.client.take() == [])
    #expect(sockets.count == 4)
  }

  @Test("a link that drops during Disconnect's delay ends the delay")
  func lossWhileClosing() throws {
    let lab = try Lab.connected()
    try lab.client.begin("Disconnect", .device)
    try lab.pass(.seconds(1))
    lab.simulator.loseLink(.monitor)
    try lab.pass(.seconds(10))
    #expect(
      lab.client.take() == [
        "DEV removed Battery1", "DEV Device1 ServicesResolved=false", "Disconnect replied",
        "DEV Device1 Connected=false",
      ]
    )
  }

  @Test("the attributes stay, and every call to them fails as not connected")
  func afterwards() throws {
    let lab = try Lab.connected()
    lab.simulator.loseLink(.monitor)
    try lab.pass()
    let client = lab.client
    let read = try client.ask("ReadValue", .battery, .noOptions)
    #expect(read == "ReadValue failed \(Self.notConnected)")
    let write = try client.ask("WriteValue", .echo, .write([1]))
    #expect(write == "WriteValue failed \(Self.notConnected)")
    let descriptor = try client.ask("ReadValue", .description, .noOptions)
    #expect(descriptor == "ReadValue failed \(Self.notConnected)")
    let written = try client.ask("WriteValue", .description, .write([1]))
    #expect(written == "WriteValue failed \(Self.notConnected)")
    let acquired = try client.ask("AcquireNotify", .battery, .noOptions)
    #expect(acquired == "AcquireNotify failed \(Self.notConnected)")
  }

  @Test("during Disconnect's delay, StartNotify is refused as not connected")
  func notifyWhileClosing() throws {
    let lab = try Lab.connected()
    try lab.client.begin("Disconnect", .device)
    #expect(
      try lab.client.ask("StartNotify", .battery)
        == "StartNotify failed org.bluez.Error.NotConnected: Not Connected"
    )
  }

  @Test("a device that never answers loses its link after 30 s")
  func silence() throws {
    let lab = try Lab.connected(faults: [FaultRule(on: .read, action: .neverAnswer)])
    let start = lab.loop.now
    #expect(
      try lab.client.ask("ReadValue", .battery, .noOptions)
        == "ReadValue failed org.bluez.Error.Failed: Operation failed with ATT error: 0x0e"
    )
    #expect(lab.loop.now - start == .seconds(30))
    #expect(lab.client.take().first == "DEV Device1 ServicesResolved=false Connected=false")
  }

  @Test("a connection stays up when the client that made it leaves the bus")
  func orphan() throws {
    let lab = try Lab.discovered()
    let other = try lab.join()
    try other.call("Connect", .device)
    try lab.pass(.seconds(1))
    lab.client.forget()
    other.leave()
    try lab.pass(.seconds(10))
    #expect(lab.client.take() == [])
    #expect(try lab.client.property("Connected", .device) == .boolean(true))
  }

  // MARK: RemoveDevice

  @Test("RemoveDevice of a connected device disconnects, replies, then removes it, children first")
  func remove() throws {
    let lab = try Lab.connected([.small])
    try lab.client.call("RemoveDevice", .adapter, [.objectPath(Target.device.path)])
    try lab.pass()
    let object = "removed Properties Introspectable"
    #expect(
      lab.client.take() == [
        "DEV removed Battery1",
        "DEV Device1 ServicesResolved=false",
        "RemoveDevice replied",
        "DEV Device1 Connected=false",
        "DEV/service0006/char0007/desc0009 \(object) GattDescriptor1",
        "DEV/service0006/char0007 \(object) GattCharacteristic1",
        "DEV/service0006 \(object) GattService1",
        "DEV/service000a/char000b/desc000d \(object) GattDescriptor1",
        "DEV/service000a/char000b \(object) GattCharacteristic1",
        "DEV/service000a \(object) GattService1",
        "DEV \(object) Device1",
      ]
    )
    #expect(try lab.client.objects().map(\.path) == ["/org/bluez", "hci0"])
  }

  @Test("RemoveDevice of an unknown or removed device fails with DoesNotExist")
  func removeUnknown() throws {
    let lab = try Lab.discovered()
    let paths: [ObjectPath] = [
      "/org/bluez/hci0/dev_00_11_22_33_44_55", "/org/bluez/hci0", "/org/bluez/hci1",
    ]
    for path in paths {
      #expect(
        try lab.client.ask("RemoveDevice", .adapter, [.objectPath(path)])
          == "RemoveDevice failed org.bluez.Error.DoesNotExist: Does Not Exist"
      )
    }
    let device = [DBusValue.objectPath(Target.device.path)]
    #expect(try lab.client.ask("RemoveDevice", .adapter, device) == "RemoveDevice replied")
    #expect(
      try lab.client.ask("RemoveDevice", .adapter, device)
        == "RemoveDevice failed org.bluez.Error.DoesNotExist: Does Not Exist"
    )
  }

  @Test("a removed device that is found again is new: no values, no sessions, no trust")
  func removedIsForgotten() throws {
    let lab = try Lab.connected()
    let client = lab.client
    try client.call("StartNotify", .battery)
    try client.call("ReadValue", .location, .noOptions)
    try client.call("ReadValue", .description, .noOptions)
    try client.set("Trusted", .boolean(true), .device)
    try client.call("RemoveDevice", .adapter, [.objectPath(Target.device.path)])
    try lab.connect()
    #expect(try client.property("Trusted", .device) == .boolean(false))
    #expect(try client.property("Notifying", .battery) == .boolean(false))
    #expect(try client.property("Value", .location) == .bytes([]))
    #expect(try client.property("Value", .description) == .bytes([]))
    #expect(
      try client.ask("StopNotify", .battery)
        == "StopNotify failed org.bluez.Error.Failed: No notify session started"
    )
  }
}

extension DeviceDefinition {
  /// The monitor's battery alone.
  static var small: DeviceDefinition {
    monitor.changing { definition in
      definition.services = [definition.services[1]]
    }
  }
}
