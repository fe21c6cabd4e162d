// AcquireNotify calls that are refused, stopped or abandoned before their socket exists.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Sockets that are never acquired")
struct AcquireFailureTests {
  private static let taken = "AcquireNotify failed org.bluez.Error.NotPermitted: Notify acquired"
  private static let refusal = FaultRule(
    on: .subscribe, occurrence: .nth(1), action: .refuse(.insufficientResources)
  )
  private static let slow = FaultRule(on: .subscribe, action: .slow(.seconds(5)))

  private func connected(_ fault: FaultRule, _ version: BlueZVersion = .debian12) throws -> Lab {
    var settings = SimulatorSettings()
    settings.version = version
    return try Lab.connected(faults: [fault], settings: settings)
  }

  /// Expects that no client can acquire the characteristic although none holds it.
  private func expectStuck(_ lab: Lab) throws {
    #expect(try lab.client.property("NotifyAcquired", .heartRate) == .boolean(true))
    #expect(try lab.client.ask("AcquireNotify", .heartRate, .noOptions) == Self.taken)
    #expect(
      try lab.client.ask("StartNotify", .heartRate)
        == "StartNotify failed org.bluez.Error.NotPermitted: Notify acquired"
    )
    lab.simulator.loseLink(.monitor)
    try lab.pass()
    try lab.client.call("Connect", .device)
    try lab.pass(.seconds(1))
    #expect(try lab.client.ask("AcquireNotify", .heartRate, .noOptions) == Self.taken)
    try lab.client.call("RemoveDevice", .adapter, [.objectPath(Target.device.path)])
    try lab.connect()
    #expect(try lab.client.property("NotifyAcquired", .heartRate) == .boolean(false))
    lab.client.forget()
  }

  @Test("the device's refusal is not reported, and blocks acquiring until the device is removed")
  func refused() throws {
    let lab = try connected(Self.refusal)
    try lab.client.begin("AcquireNotify", .heartRate, .noOptions)
    try lab.pass(.seconds(40))
    #expect(lab.client.take() == [])
    try expectStuck(lab)
  }

  @Test("a dropped connection is not reported either, and also blocks acquiring")
  func lost() throws {
    let lab = try connected(Self.slow)
    try lab.client.begin("AcquireNotify", .heartRate, .noOptions)
    try lab.pass(.seconds(1))
    #expect(try lab.client.property("NotifyAcquired", .heartRate) == .boolean(true))
    lab.simulator.loseLink(.monitor)
    try lab.pass(.seconds(1))
    try lab.client.call("Connect", .device)
    try lab.pass(.seconds(1))
    #expect(!lab.client.take().contains { $0.hasPrefix("AcquireNotify") })
    try expectStuck(lab)
  }

  @Test("a client that leaves before it gets its socket leaves the characteristic acquired")
  func left() throws {
    let lab = try connected(Self.slow)
    let other = try lab.join()
    try other.begin("AcquireNotify", .heartRate, .noOptions)
    try lab.pass(.seconds(1))
    other.leave()
    try lab.pass(.seconds(9))
    #expect(lab.events.last == .unsubscribed(.monitor, "2a37"))
    try expectStuck(lab)
  }

  @Test("StopNotify releases a pending acquisition, whose call is never answered")
  func stopped() throws {
    let lab = try connected(Self.slow)
    let other = try lab.join()
    try other.begin("AcquireNotify", .heartRate, .noOptions)
    try lab.pass(.seconds(1))
    try lab.client.call("StopNotify", .heartRate)
    try lab.pass(.seconds(9))
    #expect(other.take() == ["DEV/service000a/char000b GattCharacteristic1 NotifyAcquired=false"])
    #expect(try lab.client.property("NotifyAcquired", .heartRate) == .boolean(false))
    #expect(lab.events.last == .unsubscribed(.monitor, "2a37"))
  }

  @Test("bluetoothd 5.84 reports the refusal and leaves nothing acquired")
  func reported() throws {
    let lab = try connected(Self.refusal, BlueZVersion(5, 84))
    #expect(
      try lab.client.ask("AcquireNotify", .heartRate, .noOptions)
        == "AcquireNotify failed org.bluez.Error.Failed: Operation failed with ATT error: 0x11"
    )
    #expect(try lab.client.property("NotifyAcquired", .heartRate) == .boolean(false))
    #expect(try lab.client.ask("StartNotify", .heartRate) == "StartNotify replied")
  }
}
