// Behaviour that was first recorded in a comparison with a real bluetoothd.

import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Behaviour found by the comparison with bluetoothd")
struct ComparedTests {
  private static let heartRate = "DEV/service000a/char000b GattCharacteristic1"

  private func filter(_ entries: PropertyMap) -> [DBusValue] { [.properties(entries)] }

  @Test(
    "the adapter is discoverable while a filter requires it, which is announced before the replies"
  )
  func discoverableFilter() throws {
    let lab = try Lab()
    let wanted = filter(["Discoverable": .boolean(true)])
    try lab.client.call("SetDiscoveryFilter", .adapter, wanted)
    lab.client.forget()
    try lab.client.call("StartDiscovery", .adapter)
    #expect(
      lab.client.take().prefix(2) == [
        "hci0 Adapter1 Discoverable=true", "StartDiscovery replied",
      ]
    )
    try lab.client.call("StopDiscovery", .adapter)
    #expect(
      lab.client.take().filter { $0.contains("Discoverable") || $0.contains("Stop") } == [
        "hci0 Adapter1 Discoverable=false", "StopDiscovery replied",
      ]
    )
  }

  @Test("discovery of BR/EDR alone is refused as in progress, and creates no session")
  func classic() throws {
    let lab = try Lab()
    let wanted = filter(["Transport": .string("bredr")])
    try lab.client.call("SetDiscoveryFilter", .adapter, wanted)
    #expect(
      try lab.client.ask("StartDiscovery", .adapter)
        == "StartDiscovery failed org.bluez.Error.InProgress: Operation already in progress"
    )
    #expect(
      try lab.client.ask("StopDiscovery", .adapter)
        == "StopDiscovery failed org.bluez.Error.Failed: No discovery started"
    )
  }

  @Test("a value is signalled once for each subscribed client")
  func twoListeners() throws {
    let lab = try Lab.connected()
    let other = try lab.join()
    try lab.client.call("StartNotify", .heartRate)
    try other.call("StartNotify", .heartRate)
    lab.client.forget()
    try lab.pass(.milliseconds(1_100))
    let values = lab.client.take().filter { $0.hasPrefix("\(Self.heartRate) Value=") }
    #expect(values.count == 2)
    #expect(Set(values).count == 1)
  }

  @Test("without a link nothing can be acquired, whichever clients subscribe")
  func acquiredWithoutLink() throws {
    let lab = try Lab.connected()
    try lab.client.call("Disconnect", .device)
    try lab.client.call("StartNotify", .heartRate)
    #expect(
      try lab.client.ask("AcquireNotify", .heartRate, .noOptions)
        == "AcquireNotify failed org.bluez.Error.Failed: Not connected"
    )
  }

  @Test("removing a device announces nothing about its sockets")
  func removedInUse() throws {
    let lab = try Lab.connected()
    let held = try lab.client.call("AcquireNotify", .heartRate, .noOptions).get()
    lab.client.forget()
    try lab.client.call("RemoveDevice", .adapter, [.objectPath(Target.device.path)])
    try lab.pass(.seconds(3))
    let lines = withExtendedLifetime(held) { lab.client.take() }
    #expect(lines.contains { $0.hasPrefix("DEV removed") })
    #expect(!lines.contains { $0.contains("NotifyAcquired") })
  }

  @Test("profiles are refused as on an adapter without BR/EDR")
  func profiles() throws {
    let lab = try Lab.connected()
    let profile = [DBusValue.string("0000110a-0000-1000-8000-00805f9b34fb")]
    #expect(
      try lab.client.ask("ConnectProfile", .device, profile)
        == "ConnectProfile failed org.bluez.Error.Failed: br-connection-sdp-search"
    )
    #expect(
      try lab.client.ask("DisconnectProfile", .device, profile).hasPrefix(
        "DisconnectProfile failed org.bluez.Error.InvalidArguments"
      )
    )
  }

  @Test("an unknown device is reported as unknown, even while the adapter is off")
  func unknownDevice() throws {
    let lab = try Lab()
    try lab.client.set("Powered", .boolean(false), .adapter)
    #expect(
      try lab.client.ask("RemoveDevice", .adapter, [.objectPath(Target.device.path)])
        == "RemoveDevice failed org.bluez.Error.DoesNotExist: Does Not Exist"
    )
  }
}
