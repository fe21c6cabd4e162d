// Parsing device targets, and the nearby devices listed when a target is not found.

import Bluetooth
import Testing

@Suite("Device targets")
struct DeviceTargetTests {
  private func device(
    _ name: String?, _ number: UInt64, rssi: Int? = -60, services: [BluetoothUUID] = []
  ) -> Advertisement {
    let address = BluetoothAddress(number: 0xc0ff_ee00_0000 + number)
    return Advertisement(
      address: address, addressType: .random, name: name, alias: name ?? "\(address)", rssi: rssi,
      services: services, advertisedServices: services, adapter: "hci0"
    )
  }

  private var twins: [Advertisement] { [device("Twin-1", 1), device("Lamp-2", 2, rssi: -70)] }

  @Test("an address without separators is parsed as an address")
  func label() throws {
    let address = try #require(BluetoothAddress("C0:FF:EE:15:00:00"))
    #expect(try DeviceTarget(parsing: "C0FFEE150000") == .address(address))
    #expect(try DeviceTarget(parsing: "C0FFEE15000") == .name("C0FFEE15000"))
  }

  @Test("names match case-insensitively unless an exact match is requested")
  func cases() {
    for target in [DeviceTarget.name("twin-?"), .name("TWIN-1"), .alias("tWIN*")] {
      #expect(target.matches(twins[0]), "\(target)")
      #expect(!target.exact.matches(twins[0]), "\(target)")
    }
    #expect(DeviceTarget.name("Twin-*", exact: true).matches(twins[0]))
    #expect(ScanFilter(name: "twin*").matches(twins[0]))
    #expect(!ScanFilter(name: "twin*", isExact: true).matches(twins[0]))
  }

  @Test(
    "a partial address is not a name",
    arguments: [
      "C0:FF:EE", "c0:ff", "C0:FF:EE:", ":", "C0:FF:EE:00:00:1", "C0:FF:EE:00:00:01:02",
      "C0:FF:EE:00:00:0G",
    ]
  )
  func incomplete(text: String) {
    #expect(throws: InvalidDeviceTarget.incompleteAddress(text)) { try DeviceTarget(parsing: text) }
  }

  @Test(
    "other texts are parsed as names",
    arguments: ["Lamp: left", "C0:FF:*", "C0FFEE", "room:12", "C0-FF-EE", "12:345"]
  )
  func names(text: String) throws {
    #expect(try DeviceTarget(parsing: text) == .name(text))
  }

  @Test("an empty text is no device target; a star selects any device, an address exactly one")
  func others() throws {
    #expect(throws: InvalidDeviceTarget.emptyName) { try DeviceTarget(parsing: "") }
    #expect(try DeviceTarget(parsing: "*") == .any)
    #expect(try DeviceTarget(parsing: "c0:ff:ee:00:00:01").text == "C0:FF:EE:00:00:01")
  }

  @Test("nearby devices are listed with how they differ, the most similar name first")
  func near() {
    #expect(
      DeviceTarget.name("Lamp-1").others(among: twins)
        == " (did you mean 'Lamp-2'?); in range: 'Lamp-2' (C0:FF:EE:00:00:02, -70 dBm: another "
        + "name), 'Twin-1' (C0:FF:EE:00:00:01, -60 dBm: another name)"
    )
    #expect(
      DeviceTarget.name("twin*", exact: true).others(among: [twins[0], device(nil, 3, rssi: -80)])
        == " (did you mean 'Twin-1'?); in range: 'Twin-1' (C0:FF:EE:00:00:01, -60 dBm: name "
        + "differs in case), a device without a name (C0:FF:EE:00:00:03, -80 dBm: advertises no "
        + "name)"
    )
    #expect(DeviceTarget.name("Twni*").others(among: twins).hasPrefix(" (did you mean 'Twin-1'?)"))
    let padded = DeviceTarget.name("HC-08").others(among: [device("HC-08          ", 4)])
    #expect(padded.hasPrefix(" (did you mean 'HC-08          '?)"))
    #expect(DeviceTarget.name("Scale").others(among: twins).hasPrefix("; in range: 'Twin-1' ("))
    #expect(DeviceTarget.name("Scale").others(among: []) == "; no other device is in range")
  }

  @Test("an address that differs in one digit is suggested")
  func nearAddress() {
    let target = DeviceTarget.address(BluetoothAddress(number: 0xc0ff_ee00_0012))
    #expect(
      target.others(among: twins).hasPrefix(
        " (did you mean C0:FF:EE:00:00:02?); in range: 'Lamp-2' (C0:FF:EE:00:00:02, -70 dBm: "
          + "another address), "
      )
    )
    let far = DeviceTarget.address(BluetoothAddress(number: 0x0102_0304_0506))
    #expect(far.others(among: twins).hasPrefix("; in range: "))
  }

  @Test("a device that does not advertise the service is listed with that reason")
  func service() throws {
    let battery = try #require(AssignedNumbers.service(named: "battery"))
    let reason = "does not advertise battery"
    #expect(DeviceTarget.service("battery").difference(from: twins[0]) == reason)
    let other = device("Cell", 3, services: [battery])
    #expect(DeviceTarget.service("battery").difference(from: other) == nil)
  }

  @Test("only the most similar of many devices are listed")
  func many() {
    let crowd = (0..<300).map { device("Tag", UInt64($0), rssi: -100 + $0 % 60) }
    let text = DeviceTarget.name("Twin-1").others(among: crowd)
    #expect(text.hasSuffix(", and 294 more"))
    #expect(text.split(separator: "dBm").count == 7)
    #expect(text.hasPrefix("; in range: 'Tag' (C0:FF:EE:00:00:3B, -41 dBm"))
  }
}
