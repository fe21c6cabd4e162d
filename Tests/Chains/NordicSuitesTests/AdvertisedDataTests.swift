// Patterns in partly unknown data.

import Bluetooth
import Testing

@testable import NordicSuites

@Suite("Advertised data")
struct AdvertisedDataTests {
  private func device(_ advertised: [BluetoothUUID]?) -> Advertisement {
    Advertisement(
      address: BluetoothAddress(number: 1), addressType: .random, name: "AB", alias: "AB",
      rssi: -60, services: [BluetoothUUID(short: 0x180d), BluetoothUUID(short: 0xaa84)],
      advertisedServices: advertised, manufacturerData: [(0xffff, [1])], adapter: "hci0"
    )
  }

  @Test(
    "while services are unknown, data that only they could contain is undecided",
    arguments: [
      ("0D18", true, nil), ("84AA", false, nil), ("^03030D18", true, nil), ("4142", true, true),
      ("04FFFFFF01$", true, true), ("^0309", false, nil), ("09", true, true),
    ] as [(String, Bool, Bool?)]
  )
  func unknown(_ text: String, _ isKnown: Bool, _ isUnknown: Bool?) throws {
    let pattern = try DataPattern(text)
    #expect(pattern.isFound(in: device([BluetoothUUID(short: 0x180d)])) == isKnown)
    #expect(pattern.isFound(in: device(nil)) == isUnknown)
    let filter = AdvertisementFilter(data: pattern)
    #expect(filter.matches(device(nil), bound: nil) == isUnknown)
  }
}
