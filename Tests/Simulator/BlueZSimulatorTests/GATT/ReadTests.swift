// Reads: values, offsets, the echo of own reads, joined reads, and the peer's refusals.

import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Reads")
struct ReadTests {
  @Test("each read signals its value as a change, even if unchanged, and then replies")
  func echo() throws {
    let lab = try Lab.connected()
    let other = try lab.join()
    let change = "DEV/service000a/char000e GattCharacteristic1 Value=0x01"
    for _ in 0..<2 {
      try lab.client.call("ReadValue", .location, .noOptions)
      #expect(lab.client.take() == [change, "ReadValue replied 0x01"])
      #expect(other.take() == [change])
    }
    #expect(try lab.client.property("Value", .location) == .bytes([1]))
  }

  @Test("a read from an offset returns the rest, and stores it at that offset in Value")
  func offset() throws {
    let lab = try Lab.connected()
    let client = lab.client
    try client.call("WriteValue", .echo, .write([1, 2, 3, 4]))
    let options: [DBusValue] = [.properties(["offset": .uint16(2)])]
    #expect(try client.ask("ReadValue", .echo, options) == "ReadValue replied 0x0304")
    #expect(try client.property("Value", .echo) == .bytes([0, 0, 3, 4]))
    #expect(try client.ask("ReadValue", .echo, .noOptions) == "ReadValue replied 0x01020304")
    #expect(try client.ask("ReadValue", .echo, options) == "ReadValue replied 0x0304")
    #expect(try client.property("Value", .echo) == .bytes([1, 2, 3, 4]))
  }

