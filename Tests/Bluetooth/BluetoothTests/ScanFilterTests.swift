// Why a scan does not report a device, in words.

import Bluetooth
import Testing

@Suite("Devices that a scan excludes")
struct ScanFilterTests {
  private let lamp = Advertisement(
    address: BluetoothAddress(number: 0xc0ff_ee00_0001), addressType: .random, name: "Lamp-1",
    alias: "Lamp-1", rssi: -80, advertisedServices: [], adapter: "hci0"
  )

  @Test(
    "each condition that a device fails is named",
    arguments: [
      (ScanFilter(), nil), (ScanFilter(name: "lamp*", rssi: -90), nil),
      (ScanFilter(name: "Tag*"), "another name"),
      (ScanFilter(name: "lamp*", isExact: true), "name differs in case"),
      (ScanFilter(rssi: -70), "weaker than -70 dBm"),
      (ScanFilter(address: BluetoothAddress(number: 1)), "another address"),
      (
        ScanFilter(target: .name("Tag"), rssi: -70, manufacturer: ManufacturerPattern(company: 76)),
        "another name, weaker than -70 dBm, no manufacturer data 0x004c"
      ),
    ] as [(ScanFilter, String?)]
  )
  func difference(filter: ScanFilter, reason: String?) {
    #expect(filter.difference(from: lamp) == reason)
    #expect(filter.matches(lamp) == (reason == nil))
  }

  @Test("services are named by their identifiers; matching services are not listed")
  func others() {
    #expect(
      ScanFilter(services: ["battery"]).others(among: [lamp])
        == "; in range: 'Lamp-1' (C0:FF:EE:00:00:01, -80 dBm: does not advertise battery)"
    )
    #expect(ScanFilter().others(among: [lamp]) == "; no other device is in range")
  }
}
