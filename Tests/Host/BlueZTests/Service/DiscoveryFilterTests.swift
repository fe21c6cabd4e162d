// Conditions that bluetoothd filters, and conditions that the client checks.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import Testing

@testable import BlueZ

@Suite("Scan filters")
struct DiscoveryFilterTests {
  private let heartRate = BluetoothUUID(short: 0x180d)
  private let battery = BluetoothUUID(short: 0x180f)

  private func device(
    name: String? = "Thermo-1", rssi: Int? = -60, services: [BluetoothUUID] = [],
    manufacturer: [(company: UInt16, data: [UInt8])] = [],
    serviceData: [(service: BluetoothUUID, data: [UInt8])] = [], isConnected: Bool = false
  ) -> Advertisement {
    Advertisement(
      address: BluetoothAddress(number: 0xc0ff_ee00_0001), addressType: .random, name: name,
      alias: name ?? "", rssi: rssi, services: services, advertisedServices: services,
      manufacturerData: manufacturer, serviceData: serviceData, isConnected: isConnected,
      adapter: "hci0"
    )
  }

  @Test("conditions that bluetoothd can filter are put into its filter")
  func filtered() {
    let filter = ScanFilter(name: "Thermo*", isExact: true, services: ["heart-rate"], rssi: -70)
    #expect(
      DiscoveryFilter(filter).properties == [
        "Transport": .string("le"), "DuplicateData": .boolean(false),
        "UUIDs": .strings([heartRate.text]), "RSSI": .int16(-70), "Pattern": .string("Thermo"),
      ]
    )
  }

  @Test("a filter without a condition has an RSSI that every device has")
  func criterion() {
    #expect(
      DiscoveryFilter.all.properties == [
        "Transport": .string("le"), "DuplicateData": .boolean(false), "RSSI": .int16(-127),
      ]
    )
    #expect(DiscoveryFilter(pattern: "Thermo").properties["RSSI"] == nil)
  }

  @Test("a pattern that begins with a wildcard is not sent to bluetoothd")
  func openPattern() {
    #expect(DiscoveryFilter(ScanFilter(name: "*-1", isExact: true)) == .all)
  }

  @Test("if case is ignored, only the characters before the first letter are sent to bluetoothd")
  func eitherCase() {
    #expect(DiscoveryFilter(ScanFilter(name: "Thermo*")) == .all)
    #expect(DiscoveryFilter(ScanFilter(target: .name("Thermo*"))) == .all)
    #expect(DiscoveryFilter(ScanFilter(name: "12-A*")).pattern == "12-")
    #expect(DiscoveryFilter(ScanFilter(target: .name("Thermo*", exact: true))).pattern == "Thermo")
  }

  @Test("the merged filter of two scans includes the devices that either needs")
  func merged() {
    let one = DiscoveryFilter(services: [heartRate], rssi: -60, pattern: "Thermo-1")
    let other = DiscoveryFilter(services: [battery, heartRate], rssi: -80, pattern: "Thermo-2")
    #expect(
      one.merged(with: other)
        == DiscoveryFilter(services: [heartRate, battery], rssi: -80, pattern: "Thermo-")
    )
    #expect(one.merged(with: .all) == .all)
    #expect(one.merged(with: DiscoveryFilter(pattern: "C0:FF")) == .all)
  }

  @Test("a second scan widens the filter of the first while both run, without a new discovery")
  func widened() throws {
    let bench = try Bench()
    bench.bluez.isDeviceKnown = false
    let service = try bench.service()
    let (loop, bluez) = (bench.loop, bench.bluez)
    let narrow = ScanFilter(name: "Thermo-1", isExact: true)
    let first = service.scan(narrow).observe(on: loop) { _ in }
    try loop.run { try await loop.sleep(for: .seconds(1)) }
    #expect(bluez.calls == ["SetDiscoveryFilter", "StartDiscovery"])
    let over = Signal.just(()).delay(.seconds(1))
    let second = service.scan(ScanFilter(services: ["battery"])).takeUntil(over).collect()
    #expect(second.firstOrDefault([], within: .seconds(10)).error == nil)
    let widenedAndBack = ["SetDiscoveryFilter", "SetDiscoveryFilter"]
    #expect(bluez.calls == ["SetDiscoveryFilter", "StartDiscovery"] + widenedAndBack)
    first.cancel()
    bench.drain()
    #expect(bluez.calls.last == "StopDiscovery")
  }

  @Test("every result of bluetoothd is checked against the filter again")
  func checked() throws {
    let apple = try #require(ManufacturerPattern("0x004c:0215"))
    let eddystone = try #require(ServiceDataPattern("feaa:00"))
    let beacon = device(
      manufacturer: [(0x004c, [0x02, 0x15, 0x01])],
      serviceData: [(BluetoothUUID(short: 0xfeaa), [0x00, 0x10])]
    )
    #expect(ScanFilter(manufacturer: apple, serviceData: eddystone).matches(beacon))
    #expect(!ScanFilter(manufacturer: apple).matches(device(manufacturer: [(0x004c, [0x02])])))
    #expect(!ScanFilter(serviceData: eddystone).matches(device()))
    #expect(!ScanFilter(rssi: -50).matches(device()))
    #expect(ScanFilter(rssi: -50).matches(device(rssi: nil, isConnected: true)))
    #expect(!ScanFilter(name: "Heart*").matches(device()))
    #expect(!ScanFilter(services: ["battery"]).matches(device(services: [heartRate])))
  }

  @Test("a monitor uses the narrowest condition of a filter")
  func patterns() throws {
    let apple = ScanFilter(name: "T*", manufacturer: ManufacturerPattern("76:0215"))
    #expect(
      AdvertisementMonitor1.Pattern.patterns(for: apple)
        == [AdvertisementMonitor1.Pattern(0, 0xff, [0x4c, 0x00, 0x02, 0x15])]
    )
    let data = ScanFilter(serviceData: ServiceDataPattern("feaa:00"))
    #expect(
      AdvertisementMonitor1.Pattern.patterns(for: data) == [
        AdvertisementMonitor1.Pattern(0, 0x16, [0xaa, 0xfe, 0x00])
      ]
    )
    let exact = ScanFilter(target: .name("Thermo*", exact: true))
    let name = AdvertisementMonitor1.Pattern.patterns(for: exact)
    #expect(name.map(\.type) == [0x08, 0x09])
    #expect(name.allSatisfy { $0.octets == Array("Thermo".utf8) })
    let either = AdvertisementMonitor1.Pattern.patterns(for: ScanFilter(name: "Thermo*"))
    #expect(either == AdvertisementMonitor1.Pattern.patterns(for: ScanFilter()))
    let service = AdvertisementMonitor1.Pattern.patterns(for: ScanFilter(services: ["heart-rate"]))
    #expect(service.contains(AdvertisementMonitor1.Pattern(0, 0x03, [0x0d, 0x18])))
    #expect(service.contains(AdvertisementMonitor1.Pattern(2, 0x03, [0x0d, 0x18])))
    #expect(!AdvertisementMonitor1.Pattern.patterns(for: ScanFilter()).isEmpty)
  }
}
