// The differences between the simulated releases of BlueZ.

import BlueZInterfaces
import Bluetooth
import DBus
import Fixtures
import Foundation
import Signals
import SimulatedDevices
import Testing

@testable import BlueZSimulator

@Suite("Releases of BlueZ")
struct ReleaseTests {
  @Test("a change is in its release and in those after it, and not where it was taken back")
  func history() {
    #expect(!BlueZVersion(5, 66).has(.handles))
    #expect(!BlueZVersion(5, 68).has(.handles))
    #expect(BlueZVersion(5, 69).has(.handles))
    #expect(BlueZVersion(5, 82).has(.undiscoverableDevices))
    #expect(!BlueZVersion(5, 83).has(.undiscoverableDevices))
    #expect(BlueZChange.allCases.allSatisfy { !BlueZVersion.debian12.has($0) })
  }

  @Test("the software's version in Modalias is the release in hexadecimal digits")
  func modalias() {
    #expect(HostServices.modalias(of: .debian12) == "usb:v1D6Bp0246d0542")
    #expect(HostServices.modalias(of: .debian13) == "usb:v1D6Bp0246d0552")
    #expect(HostServices.modalias(of: BlueZVersion(5, 87)) == "usb:v1D6Bp0246d0557")
  }

  @Test("up to 5.78 Disconnect is answered between two signals, later after one")
  func disconnecting() {
    for (version, isOne) in [(BlueZVersion(5, 78), false), (BlueZVersion(5, 79), true)] {
      var machine = LinkMachine<Int>(version)
      _ = machine.connect(1)
      _ = machine.established(1)
      _ = machine.resolved(1)
      _ = machine.disconnect(2)
      let steps = machine.closed(2).compactMap { action -> String? in
        if case .markServicesResolved = action { return "services" }
        if case .markConnected = action { return "connected" }
        if case .answer = action { return "answer" }
        return nil
      }
      #expect(steps == ["services"] + (isOne ? ["connected", "answer"] : ["answer", "connected"]))
    }
  }

  private func settings(_ minor: Int) -> SimulatorSettings {
    var settings = SimulatorSettings()
    settings.version = BlueZVersion(5, minor)
    return settings
  }

  @Test("since 5.69 UUIDs has those of service data, each once")
  func uuidsOfServiceData() throws {
    let beacon = DeviceDefinition.beacon(1).changing { device in
      device.advertisement.services = ["180f"]
      device.advertisement.serviceData = [
        ServiceData(service: "180f", octets: [1]), ServiceData(service: "feaa", octets: [2]),
      ]
    }
    for (minor, uuids) in [(68, ["180f"]), (69, ["180f", "feaa"])] {
      let lab = try Lab.discovered([beacon], settings: settings(minor))
      let texts = uuids.map { "0000\($0)-0000-1000-8000-00805f9b34fb" }
      #expect(try lab.client.property("UUIDs", .device)?.asStrings == texts)
    }
  }

  @Test("since 5.84 a device has the interface of its bearer, without members, and its signal")
  func bearers() throws {
    for (minor, names) in [(83, ["Device1"]), (84, ["LE1", "Device1"])] {
      let lab = try Lab.connected(settings: settings(minor))
      let object = try #require(try lab.client.objects().first { $0.path == "DEV" })
      #expect((object["LE1"] != nil) == names.contains("LE1"))
      lab.client.forget()
      lab.simulator.loseLink(.monitor)
      try lab.pass()
      let signals = lab.client.messages.filter { $0.member == "Disconnected" }
      #expect(signals.map { Line.last($0.interface ?? "") } == names)
    }
  }

