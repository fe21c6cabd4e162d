// The characteristics that bluetoothd reads to identify a device: name, appearance and PnP ID.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("What connecting reads")
struct IdentityTests {
  /// A device with a PnP ID, and an appearance that it does not advertise.
  private func mouse(_ pnpID: [UInt8]) -> DeviceDefinition {
    .monitor.changing { device in
      device.appearance = 0x03c2
      device.advertisement.includesName = false
      device.services.append(
        ServiceDefinition(
          uuid: "180a",
          characteristics: [
            CharacteristicDefinition(uuid: "2a50", properties: .read, behaviour: .constant(pnpID))
          ]
        )
      )
    }
  }

  private func properties(_ lab: Lab) throws -> PropertyMap {
    try #require(try lab.client.objects().first { $0.path == "DEV" }?["Device1"])
  }

  @Test("an appearance that is not advertised is read, and gives the icon; the PnP ID the modalias")
  func connecting() throws {
    let lab = try Lab.discovered([mouse([2, 0x6d, 0x04, 0x1a, 0xb0, 0x12, 0x00])])
    let before = try properties(lab)
    for name in ["Name", "Appearance", "Icon", "Modalias"] { #expect(before[name] == nil) }
    try lab.client.call("Connect", .device)
    try lab.pass(.seconds(1))
    let after = try properties(lab)
    #expect(after["Name"] == .string("Lab HRM"))
    #expect(after["Appearance"] == .uint16(0x03c2))
    #expect(after["Icon"] == .string("input-mouse"))
    #expect(after["Modalias"] == .string("usb:v046DpB01Ad0012"))
    let lines = lab.client.lines
    let resolved = try #require(lines.firstIndex { $0.hasSuffix("ServicesResolved=true") })
    for name in ["Name=", "Appearance=", "Modalias="] {
      let said = lines.filter { $0.hasPrefix("DEV Device1 \(name)") }
      #expect(said.count == 1, "\(name)")
      #expect(lines.lastIndex { $0.hasPrefix("DEV Device1 \(name)") } ?? 0 > resolved)
    }
  }

  @Test(
    "an identifier of the Bluetooth SIG has a modalias; one of no known source or too short has none",
    arguments: [
      ([1, 0x0f, 0, 1, 0, 2, 0], "bluetooth:v000Fp0001d0002"), ([3, 1, 0, 1, 0, 2, 0], nil),
      ([2, 1, 0, 1, 0, 2], nil),
    ] as [([UInt8], String?)]
  )
  func sources(pnpID: [UInt8], modalias: String?) throws {
    let lab = try Lab.connected([mouse(pnpID)])
    #expect(try properties(lab)["Modalias"]?.asString == modalias)
  }

  @Test(
    "the Device Name is read on each connection, and since 5.77 on the first one",
    arguments: [(BlueZVersion(5, 76), "GAP"), (BlueZVersion(5, 77), "Lab HRM")]
  )
  func nameReadOnce(version: BlueZVersion, second: String) throws {
    var settings = SimulatorSettings()
    settings.version = version
    let lab = try Lab.connected([.monitor.changing { $0.gapName = "GAP" }], settings: settings)
    #expect(try lab.client.property("Name", .device) == .string("GAP"))
    try lab.client.call("Disconnect", .device)
    try lab.connect()
    #expect(try lab.client.property("Name", .device) == .string(second))
    // It counts for the object.
    try lab.client.call("RemoveDevice", .adapter, [.objectPath(Target.device.path)])
    try lab.connect()
    #expect(try lab.client.property("Name", .device) == .string("GAP"))
  }
}
