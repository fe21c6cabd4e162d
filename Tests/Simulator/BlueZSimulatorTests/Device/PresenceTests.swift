// Devices that disconnect or disappear on their own, as clients see them.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import Testing

@testable import SimulatedDevices

@Suite("Devices that disappear")
struct PresenceTests {
  /// The monitor, with a machine that leaves when its control point is written.
  let leaving = DeviceDefinition.monitor.changing { device in
    let control: BluetoothUUID = "2a39"
    device.machines = [
      MachineDefinition(
        name: "leaving",
        states: [
          MachineState(
            transitions: [
              Transition(
                trigger: .write(CharacteristicSelector(characteristic: control), .exactly([1])),
                actions: [.disconnect(after: .milliseconds(100))]
              ),
              Transition(
                trigger: .write(CharacteristicSelector(characteristic: control), .exactly([2])),
                actions: [.restart(.seconds(5))]
              ),
            ]
          )
        ]
      )
    ]
  }

  func connected(_ version: BlueZVersion = .debian12) throws -> Lab {
    var settings = SimulatorSettings()
    settings.version = version
    let lab = try Lab.discovered([leaving], settings: settings)
    #expect(try lab.client.ask("Connect", .device) == "Connect replied")
    try lab.pass(.seconds(1))
    lab.client.forget()
    return lab
  }

  @Test("a device that disconnects reports a remote disconnect if reasons are signalled")
  func endsLink() throws {
    let lab = try connected(BlueZVersion(5, 83))
    try lab.client.call("WriteValue", .control, .write([1]))
    try lab.pass(.milliseconds(200))
    #expect(lab.client.lines.contains { $0.contains("Connection terminated by remote user") })
    #expect(try lab.client.property("Connected", .device) == .boolean(false))
    #expect(try lab.client.ask("Connect", .device) == "Connect replied")
  }

  @Test("a device that restarts is absent for a while, and is then found again")
  func restarts() throws {
    let lab = try connected()
    try lab.client.call("WriteValue", .control, .write([2]))
    try lab.pass(.milliseconds(200))
    #expect(try lab.client.property("Connected", .device) == .boolean(false))
    let before = lab.loop.now
    #expect(try lab.client.ask("Connect", .device) == "Connect replied")
    #expect((.milliseconds(4_700)..<(.milliseconds(5_000))).contains(lab.loop.now - before))
  }

  @Test("a connection attempt to an absent device succeeds when the device appears")
  func searched() throws {
    let lab = try connected()
    lab.simulator.vanish(.monitor)
    lab.loop.after(.seconds(30)) { lab.simulator.appear(.monitor) }
    let before = lab.loop.now
    #expect(try lab.client.ask("Connect", .device) == "Connect replied")
    #expect(lab.loop.now - before == .seconds(30) + lab.device.definition.link.connectTime)
  }
}
