// Named faults in device files, and faults that are added to a device that runs.

import Bluetooth
import Documents
import Signals
import Testing

@testable import SimulatedDevices

@Suite("Device faults")
struct DeviceFaultTests {
  private let battery = """
    services:
    - service: battery
      characteristics: [{ characteristic: battery-level, properties: [read, notify] }]

    """

  private func device(_ faults: String) throws -> DeviceDefinition {
    try DeviceText.device(battery + "faults: \(faults)")
  }

  private let level = CharacteristicSelector(characteristic: BluetoothUUID(short: 0x2a19))

  @Test("a named operation fault expands to its rules, with their timing")
  func operations() throws {
    let device = try device(
      """
      [{ on: connect, do: vanish },
       { fault: slow, on: read, characteristic: battery-level, by: 2s, every: 3, burst: 2 },
       { fault: lost-writes, at: 1s, for: 2s }]
      """
    )
    let window = Duration.seconds(1)..<Duration.seconds(3)
    var slow = FaultRule(on: .read, occurrence: .every(3), burst: 2, action: .slow(.seconds(2)))
    slow.characteristic = level
    #expect(
      device.faults == [
        FaultRule(on: .connect, action: .vanish), slow,
        FaultRule(on: .write, window: window, action: .loseWrite),
        FaultRule(on: .command, window: window, action: .loseWrite),
      ]
    )
  }

  @Test("a named definition fault changes the definition, in any key order")
  func definition() throws {
    let text =
      "faults: [{ fault: small-mtu, mtu: 30 }, { fault: pairing-rejected }]\nlink: { mtu: 99 }"
    let device = try DeviceText.device(text)
    #expect(device.link.mtu == 30 && device.pairing.method == .reject && device.faults == [])
  }

  @Test(
    "errors in a named fault are reported",
    arguments: [
      ("{ fault: slwo }", "did you mean 'slow'?"),
      ("{ fault: link-lots }", "did you mean 'link-lost'?"),
      (
        "{ fault: link-lost }",
        "'link-lost' belongs in a scenario (expected one of connect-aborted"
      ),
      ("{ fault: daemon-crash, at: 1s }", "'daemon-crash' belongs in a scenario"),
      ("{ fault: slow, device: X }", "'device'"), ("{ fault: slow, do: vanish }", "'do'"),
      ("{ fault: slow, for: 1s }", "'for' counts from 'at'"),
      ("{ fault: slow, nth: 1, every: 2 }", "exclude each other"),
      ("{ fault: small-mtu, mtu: 9 }", "a whole number from 23 to 517"),
      ("{ fault: slow, on: connect, characteristic: battery-level }", "does not take a"),
      (
        "{ fault: slow, characteristic: heart-rate-measurement }",
        "the device has no characteristic"
      ),
      ("{ fault: [slow] }", "faults.1.fault"),
    ]
  )
  func errors(fault: String, message: String) {
    let found = DeviceText.complaints(battery + "faults: [\(fault)]")
    #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
  }

  @Test("every row of the table is a fault in a device file, a request or a host")
  func rows() {
    let names = Set((NamedFault.inFiles + NamedFault.inRequests).map(\.fault.name))
    for fault in NamedFault.all where fault.isAboutDevices {
      #expect(names.contains(fault.name), "\(fault.name)")
    }
  }

  // MARK: Requests

  private func added(_ fault: String) throws -> [TimedAction] {
    try DeviceFile.parseFault(fault, of: DeviceText.device(battery))
  }

  @Test("a request adds rules, or an immediate event at the device")
  func requests() throws {
    let address = try DeviceText.device(battery).address
    let rule = FaultRule(on: .read, action: .vanish)
    #expect(try added("{ on: read, do: vanish }") == [TimedAction(.device(address, .rule(rule)))])
    let hangs = FaultRule(on: .connect, action: .neverAnswer)
    #expect(try added("{ fault: connect-hangs }") == [TimedAction(.device(address, .rule(hangs)))])
    #expect(
      try added("{ fault: lost-notifications, for: 3s }") == [
        TimedAction(.device(address, .notifications(.lost))),
        TimedAction(after: .seconds(3), .device(address, .notifications(.none))),
      ]
    )
  }

  @Test(
    "errors in a request are reported",
    arguments: [
      ("{ fault: small-mtu }", "'small-mtu' belongs in a device file or a scenario"),
      ("{ fault: daemon-crash }", "'daemon-crash' belongs in a scenario"),
      ("{ fault: service-missing, service: heart-rate }", "no device has the service"),
      ("{ fault: slow, characteristic: 2a37 }", "the device has no characteristic '2a37'"),
      ("{ on: read, characteristic: 2a37, do: vanish }", "the device has no characteristic '2a37'"),
      ("{ fault: lost-notifications, at: 3s }", "'at'"),
    ]
  )
  func refused(fault: String, message: String) {
    let error = #expect(throws: Problem.self) { try added(fault) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }
}
