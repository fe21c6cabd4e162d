// Devices that appear, are received again, and are removed.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Devices that appear")
struct AppearanceTests {
  private func discover(_ lab: Lab, _ filter: PropertyMap = ["Transport": .string("le")]) throws {
    try lab.client.call("SetDiscoveryFilter", .adapter, [.properties(filter)])
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.milliseconds(60))
  }

  @Test("a device appears with the properties that have a value, in bluetoothd's order")
  func properties() throws {
    let lab = try Lab()
    try discover(lab)
    let added = lab.client.messages.first { $0.member == "InterfacesAdded" }
    let object = try #require(added.map { ManagedObject((key: $0.body[0], value: $0.body[1])) })
    #expect(object.interfaces.map(\.name) == ["Introspectable", "Device1", "Properties"])
    #expect(object["Introspectable"] == [:])
    #expect(object["Properties"] == [:])
    #expect(
      object["Device1"] == [
        "Address": .string("C0:FF:EE:00:00:01"), "AddressType": .string("random"),
        "Name": .string("Lab HRM"), "Alias": .string("Lab HRM"), "Paired": .boolean(false),
        "Bonded": .boolean(false), "Trusted": .boolean(false), "Blocked": .boolean(false),
        "LegacyPairing": .boolean(false), "RSSI": .int16(-50), "Connected": .boolean(false),
        "UUIDs": .strings([
          "0000180d-0000-1000-8000-00805f9b34fb", "0000180f-0000-1000-8000-00805f9b34fb",
        ]),
        "Adapter": .objectPath("/org/bluez/hci0"),
        "ManufacturerData": try .dictionary(
          key: "q", value: "v", [(.uint16(0xffff), .variant(of: .bytes([0x6c, 0x61, 0x62])))]
        ),
        "TxPower": .int16(4), "ServicesResolved": .boolean(false),
      ]
    )
  }

  @Test(
    "the alias of a device without a name, or with an empty name, is its address with hyphens",
    arguments: [nil, ""]
  )
  func nameless(name: String?) throws {
    let lab = try Lab([.monitor.changing { $0.name = name }])
    try discover(lab)
    #expect(try lab.client.property("Alias", .device) == .string("C0-FF-EE-00-00-01"))
    #expect(try lab.client.objects().first { $0.path == "DEV" }?["Device1"]?["Name"] == nil)
  }

  @Test("an advertised name ends at its first NUL, and so do the adapter's names")
  func nameWithNUL() throws {
    var settings = SimulatorSettings(version: .debian12)
    settings.adapters = [AdapterSettings(name: "desk\0top")]
    let lab = try Lab([.monitor.changing { $0.name = "Lab\0HRM" }], settings: settings)
    try discover(lab)
    #expect(try lab.client.property("Name", .device) == .string("Lab"))
    #expect(try lab.client.property("Alias", .device) == .string("Lab"))
    #expect(try lab.client.property("Name", .adapter) == .string("desk"))
    #expect(try lab.client.property("Alias", .adapter) == .string("desk"))
  }

  @Test(
    "a device has the icon of its appearance, if bluetoothd has one for it",
    arguments: [
      (0x03c1, "input-keyboard"), (0x03c8, "scanner"), (0x00c1, nil), (0x0040, "phone"),
      (0x0341, nil), (0x03c0, nil), (0, nil),
    ] as [(UInt16, String?)]
  )
  func icon(_ appearance: UInt16, _ icon: String?) throws {
    let lab = try Lab([.monitor.changing { $0.appearance = appearance }])
    try discover(lab)
    let device = try #require(try lab.client.objects().first { $0.path == "DEV" }?["Device1"])
    #expect(device["Icon"]?.asString == icon)
    let names = device.names.filter { ["Appearance", "Icon", "Paired"].contains($0) }
    #expect(names == (icon == nil ? ["Appearance", "Paired"] : ["Appearance", "Icon", "Paired"]))
  }

  @Test("while a client has a filter, every advertisement reports the RSSI, even if unchanged")
  func filtered() throws {
    let lab = try Lab()
    try discover(lab)
    lab.client.forget()
    try lab.pass(.milliseconds(300))
    #expect(lab.client.take() == Array(repeating: "DEV Device1 RSSI=-50", count: 3))
  }

  @Test("with DuplicateData, service and manufacturer data is reported each time too")
  func duplicates() throws {
    let service = ServiceData(service: "180d", octets: [1])
    let lab = try Lab([.monitor.changing { $0.advertisement.serviceData = [service] }])
    try discover(lab, ["DuplicateData": .boolean(true)])
    lab.client.forget()
    try lab.pass(.milliseconds(100))
    let data = "ServiceData={\"0000180d-0000-1000-8000-00805f9b34fb\": <0x01>}"
    #expect(
      lab.client.take() == [
        "DEV Device1 RSSI=-50 ManufacturerData={65535: <0x6c6162>} \(data)"
      ]
    )
  }

  @Test("without a filter, only an RSSI change of at least 8 dB is reported")
  func threshold() throws {
    let lab = try Lab([.monitor.changing { $0.advertisement.rssiSpread = 20 }])
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.milliseconds(60))
    lab.client.forget()
    let first = try #require(try lab.client.property("RSSI", .device)?.asInt16)
    lab.client.forget()
    try lab.pass(.seconds(20))
    let reported = lab.client.messages.compactMap { $0.body[1].asPropertyMap?["RSSI"]?.asInt16 }
    #expect(reported.isEmpty == false)
    #expect(reported.count < 200)
    for (before, after) in zip([first] + reported, reported) { #expect(abs(before - after) >= 8) }
  }

  @Test("a device that was never connected is removed 30 s after its last advertisement")
  func temporary() throws {
    let lab = try Lab()
    try discover(lab)
    // Last seen at 50 ms.
    try lab.client.call("StopDiscovery", .adapter)
    try lab.pass(.milliseconds(29_980))
    lab.client.forget()
    try lab.pass(.milliseconds(20))
    #expect(lab.client.take() == ["DEV removed Properties Introspectable Device1"])
    #expect(try lab.client.objects().map(\.path) == ["/org/bluez", "hci0"])
  }

  @Test("a device that goes out of range is removed while discovery continues")
  func vanished() throws {
    let lab = try Lab()
    try discover(lab)
    lab.simulator.vanish(.monitor)
    lab.client.forget()
    try lab.pass(.seconds(31))
    #expect(lab.client.take() == ["DEV removed Properties Introspectable Device1"])
    lab.simulator.appear(.monitor)
    try lab.pass(.milliseconds(100))
    #expect(lab.client.take() == ["DEV added Device1"])
  }

  @Test("a device that keeps advertising is not removed")
  func received() throws {
    let lab = try Lab()
    try discover(lab)
    lab.client.forget()
    try lab.pass(.seconds(90))
    #expect(lab.client.lines.contains { $0.contains("removed") } == false)
  }

  @Test("a device that was connected stays known, and so does one whose connection attempt failed")
  func permanent() throws {
    let lab = try Lab.connected()
    try lab.client.call("Disconnect", .device)
    try lab.pass(.seconds(60))
    #expect(try lab.client.objects().map(\.path).contains("DEV"))

    let refusing = try Lab.discovered(faults: [FaultRule(on: .connect, action: .refuseConnection)])
    try refusing.client.call("Connect", .device)
    try refusing.pass(.seconds(60))
    #expect(try refusing.client.objects().map(\.path).contains("DEV"))
  }

  @Test(
    "several devices are removed in the order of their making, and since 5.80 the newest first",
    arguments: [
      (BlueZVersion(5, 79), ["DEV", "hci0/dev_C0_FF_EE_00_00_02"]),
      (BlueZVersion(5, 80), ["hci0/dev_C0_FF_EE_00_00_02", "DEV"]),
    ]
  )
  func order(version: BlueZVersion, paths: [String]) throws {
    var settings = SimulatorSettings()
    settings.version = version
    let lab = try Lab.discovered([.monitor, .beacon(2)], settings: settings)
    try lab.client.set("Powered", .boolean(false), .adapter)
    let removed = lab.client.lines.filter { $0.contains(" removed ") }
    #expect(removed == paths.map { "\($0) removed Properties Introspectable Device1" })
  }

  @Test("a name that was advertised once is remembered beyond the object")
  func rememberedName() throws {
    var settings = SimulatorSettings()
    settings.version = .debian13
    let lab = try Lab(settings: settings)
    for name in [nil, "Lab HRM"] {
      // The pattern excludes the device; its object has nothing that was advertised.
      try discover(lab, ["Pattern": .string("Thermo")])
      try lab.client.call("StopDiscovery", .adapter)
      let device = try #require(try lab.client.objects().first { $0.path == "DEV" }?["Device1"])
      #expect(device["Name"]?.asString == name)
      #expect(device["RSSI"] == nil)
      try lab.client.call("RemoveDevice", .adapter, [.objectPath(Target.device.path)])
      try discover(lab)
      try lab.client.call("StopDiscovery", .adapter)
      try lab.client.call("RemoveDevice", .adapter, [.objectPath(Target.device.path)])
    }
  }

  @Test("a trusted device is removed as well")
  func trusted() throws {
    let lab = try Lab.discovered()
    try lab.client.set("Trusted", .boolean(true), .device)
    try lab.pass(.seconds(31))
    #expect(try lab.client.objects().map(\.path) == ["/org/bluez", "hci0"])
  }
}
