// Writes: those sent to the device, and those refused by it or by bluetoothd.

import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Writes")
struct WriteTests {
  private static let notSupported = "org.bluez.Error.NotSupported: Operation is not supported"
  private static let notPermitted = "org.bluez.Error.NotPermitted: Write not permitted"
  private static let invalidLength = "org.bluez.Error.InvalidArguments: Invalid Length"
  private static let invalidArguments =
    "org.bluez.Error.InvalidArguments: Invalid arguments in method call"

  private func type(_ name: String) -> PropertyMap { ["type": .string(name)] }

  @Test("a write replies without signalling a value", arguments: ["request", "command", nil])
  func silent(type name: String?) throws {
    let lab = try Lab.connected()
    lab.forgetEvents()
    try lab.client.call("WriteValue", .echo, .write([1, 2], name.map(type) ?? [:]))
    try lab.pass(.seconds(1))
    #expect(lab.client.take() == ["WriteValue replied"])
    #expect(lab.events == [.written(.monitor, .own(1), [1, 2])])
    #expect(try lab.client.property("Value", .echo) == .bytes([]))
  }

  @Test("a write request replies when the device has answered, a write command at once")
  func delays() throws {
    let lab = try Lab.connected()
    var start = lab.loop.now
    try lab.client.call("WriteValue", .echo, .write([1], type("command")))
    #expect(lab.loop.now == start)
    start = lab.loop.now
    try lab.client.call("WriteValue", .echo, .write([1]))
    #expect(lab.loop.now - start == lab.device.definition.link.latency)
  }

  @Test("without a type, a characteristic that supports only commands gets a command")
  func commandOnly() throws {
    let lab = try Lab.connected()
    let start = lab.loop.now
    #expect(try lab.client.ask("WriteValue", .command, .write([1])) == "WriteValue replied")
    #expect(lab.loop.now == start)
  }

  @Test(
    "bluetoothd itself refuses writes it cannot send, and nothing is sent",
    arguments: [
      // Without any way to write, of an unknown type, a command from an offset.
      (Target.battery, [DBusValue].write([1]), notSupported),
      (.echo, .write([1], ["type": .string("bogus")]), notSupported),
      (.echo, .write([1], ["type": .string("command"), "offset": .uint16(1)]), notSupported),
      // The configuration of a characteristic is its own.
      (.configuration, .write([1, 0]), notPermitted),
      (.echo, .write([UInt8](repeating: 1, count: 513)), invalidLength),
      (.echo, .write([1], ["offset": .boolean(true)]), invalidArguments),
      (.echo, .write([1], ["type": .boolean(true)]), invalidArguments),
    ]
  )
  func refusals(target: Target, body: [DBusValue], refusal: String) throws {
    let lab = try Lab.connected()
    lab.forgetEvents()
    #expect(try lab.client.ask("WriteValue", target, body) == "WriteValue failed \(refusal)")
    #expect(lab.events == [])
  }

  @Test(
    "the device refuses a request for a command-only characteristic and a request that is too long",
    arguments: [
      (Target.command, [DBusValue].write([1], ["type": .string("request")]), notPermitted),
      (.short, .write([1, 2, 3, 4, 5]), invalidLength),
    ]
  )
  func refusedByDevice(target: Target, body: [DBusValue], refusal: String) throws {
    let lab = try Lab.connected()
    lab.forgetEvents()
    #expect(try lab.client.ask("WriteValue", target, body) == "WriteValue failed \(refusal)")
    #expect(lab.events.count == 1)
  }

  @Test("a command is sent even if only requests are supported, and its result is unknown")
  func unofferedCommand() throws {
    let lab = try Lab.connected()
    lab.forgetEvents()
    let body = [DBusValue].write([1], type("command"))
    #expect(try lab.client.ask("WriteValue", .short, body) == "WriteValue replied")
    try lab.pass(.seconds(1))
    #expect(lab.events == [.written(.monitor, .own(3), [1])])
    #expect(try lab.client.ask("ReadValue", .short, .noOptions) == "ReadValue replied 0x")
  }

  @Test("the longest write that a request and the device accept is written")
  func longRequest() throws {
    let lab = try Lab.connected()
    let longest = [UInt8](repeating: 1, count: 512)
    #expect(try lab.client.ask("WriteValue", .echo, .write(longest)) == "WriteValue replied")
    #expect(try lab.client.ask("WriteValue", .short, .write([1, 2, 3, 4])) == "WriteValue replied")
  }

  @Test("a command is limited to one packet; longer data is refused and not sent")
  func longCommand() throws {
    let lab = try Lab.connected([.monitor.changing { $0.link.mtu = 23 }])
    let full = [UInt8](repeating: 1, count: 20)
    #expect(try lab.client.ask("WriteValue", .command, .write(full)) == "WriteValue replied")
    try lab.pass(.seconds(1))
    lab.forgetEvents()
    #expect(
      try lab.client.ask("WriteValue", .command, .write(full + [1]))
        == "WriteValue failed org.bluez.Error.Failed: Failed to initiate write"
    )
    try lab.pass(.seconds(1))
    #expect(lab.events == [])
  }

  @Test("a write from an offset past the end is refused, even for an unreadable value")
  func offsetTooFar() throws {
    let lab = try Lab.connected()
    for target in [Target.echo, .control] {
      try lab.client.call("WriteValue", target, .write([1, 2, 3]))
      let end = [DBusValue].write([9], ["offset": .uint16(3)])
      #expect(try lab.client.ask("WriteValue", target, end) == "WriteValue replied")
      let behind = [DBusValue].write([9], ["offset": .uint16(5)])
      #expect(
        try lab.client.ask("WriteValue", target, behind)
          == "WriteValue failed org.bluez.Error.InvalidArguments: Invalid offset"
      )
    }
    #expect(try lab.client.ask("ReadValue", .echo, .noOptions) == "ReadValue replied 0x01020309")
  }

  @Test("a second write is refused while a request is pending")
  func busy() throws {
    let lab = try Lab.connected()
    try lab.client.begin("WriteValue", .echo, .write([1]))
    #expect(
      try lab.client.ask("WriteValue", .echo, .write([2]))
        == "WriteValue failed org.bluez.Error.InProgress: In Progress"
    )
    try lab.pass(.seconds(1))
    #expect(lab.client.lines.last == "WriteValue replied")
    #expect(try lab.client.ask("WriteValue", .echo, .write([2])) == "WriteValue replied")
  }

  // MARK: Descriptors

  @Test("a second write to a descriptor is refused while one is pending")
  func descriptorTwice() throws {
    let lab = try Lab.connected()
    let body: [DBusValue] = [.bytes([0x66])] + [DBusValue].noOptions
    for _ in 0..<2 { try lab.client.begin("WriteValue", .description, body) }
    try lab.pass(.seconds(1))
    #expect(
      lab.client.take() == [
        "WriteValue failed org.bluez.Error.InProgress: In Progress", "WriteValue replied",
      ]
    )
    #expect(try lab.client.ask("WriteValue", .description, body) == "WriteValue replied")
  }

  @Test("a descriptor is written if the device permits it")
  func descriptor() throws {
    let lab = try Lab.connected()
    // With the type that some clients give without need.
    let body = [DBusValue].write([0x66], type("command"))
    #expect(try lab.client.ask("WriteValue", .description, body) == "WriteValue replied")
    #expect(lab.client.take() == ["WriteValue replied"])
    #expect(try lab.client.ask("ReadValue", .description, .noOptions) == "ReadValue replied 0x66")
  }
}
