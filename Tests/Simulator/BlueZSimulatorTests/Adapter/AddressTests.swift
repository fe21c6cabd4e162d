// Devices that change their address, and devices with several advertisements.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices
import Testing

@testable import DBus

@Suite("Addresses and advertisements")
struct AddressTests {
  /// The monitor behind addresses that change every 60 s.
  let hidden = DeviceDefinition.monitor.changing {
    $0.privateAddress = PrivateAddress(every: .seconds(60))
  }

  func devices(_ lab: Lab) throws -> [PropertyMap] {
    try lab.client.objects().compactMap { $0["Device1"] }
  }

  func addresses(_ lab: Lab) throws -> [String] {
    try devices(lab).compactMap { $0["Address"]?.asString }
  }

  @Test("a device with a new address is a new device; the old one is removed")
  func change() throws {
    let lab = try Lab([hidden])
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.seconds(1))
    let first = try addresses(lab)
    #expect(first == ["\(lab.device.airAddress().address)"])
    try lab.pass(.seconds(60))
    let both = try addresses(lab)
    let second = "\(lab.device.airAddress().address)"
    #expect(both.sorted() == (first + [second]).sorted() && second != first[0])
    #expect(try devices(lab).allSatisfy { $0["Name"] == .string("Lab HRM") })
    try lab.pass(.seconds(30))
    #expect(try addresses(lab) == [second])
  }

  @Test("a link survives an address change; connecting to an old address fails")
  func link() throws {
    let lab = try Lab([hidden])
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.seconds(1))
    try lab.client.call("StopDiscovery", .adapter)
    let old = Target(
      BlueZPath.device(lab.device.airAddress().address, of: "/org/bluez/hci0"), Device1.interface
    )
    #expect(try lab.client.ask("Connect", old) == "Connect replied")
    try lab.pass(.seconds(70))
    #expect(try lab.client.property("Connected", old) == .boolean(true))
    #expect(try lab.client.ask("Disconnect", old) == "Disconnect replied")
    let before = lab.loop.now
    #expect(try lab.client.ask("Connect", old).contains("le-connection-abort-by-local"))
    #expect(lab.loop.now - before >= .seconds(40))
  }

  @Test("several advertisements are each sent at their own interval, and their data is merged")
  func several() throws {
    let beacon = DeviceDefinition.monitor.changing { device in
      device.advertisements.append(
        AdvertisementDefinition(
          includesName: false, serviceData: [ServiceData(service: "feaa", octets: [0x20])],
          rssi: -50, rssiSpread: 0, interval: .milliseconds(250)
        )
      )
    }
    let lab = try Lab([beacon])
    try lab.client.call("SetDiscoveryFilter", .adapter, [.properties(["Transport": .string("le")])])
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.milliseconds(200))
    let device = try #require(try devices(lab).first)
    #expect(device["Name"] == .string("Lab HRM"))
    #expect(device["TxPower"] == .int16(4))
    #expect(device["ManufacturerData"]?.text == "{65535: <0x6c6162>}")
    #expect(device["ServiceData"]?.text.contains("0x20") == true)
    lab.client.forget()
    try lab.pass(.milliseconds(600))
    #expect(lab.client.lines.count == 6 + 2)
  }

  @Test("a service names the services it includes")
  func includes() throws {
    let device = DeviceDefinition.monitor.changing { device in
      device.services[0].includes = [device.services[1].uuid]
    }
    let lab = try Lab.discovered([device])
    #expect(try lab.client.ask("Connect", .device) == "Connect replied")
    try lab.pass(.seconds(1))
    let services = try lab.client.objects().filter { $0["GattService1"] != nil }
    let battery = services.first { $0.path.hasSuffix("0013") }
    #expect(battery?["GattService1"]?["UUID"]?.text.contains("180f") == true)
    let includes = services.compactMap { $0["GattService1"]?["Includes"]?.asObjectPaths }
    #expect(includes.flatMap { $0 }.map(\.text) == ["\(Target.device.path.text)/service0013"])
  }
}