  @Test("since 5.83 a filter's AutoConnect connects to what its pattern selects")
  func autoConnect() throws {
    for (minor, pattern, isConnected) in [(83, "Lab", true), (83, "Thermo", false)] {
      let lab = try Lab(settings: settings(minor))
      let filter: PropertyMap = ["Pattern": .string(pattern), "AutoConnect": .boolean(true)]
      let answer = try lab.client.ask("SetDiscoveryFilter", .adapter, [.properties(filter)])
      #expect(answer == "SetDiscoveryFilter replied")
      try lab.client.call("StartDiscovery", .adapter)
      try lab.pass(.seconds(1))
      #expect(lab.simulator.connectedDevices == (isConnected ? [.monitor] : []))
    }
    let older = try Lab(settings: settings(82))
    let filter: PropertyMap = ["AutoConnect": .boolean(true)]
    #expect(
      try older.client.ask("SetDiscoveryFilter", .adapter, [.properties(filter)])
        == "SetDiscoveryFilter failed org.bluez.Error.InvalidArguments: Invalid arguments in method call"
    )
  }

  @Test("since 5.81 Pair uses the capability of the agent there was when the connection was made")
  func capability() throws {
    let monitor = DeviceDefinition.monitor.changing { $0.pairing = PairingDefinition(.confirm) }
    let agent: [DBusValue] = [.objectPath("/agent"), .string("DisplayYesNo")]
    for (minor, isAsked) in [(80, true), (81, false)] {
      let lab = try Lab.connected([monitor], settings: settings(minor))
      try lab.client.call("RegisterAgent", .agents, agent)
      try lab.client.begin("Pair", .device)
      try lab.pass(.seconds(1))
      #expect(lab.client.lines.contains("Pair replied") == !isAsked)
    }
    // The kernel keeps the capability of an agent that is gone.
    let lab = try Lab([monitor], settings: settings(81))
    let other = try lab.join()
    try other.call("RegisterAgent", .agents, agent)
    other.leave()
    try lab.connect()
    try lab.client.call(
      "RegisterAgent", .agents, [.objectPath("/agent"), .string("NoInputNoOutput")])
    try lab.client.begin("Pair", .device)
    try lab.pass(.seconds(1))
    #expect(!lab.client.lines.contains("Pair replied"))
  }

  @Test("since 5.79 Pair of a paired device is refused at once")
  func pairAgain() throws {
    let lab = try Lab.connected(settings: settings(79))
    try lab.client.call("RegisterAgent", .agents, [.objectPath("/agent"), .string("")])
    #expect(try lab.client.ask("Pair", .device) == "Pair replied")
    let refusal = "Pair failed org.bluez.Error.AlreadyExists: Already Exists"
    #expect(try lab.client.ask("Pair", .device) == refusal)
    try lab.client.call("Disconnect", .device)
    #expect(try lab.client.ask("Pair", .device) == refusal)
  }

  @Test("the services of programs begin behind bluetoothd's own, which are shorter since 5.80")
  func localHandles() throws {
    let loop = VirtualTimeLoop()
    let service = ServiceDefinition(uuid: "180d", characteristics: [])
    for (minor, first) in [(79, 0x15), (80, 0x13)] {
      let version = BlueZVersion(5, minor)
      let entries = loop.performAndWait {
        LocalDevice(AdapterSettings(name: "desk"), as: version, on: loop).add([service])
      }
      #expect(entries?.map { Int($0.handle) } == [first])
    }
  }

  @Test("docs/testing.md lists every change; UPDATE_GENERATED=1 writes the table")
  func page() throws {
    let page = URL(filePath: projectFolder).appending(path: "docs/testing.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let (begin, end) = ("<!-- table releases -->\n", "<!-- end -->")
    let parts = text.components(separatedBy: begin)
    try #require(parts.count == 2)
    let rest = try #require(parts[1].range(of: end))
    let rows = BlueZChange.allCases.map(\.row).sorted { $0.since < $1.since }.map { row in
      "| \(row.since)\(row.until.map { ", until \($0)" } ?? "") | \(row.place) | \(row.text) |"
    }
    let table = (["| since | where | difference |", "|---|---|---|"] + rows).joined(separator: "\n")
    let made = parts[0] + begin + "\n" + table + "\n\n" + parts[1][rest.lowerBound...]
    if ProcessInfo.processInfo.environment["UPDATE_GENERATED"] != nil {
      try made.write(to: page, atomically: true, encoding: .utf8)
    }
    #expect(made == text, "the table differs from the rows of BlueZChange")
  }
}
