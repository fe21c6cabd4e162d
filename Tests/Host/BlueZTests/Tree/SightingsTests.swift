// The state that a scan keeps about reported devices.

import Bluetooth
import Testing

@testable import BlueZ

@Suite("Scan sightings")
struct SightingsTests {
  private func seen(_ number: UInt64, rssi: Int = -60) -> Advertisement {
    Advertisement(
      address: BluetoothAddress(number: 0x7000_0000_0000 + number), addressType: .random, name: nil,
      alias: "", rssi: rssi, adapter: "hci0"
    )
  }

  @Test("a device is reported when it is new or when something about it has changed")
  func news() {
    var sightings = Sightings()
    let news = [seen(1), seen(1), seen(2), seen(1, rssi: -70), seen(1, rssi: -70)]
      .map { sightings.add($0) { _ in true } }
    #expect(news == [true, false, true, true, false])
  }

  @Test("when devices change addresses for days, only about as many are kept as are in range")
  func changingAddresses() {
    var sightings = Sightings()
    for number in 0..<20_000 as Range<UInt64> {
      let present = seen(max(number, 1500) - 1500).address...seen(number).address
      #expect(sightings.add(seen(number)) { present.contains($0) })
      #expect(sightings.last.count <= 2 * 1501 + 1)
    }
    #expect(sightings.last.keys.contains(seen(19_999).address))
  }
}