  @Test("an offset at the end reads no bytes, an offset past the end is refused")
  func pastTheEnd() throws {
    let lab = try Lab.connected()
    let end: [DBusValue] = [.properties(["offset": .uint16(1)])]
    #expect(try lab.client.ask("ReadValue", .location, end) == "ReadValue replied 0x")
    let behind: [DBusValue] = [.properties(["offset": .uint16(2)])]
    #expect(
      try lab.client.ask("ReadValue", .location, behind)
        == "ReadValue failed org.bluez.Error.InvalidArguments: Invalid offset"
    )
  }

  @Test(
    "an option of the wrong type is refused, and an unknown option is ignored; names match exactly"
  )
  func options() throws {
    let lab = try Lab.connected()
    let wrong: [DBusValue] = [.properties(["offset": .uint32(0)])]
    #expect(
      try lab.client.ask("ReadValue", .location, wrong)
        == "ReadValue failed org.bluez.Error.InvalidArguments: Invalid arguments in method call"
    )
    let other: [DBusValue] = [.properties(["device": .objectPath("/x"), "OFFSET": .uint16(0)])]
    #expect(try lab.client.ask("ReadValue", .location, other) == "ReadValue replied 0x01")
  }

  @Test("two simultaneous reads are one request and one change, with two replies")
  func joined() throws {
    let lab = try Lab.connected()
    let other = try lab.join()
    lab.forgetEvents()
    try lab.client.begin("ReadValue", .location, .noOptions)
    try other.begin("ReadValue", .location, .noOptions)
    try lab.client.begin("ReadValue", .location, .noOptions)
    try lab.pass(.seconds(1))
    #expect(
      lab.client.take() == [
        "DEV/service000a/char000e GattCharacteristic1 Value=0x01", "ReadValue replied 0x01",
        "ReadValue replied 0x01",
      ]
    )
    #expect(other.take().last == "ReadValue replied 0x01")
    #expect(lab.events == [.read(.monitor, "2a38")])
  }

  @Test("a read at another offset is refused while a read is pending")
  func otherOffset() throws {
    let lab = try Lab.connected()
    try lab.client.begin("ReadValue", .location, .noOptions)
    let options: [DBusValue] = [.properties(["offset": .uint16(1)])]
    #expect(
      try lab.client.ask("ReadValue", .location, options)
        == "ReadValue failed org.bluez.Error.InProgress: In Progress"
    )
    try lab.pass(.seconds(1))
    #expect(lab.client.lines.last == "ReadValue replied 0x01")
  }

  @Test("requests to other attributes wait for the pending one, as the Attribute Protocol requires")
  func queued() throws {
    let slow = FaultRule(on: .read, characteristic: .own(9), action: .slow(.seconds(10)))
    let lab = try Lab.connected(faults: [slow])
    try lab.client.begin("ReadValue", .slow, .noOptions)
    try lab.client.begin("ReadValue", .slow, .noOptions)
    try lab.client.begin("ReadValue", .battery, .noOptions)
    let start = lab.loop.now
    try lab.pass(.seconds(11))
    #expect(lab.loop.now - start == .seconds(11))
    #expect(
      lab.client.take() == [
        "DEV/service0016/char0022 GattCharacteristic1 Value=0x73", "ReadValue replied 0x73",
        "ReadValue replied 0x73", "DEV/service0012/char0013 GattCharacteristic1 Value=0x57",
        "ReadValue replied 0x57",
      ]
    )
  }

  @Test(
    "each ATT error code has its D-Bus error name and text, and changes no value",
    arguments: [
      (0x01, "Failed: Operation failed with ATT error: 0x01"),
      (0x02, "NotPermitted: Read not permitted"), (0x03, "NotPermitted: Write not permitted"),
      (0x04, "Failed: Operation failed with ATT error: 0x04"),
      (0x06, "NotSupported: Operation is not supported"),
      (0x07, "InvalidArguments: Invalid offset"),
      (0x08, "NotAuthorized: Operation Not Authorized"), (0x0c, "NotPermitted: Not paired"),
      (0x0d, "InvalidArguments: Invalid Length"),
      (0x0e, "Failed: Operation failed with ATT error: 0x0e"),
      (0x13, "Failed: Operation failed with ATT error: 0x13"),
      (0x80, "Failed: Operation failed with ATT error: 0x80"),
      (0xff, "Failed: Operation failed with ATT error: 0xff"),
    ] as [(UInt8, String)]
  )
  func refused(code: UInt8, text: String) throws {
    let refusal = OperationFault.refuse(ATTErrorCode(rawValue: code))
    let lab = try Lab.connected(faults: [FaultRule(on: .read, action: refusal)])
    try lab.client.call("ReadValue", .location, .noOptions)
    try lab.pass()
    #expect(lab.client.take() == ["ReadValue failed org.bluez.Error.\(text)"])
  }

  @Test("a read is sent even if the flags lack it, and the device refuses it")
  func unreadable() throws {
    let lab = try Lab.connected()
    lab.forgetEvents()
    #expect(
      try lab.client.ask("ReadValue", .heartRate, .noOptions)
        == "ReadValue failed org.bluez.Error.NotPermitted: Read not permitted"
    )
    #expect(lab.events == [.read(.monitor, "2a37")])
  }

  @Test("512 bytes are read in one call, whatever the MTU")
  func long() throws {
    let value = [UInt8](repeating: 7, count: 512)
    let definition = DeviceDefinition.monitor.changing { definition in
      definition.link.mtu = 23
      definition.services[0].characteristics[1].behaviour = .constant(value)
    }
    let lab = try Lab.connected([definition])
    #expect(try lab.client.call("ReadValue", .location, .noOptions).get() == [.bytes(value)])
  }

  // MARK: Descriptors

  @Test("reading a descriptor signals its value as a change, then replies")
  func descriptor() throws {
    let lab = try Lab.connected()
    try lab.client.call("ReadValue", .description, .noOptions)
    #expect(
      lab.client.take() == [
        "DEV/service0016/char0017/desc001a GattDescriptor1 Value=0x65", "ReadValue replied 0x65",
      ]
    )
  }

  @Test("two simultaneous reads of a descriptor are one, and another offset is refused meanwhile")
  func joinedDescriptor() throws {
    let lab = try Lab.connected()
    try lab.client.begin("ReadValue", .description, .noOptions)
    try lab.client.begin("ReadValue", .description, .noOptions)
    let options: [DBusValue] = [.properties(["offset": .uint16(1)])]
    try lab.client.begin("ReadValue", .description, options)
    try lab.pass(.seconds(1))
    #expect(
      lab.client.take() == [
        "ReadValue failed org.bluez.Error.InProgress: In Progress",
        "DEV/service0016/char0017/desc001a GattDescriptor1 Value=0x65", "ReadValue replied 0x65",
        "ReadValue replied 0x65",
      ]
    )
  }

  @Test("the configuration of a characteristic can be read, and shows subscriptions")
  func configuration() throws {
    let lab = try Lab.connected()
    let read = { try lab.client.call("ReadValue", .configuration, .noOptions).get() }
    #expect(try read() == [.bytes([0, 0])])
    try lab.client.call("StartNotify", .echo)
    #expect(try read() == [.bytes([1, 0])])
  }
}
