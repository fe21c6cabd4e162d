// StartNotify and StopNotify: client sessions, and which client receives which values.

import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Notifications")
struct NotifyTests {
  private static let path = "DEV/service000a/char000b GattCharacteristic1"

  @Test("Notifying is announced, then StartNotify replies, then each value is signalled")
  func start() throws {
    let lab = try Lab.connected()
    try lab.client.call("StartNotify", .heartRate)
    #expect(lab.client.take() == ["\(Self.path) Notifying=true", "StartNotify replied"])
    try lab.pass(.milliseconds(2_500))
    let values = lab.client.take()
    #expect(values.count == 2)
    #expect(values.allSatisfy { $0.hasPrefix("\(Self.path) Value=0x") })
  }

  @Test("a value that arrives before the reply to the subscription is signalled before the reply")
  func early() throws {
    let late = FaultRule(on: .subscribe, action: .answerLate(.milliseconds(300)))
    let lab = try Lab.connected([.early], faults: [late])
    try lab.client.call("StartNotify", .heartRate)
    #expect(
      lab.client.take() == [
        "\(Self.path) Value=0x57", "\(Self.path) Notifying=true", "StartNotify replied",
      ]
    )
  }

  @Test("without a configuration, StartNotify writes nothing, and values are sent to every client")
  func withoutConfiguration() throws {
    let device = DeviceDefinition.monitor.changing { device in
      device.services[0].characteristics[0].hasConfiguration = false
    }
    let lab = try Lab.connected([device])
    try lab.client.call("StartNotify", .heartRate)
    #expect(lab.client.take() == ["\(Self.path) Notifying=true", "StartNotify replied"])
    try lab.pass(.milliseconds(2_500))
    let values = lab.client.take()
    #expect(values.count == 2)
    #expect(values.allSatisfy { $0.hasPrefix("\(Self.path) Value=0x") })
    try lab.client.call("StopNotify", .heartRate)
    try lab.pass(.seconds(5))
    #expect(lab.client.take() == ["\(Self.path) Notifying=false", "StopNotify replied"])
    #expect(!lab.events.contains { "\($0)".contains("subscribed") })
  }

  @Test(
    "without a configuration, the only descriptor is mistaken for one and written",
    arguments: [
      (true, "StartNotify replied", [1, 0]),
      (
        false, "StartNotify failed org.bluez.Error.NotPermitted: Write not permitted", [0x48, 0x69]
      ),
    ] as [(Bool, String, [UInt8])]
  )
  func presumed(isWritable: Bool, answer: String, value: [UInt8]) throws {
    let description = DescriptorDefinition(
      uuid: "2901", value: [0x48, 0x69], isWritable: isWritable
    )
    let device = DeviceDefinition.monitor.changing { device in
      device.services[0].characteristics[0].hasConfiguration = false
      device.services[0].characteristics[0].descriptors = [description]
    }
    let lab = try Lab.connected([device])
    #expect(try lab.client.ask("StartNotify", .heartRate) == answer)
    #expect(try lab.device.read(13).get() == value)
  }

  @Test("StopNotify announces Notifying, then replies, and no value follows")
  func stop() throws {
    let lab = try Lab.connected()
    try lab.client.call("StartNotify", .heartRate)
    lab.client.forget()
    try lab.client.call("StopNotify", .heartRate)
    try lab.pass(.seconds(5))
    #expect(lab.client.take() == ["\(Self.path) Notifying=false", "StopNotify replied"])
    #expect(lab.events.last == .unsubscribed(.monitor, "2a37"))
  }

  @Test("indications look like notifications to a client")
  func indications() throws {
    let lab = try Lab.connected()
    try lab.client.call("StartNotify", .indicated)
    let path = "DEV/service0016/char001d GattCharacteristic1"
    #expect(lab.client.take() == ["\(path) Notifying=true", "StartNotify replied"])
    try lab.pass(.milliseconds(1_500))
    #expect(lab.client.take().first?.hasPrefix("\(path) Value=0x") == true)
  }

  @Test("values that arrive together are signalled one by one, even if they are equal")
  func unmerged() throws {
    let lab = try Lab.connected()
    try lab.client.call("StartNotify", .echo)
    lab.client.forget()
    let handle: UInt16 = 0x18
    for octet in [1, 1, 2] as [UInt8] {
      #expect(throws: Never.self) {
        try lab.device.write(handle, [octet], withResponse: true).get()
      }
    }
    try lab.pass()
    let path = "DEV/service0016/char0017 GattCharacteristic1"
    #expect(lab.client.take() == [1, 1, 2].map { "\(path) Value=0x0\($0)" })
  }

  @Test("a second StartNotify from the same client succeeds without a signal")
  func again() throws {
    let lab = try Lab.connected()
    try lab.client.call("StartNotify", .heartRate)
    lab.client.forget()
    try lab.client.call("StartNotify", .heartRate)
    try lab.pass()
    #expect(lab.client.take() == ["StartNotify replied"])
    // One session: one StopNotify ends it.
    try lab.client.call("StopNotify", .heartRate)
    #expect(try lab.client.property("Notifying", .heartRate) == .boolean(false))
  }

  @Test("a second StartNotify is refused while the first from the same client is pending")
  func pending() throws {
    let lab = try Lab.connected()
    try lab.client.begin("StartNotify", .heartRate)
    #expect(
      try lab.client.ask("StartNotify", .heartRate)
        == "StartNotify failed org.bluez.Error.InProgress: In Progress"
    )
    try lab.pass(.milliseconds(100))
    #expect(lab.client.lines.last == "StartNotify replied")
  }

  @Test("every client has its own notify session; the last one to stop ends notifications")
  func sessions() throws {
    let lab = try Lab.connected()
    let other = try lab.join()
    try lab.client.call("StartNotify", .heartRate)
    #expect(try other.ask("StartNotify", .heartRate) == "StartNotify replied")
    #expect(lab.client.take().count { $0.contains("Notifying") } == 1)
    try lab.client.call("StopNotify", .heartRate)
    #expect(lab.client.take().contains { $0.contains("Notifying") } == false)
    #expect(
      try lab.client.ask("StopNotify", .heartRate)
        == "StopNotify failed org.bluez.Error.Failed: No notify session started"
    )
    lab.client.forget()
    try other.call("StopNotify", .heartRate)
    #expect(lab.client.take() == ["\(Self.path) Notifying=false"])
  }

  @Test("values are signalled to every client, whichever client subscribed")
  func broadcast() throws {
    let lab = try Lab.connected()
    let other = try lab.join()
    try lab.client.call("StartNotify", .heartRate)
    lab.client.forget()
    other.forget()
    try lab.pass(.milliseconds(1_500))
    #expect(lab.client.lines.isEmpty == false)
    #expect(other.lines == lab.client.lines)
  }

  @Test("the notify session of a client that leaves the bus ends, and the link stays up")
  func vanished() throws {
    let lab = try Lab.connected()
    let other = try lab.join()
    try other.call("StartNotify", .heartRate)
    try lab.pass()
    lab.client.forget()
    other.leave()
    try lab.pass(.seconds(5))
    #expect(lab.client.take() == ["\(Self.path) Notifying=false"])
    #expect(try lab.client.property("Connected", .device) == .boolean(true))
  }

  @Test("a client that leaves while its StartNotify is pending leaves no subscription behind")
  func vanishedWhilePending() throws {
    let lab = try Lab.connected()
    let other = try lab.join()
    try other.begin("StartNotify", .heartRate)
    try lab.pass()
    lab.client.forget()
    lab.forgetEvents()
    other.leave()
    try lab.pass(.seconds(5))
    #expect(lab.client.take() == [])
    #expect(lab.events == [.subscribed(.monitor, "2a37"), .unsubscribed(.monitor, "2a37")])
  }

  @Test(
    "a subscription that the device refuses fails with the error for its code, and has no session"
  )
  func refused() throws {
    let refusal = OperationFault.refuse(.insufficientResources)
    let rule = FaultRule(on: .subscribe, occurrence: .nth(1), action: refusal)
    let lab = try Lab.connected(faults: [rule])
    #expect(
      try lab.client.ask("StartNotify", .heartRate)
        == "StartNotify failed org.bluez.Error.Failed: Operation failed with ATT error: 0x11"
    )
    #expect(lab.client.take().count == 1)
    #expect(
      try lab.client.ask("StopNotify", .heartRate)
        == "StopNotify failed org.bluez.Error.Failed: No notify session started"
    )
    #expect(try lab.client.ask("StartNotify", .heartRate) == "StartNotify replied")
  }

  @Test("a refused StartNotify ends the subscription if the other client has stopped")
  func refusedLast() throws {
    let refusal = OperationFault.refuse(.insufficientResources)
    let lab = try Lab.connected(faults: [
      FaultRule(on: .subscribe, occurrence: .nth(2), action: refusal)
    ])
    let other = try lab.join()
    try lab.client.begin("StartNotify", .heartRate)
    try other.begin("StartNotify", .heartRate)
    try lab.pass(untilLine: "StartNotify replied")
    try lab.client.call("StopNotify", .heartRate)
    lab.forgetEvents()
    try lab.pass(.seconds(1))
    #expect(other.lines.contains { $0.hasPrefix("StartNotify failed") })
    #expect(lab.events.last == .unsubscribed(.monitor, "2a37"))
    #expect(try lab.client.property("Notifying", .heartRate) == .boolean(false))
    lab.client.forget()
    try lab.client.call("StartNotify", .heartRate)
    #expect(lab.client.take() == ["\(Self.path) Notifying=true", "StartNotify replied"])
  }

  // MARK: Links that end

  @Test("Notifying stays true through a lost link, and values resume after reconnecting")
  func kept() throws {
    let lab = try Lab.connected()
    try lab.client.call("StartNotify", .heartRate)
    lab.client.forget()
    lab.simulator.loseLink(.monitor)
    try lab.pass(.seconds(1))
    #expect(
      lab.client.take() == [
        "DEV Device1 ServicesResolved=false Connected=false", "DEV removed Battery1",
      ]
    )
    #expect(try lab.client.property("Notifying", .heartRate) == .boolean(true))
    lab.client.forget()
    try lab.client.call("Connect", .device)
    try lab.pass(.milliseconds(1_500))
    let lines = lab.client.take()
    #expect(lines.contains { $0.contains("Notifying") } == false)
    #expect(lines.contains { $0.hasPrefix("\(Self.path) Value=0x") })
    #expect(try lab.client.ask("StartNotify", .heartRate) == "StartNotify replied")
    try lab.client.call("StopNotify", .heartRate)
    #expect(lab.client.take().contains("\(Self.path) Notifying=false"))
  }

  @Test("a client that stops while its session resumes leaves no subscription behind")
  func stoppedWhileResuming() throws {
    let lab = try Lab.connected()
    try lab.client.call("StartNotify", .heartRate)
    lab.simulator.loseLink(.monitor)
    try lab.pass(.seconds(1))
    try lab.client.begin("Connect", .device)
    // The session resumes as soon as the services are resolved.
    try lab.pass(untilLine: "ServicesResolved=true")
    lab.forgetEvents()
    try lab.client.call("StopNotify", .heartRate)
    #expect(lab.events == [.unsubscribed(.monitor, "2a37")])
    lab.client.forget()
    try lab.pass(.seconds(5))
    #expect(
      lab.events.dropFirst() == [
        .subscribed(.monitor, "2a37"), .unsubscribed(.monitor, "2a37"),
      ]
    )
    #expect(lab.client.take().contains { $0.contains("Value=") } == false)
  }

  @Test("StartNotify without a link succeeds, and takes effect on the next link")
  func armed() throws {
    let lab = try Lab.connected()
    lab.simulator.loseLink(.monitor)
    try lab.pass()
    lab.client.forget()
    #expect(try lab.client.ask("StartNotify", .heartRate) == "StartNotify replied")
    try lab.pass()
    #expect(lab.client.take() == ["StartNotify replied"])
    try lab.client.call("Connect", .device)
    try lab.pass(.milliseconds(200))
    #expect(lab.client.take().contains("\(Self.path) Notifying=true"))
  }

  @Test("notifications of the battery level update Battery1 when the level changes")
  func battery() throws {
    let lab = try Lab.connected()
    try lab.client.call("StartNotify", .battery)
    lab.client.forget()
    try lab.pass(.seconds(61))
    #expect(
      lab.client.take() == [
        "DEV/service0012/char0013 GattCharacteristic1 Value=0x56",
        "DEV Battery1 Percentage=86",
      ]
    )
  }
}
