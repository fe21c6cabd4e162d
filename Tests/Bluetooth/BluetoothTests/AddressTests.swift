// Addresses, UUIDs and names.

import Bluetooth
import Testing

@Suite("Addresses and UUIDs")
struct AddressTests {
  @Test("a public address and a static random one identify a device")
  func identity() throws {
    let fixed = try #require(BluetoothAddress("C0:FF:EE:00:00:01"))
    let resolvable = try #require(BluetoothAddress("7F:FF:EE:00:00:01"))
    #expect(fixed.isIdentity(.random) && fixed.isIdentity(.public))
    #expect(!resolvable.isIdentity(.random) && resolvable.isIdentity(.public))
  }

  @Test(
    "an address is parsed in either case, with any usual separator or without separators",
    arguments: ["C0:FF:EE:00:00:01", "c0:ff:ee:00:00:01", "C0_FF_EE_00_00_01", "c0-ff-ee-00-00-01"]
      + ["C0FFEE000001", "c0ffee000001"]
  )
  func address(text: String) {
    #expect(BluetoothAddress(text)?.description == "C0:FF:EE:00:00:01")
  }

  @Test(
    "an invalid address is refused",
    arguments: [
      "", "C0:FF:EE:00:00", "C0:FF:EE:00:00:0G", "C0:FF:EE:00:00:01:02", "C0FFEE00000",
      "C0FFEE0000010",
    ]
      + ["+0:FF:EE:00:00:01", "C:0FF:EE:00:00:01", "C0FFEE00000G", "C0:FFEE:0000", "C0FF.EE00.00"]
  )
  func noAddress(text: String) {
    #expect(BluetoothAddress(text) == nil)
  }

  @Test(
    "a UUID is parsed in each of its forms",
    arguments: ["180d", "0x180D", "0000180d", "0000180D-0000-1000-8000-00805f9b34fb"]
  )
  func uuid(text: String) {
    let uuid = BluetoothUUID(text)
    #expect(uuid?.short == 0x180d)
    #expect(uuid?.text == "0000180d-0000-1000-8000-00805f9b34fb")
    #expect(uuid?.description == "180d")
  }

  @Test("a UUID that is not assigned has no short form")
  func longUUID() {
    let text = "6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40"
    #expect(BluetoothUUID(text)?.short == nil)
    #expect(BluetoothUUID(text)?.description == text)
  }

  @Test(
    "an invalid UUID is refused",
    arguments: [
      "", "180", "180g", "+80d", "6e5d0001-1b1a-4e1c-8f6b", "6e5d00011b1a4e1c8f6b0b6c1d2e3f40",
    ]
      + ["6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f4g"]
  )
  func noUUID(text: String) {
    #expect(BluetoothUUID(text) == nil)
  }

  @Test(
    "a glob must match the whole text",
    arguments: [
      ("Thermo*", "Thermo-1", true), ("Thermo*", "A Thermo", false), ("*", "", true),
      ("T?er*1", "Thermo-1", true), ("", "x", false), ("a*b*c", "aXbYbZc", true),
      ("a*b*c", "aXbYbZ", false), ("*mo-?", "Thermo-1", true),
    ]
  )
  func glob(pattern: String, text: String, matches: Bool) {
    #expect(Glob(pattern).matches(text) == matches)
    #expect(Glob(pattern.uppercased(), ignoringCase: true).matches(text) == matches)
  }
}
