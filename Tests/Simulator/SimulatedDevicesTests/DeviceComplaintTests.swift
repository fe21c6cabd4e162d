// Invalid device files, and their error messages.

import Bluetooth
import Documents
import SimulatedDevices
import Testing

@Suite("Errors in device files")
struct DeviceComplaintTests {
  func complaints(_ text: String) -> [String] {
    do {
      _ = try DeviceFile.parse(text, file: "device.yaml")
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  /// The errors in these keys of a characteristic.
  func ofCharacteristic(_ keys: String, _ properties: String = "[read, write, notify]") -> [String]
  {
    DeviceText.complaints(
      """
      services:
      - service: battery
        characteristics:
        - { characteristic: battery-level, properties: \(properties), \(keys) }
      """
    )
  }

  @Test(
    "properties can be empty, and 'cccd: false' is allowed only where a characteristic notifies")
  func oddities() throws {
    #expect(ofCharacteristic("value: { u8: 1 }", "[]") == [])
    #expect(ofCharacteristic("cccd: false") == [])
    let found = ofCharacteristic("cccd: false", "[read]")
    #expect(found.count == 1)
    #expect(
      found.first?.contains(
        "cccd: nothing is notified here (expected the property notify or indicate)"
      ) == true
    )
    let device = try DeviceText.characteristics(
      "characteristic: fff1, properties: []",
      "characteristic: fff2, properties: [notify], cccd: false"
    )
    #expect(device.services[0].characteristics.map(\.properties) == [[], .notify])
    #expect(device.services[0].characteristics.map(\.hasConfiguration) == [true, false])
  }

  @Test("custom names for UUIDs are accepted wherever an attribute is named")
  func names() throws {
    let device = """
      names: { soil: fff0, soil-moisture: 0000a001-1212-efde-1523-785feabcd123, Pump: fff2 }
      advertisement: { services: [soil], service-data: { soil: "01" } }
      services:
      - service: soil
        characteristics:
        - { characteristic: soil-moisture, properties: [read, notify] }
        - characteristic: pump
          properties: [write]
          responses: [{ then: { notify: { u8: 1 }, on: soil/soil-moisture } }]
      """
    let read = try DeviceText.device(device)
    let moisture = try #require(BluetoothUUID("0000a001-1212-efde-1523-785feabcd123"))
    #expect(read.services[0].uuid == BluetoothUUID(short: 0xfff0))
    #expect(read.advertisement.services == [BluetoothUUID(short: 0xfff0)])
    #expect(
      read.services[0].characteristics.map(\.uuid) == [moisture, BluetoothUUID(short: 0xfff2)]
    )
    let scenario = """
      scenario: Names
      names: { soil: fff0, pump: fff2 }
      devices:
      - address: C0:FF:EE:00:00:01
        services:
        - { service: soil, characteristics: [{ characteristic: pump, properties: [write] }] }
      faults:
      - { fault: att-error, characteristic: soil/pump, error: 0x80 }
      """
    let fault = try #require(ScenarioFile.parse(scenario, file: "s.yaml").devices[0].faults.first)
    #expect(fault.characteristic?.characteristic == BluetoothUUID(short: 0xfff2))
    // Of one device they are not those of the next; of the file they are.
    let own = """
      devices:
      - { address: C0:FF:EE:00:00:01, names: { soil: fff0 }, services: [{ service: soil }] }
      - { address: C0:FF:EE:00:00:02, services: [{ service: soil }] }
      """
    #expect(complaints(own).count == 1)
    #expect(complaints("names: { soil: fff0 }\n" + own) == [])
  }

  @Test("custom names for UUIDs are checked like those in chains")
  func wrongNames() {
    #expect(
      DeviceText.complaints(
        "names: { soil: fff0, beef: fff1, a: 1, b: fff2, B: fff3, c: fff2 }"
      ) == [
        "device.yaml:2:22: names.beef: 'beef' is a UUID, and not a name (expected another name)",
        "device.yaml:2:37: names.a: expected a UUID such as 0000a001-1212-efde-1523-785feabcd123, "
          + "or of 4 or 8 digits, found '1'",
        "device.yaml:2:49: names.B: duplicate name 'B', first at device.yaml:2:40",
        "device.yaml:2:58: names.c: fff2 has two names; the first is 'b' at device.yaml:2:40",
      ]
    )
  }

  @Test("a name with a NUL is refused wherever it is written")
  func nameWithNUL() {
    let complaint = "the name has a NUL character, at which every host ends it"
    #expect(DeviceText.complaints(#"name: "Thermo\01""#) == ["device.yaml:2:7: name: \(complaint)"])
    #expect(
      DeviceText.complaints("name: \"\\0#\"\ncount: 2") == ["device.yaml:2:7: name: \(complaint)"]
    )
    let host = """
      scenario: Host
      devices: []
      host: { adapter: { name: "\\u0000" } }
      """
    do {
      _ = try ScenarioFile.parse(host, file: "host.yaml")
      Issue.record("the name was read")
    } catch {
      #expect(error.description.hasPrefix("host.yaml:3:26: host.adapter.name: \(complaint)"))
    }
  }

  @Test("all errors are reported at once, each with its place")
  func atOnce() {
    let found = complaints(
      """
      nam: Thermo-1
      address-type: secret
      services:
        - service: batery
          characteristics:
            - characteristic: battery-level
              properties: [read, notifi]
              value: { u8: 300 }
      link: { mtu: 22 }
      """
    )
    let path = "services.1.characteristics.1"
    #expect(
      found == [
        "device.yaml:1:1: the key 'address' is missing (expected an address such as "
          + "C0:FF:EE:00:00:01)",
        "device.yaml:1:1: nam: unknown key 'nam' (did you mean 'name'?)",
        "device.yaml:2:15: address-type: expected public or random, found 'secret'",
        "device.yaml:4:14: services.1.service: unknown service 'batery' (expected an assigned name "
          + "or a UUID; did you mean 'battery'?)",
        "device.yaml:7:28: \(path).properties.2: unknown property 'notifi' (did you mean 'notify'?)",
        "device.yaml:8:22: \(path).value.u8: 300 is more than 255 (expected a value of u8)",
        "device.yaml:9:14: link.mtu: expected a whole number from 23 to 517, found '22'",
      ]
    )
  }

  @Test(
    "errors in a device are reported",
    arguments: [
      ("services: 3", "expected a list of services"),
      ("link: [3]", "expected a mapping"),
      ("services: [{ service: generic-access }]", "every device has this service"),
      ("advertisement: { rssi: 21 }", "from -127 to 20"),
      ("advertisement: { interval: 1ms }", "from 20ms to 10240ms"),
      (
        "advertisement: { manufacturer-data: { acme: \"00\" } }",
        "invalid company identifier 'acme'"
      ),
      ("advertisement: { manufacturer-data: { 1: \"0\" } }", "not pairs of hex digits"),
      ("advertisement: { manufacturer-data: { 1: [0] } }", "expected bytes such as"),
      ("advertisement: { service-data: { batterie: \"00\" } }", "did you mean 'battery'?"),
      ("link: { latency: 2h }", "expected a duration from 0s to 1h"),
      (
        "link: { speed: { interval: 5ms } }",
        "expected a duration from 7.500ms to 4s, in steps of 1.250ms"
      ),
      ("link: { speed: { interval: 51ms } }", "in steps of 1.250ms, found '51ms'"),
      ("link: { shortest-interval: 8ms }", "in steps of 1.250ms, found '8ms'"),
      ("link: { speed: { phy: 3m } }", "expected one of 1m, 2m, coded"),
      ("link: { phys: [1m, 3m] }", "expected one of 1m, 2m, coded"),
      ("link: { phys: [] }", "a device has at least one PHY"),
      ("link: { speed: { packets: 0 } }", "expected a whole number from 1 to 100"),
      ("appearance: 65536", "expected a number from 0 to 0xffff"),
      ("faults: [{ on: rad, do: vanish }]", "did you mean 'read'?"),
      ("faults: [{ on: read, do: vanisch }]", "did you mean 'vanish'?"),
      ("faults: [{ on: read, do: refuse }]", "expected refuse 0x80"),
      ("faults: [{ on: read, do: refuse 0 }]", "unknown error code '0'"),
      ("faults: [{ on: read, do: refuse value-not-alowed }]", "did you mean 'value-not-allowed'?"),
      ("faults: [{ on: read, do: slow soon }]", "expected a duration from 0s to 1h"),
      ("faults: [{ on: read }]", "the key 'do' is missing"),
      ("faults: [{ do: vanish }]", "the key 'on' is missing"),
      ("faults: [{ on: connect, do: refuse 0x80 }]", "the fault does not apply to 'connect'"),
      ("faults: [{ on: any, do: refuse-connection }]", "the fault does not apply to 'any'"),
      ("faults: [{ on: any, nth: 1, every: 2, do: vanish }]", "exclude each other"),
      ("faults: [{ on: any, nth: 0, do: vanish }]", "a whole number from 1"),
      ("faults: [{ on: any, probability: 1.1, do: vanish }]", "a number from 0 to 1"),
      (
        "faults: [{ on: connect, characteristic: device-name, do: vanish }]",
        "'connect' does not take a characteristic"
      ),
      (
        "faults: [{ on: read, characteristic: battery-level, do: vanish }]",
        "the device has no characteristic 'battery-level'"
      ),
    ]
  )
  func device(keys: String, complaint: String) {
    let found = DeviceText.complaints(keys)
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.contains(complaint) == true, "\(found)")
  }

  @Test(
    "errors in a characteristic are reported",
    arguments: [
      ("echo: true, value: { u8: 1 }", "'value' and 'echo' exclude each other"),
      ("echo: true, counter: { format: u8 }", "'echo' and 'counter' exclude each other"),
      ("echo: no", "expected true"),
      ("value: 87", "expected a value such as { u8: 87 }"),
      ("value: { u8: 1, u16: 2 }", "found a mapping of several keys"),
      ("value: { u9: 1 }", "unknown format 'u9'"),
      ("value: { u8: [1] }", "expected a value of u8"),
      ("value: { medfloat: warm }", "expected a number"),
      ("value: { medfloat16: 3000 }", "out of range for medfloat16"),
      ("counter: { format: utf8 }", "expected one of u8, u16"),
      ("counter: { format: u8, from: 256 }", "a whole number from 0 to 255"),
      ("counter: { format: u8, step: 0 }", "a whole number other than 0"),
      ("counter: { format: u8, from: 9, to: 1 }", "steps of 1 lead away from 1"),
      ("counter: { format: u8, every: 0s }", "expected a duration from 1ms to 24h"),
      ("counter: { format: u8, wraps: true, to: 9 }", "'wraps' and 'to' exclude each other"),
      ("counter: { format: u8, first: now }", "without 'every' no value comes by itself"),
      ("counter: { format: u8, every: 1s, first: soon }", "expected now or later"),
      ("wave: { parts: [{ u8: 1 }], period: 1s, every: 1s }", "no number with low and high"),
      ("wave: { parts: [{ u8: { low: 1, high: 2 } }], every: 1s }", "'period' is missing"),
      (
        "wave: { parts: { u8: { low: 1, high: 256 } }, period: 1s, every: 1s }",
        "out of range for u8"
      ),
      ("wave: { parts: { u8: { low: 1 } }, period: 1s, every: 1s }", "'high' is missing"),
      (
        "wave: { parts: { hex: { low: 1, high: 2 } }, period: 1s, every: 1s }",
        "hex has no number to change"
      ),
      (
        "wave: { parts: { u8: { low: -1, high: 1, dividend: 1 } }, period: 1s, every: 1s }",
        "divided by zero"
      ),
      (
        "wave: { parts: { u8: { low: 0, high: 1, decimals: 1 } }, period: 1s, every: 1s }",
        "u8 does not take decimals"
      ),
      ("series: { values: [] }", "a series has at least one value"),
      ("series: { every: 1s }", "'values' is missing"),
      (
        "series: { values: [{ u8: 1 }], every: 1s, every-spread: 2s }",
        "a value cannot come 2s sooner than after 1s"
      ),
      ("responses: [{ when: { u8: 1 }, when-begins: { u8: 1 } }]", "exclude each other"),
      ("responses: [{ refuse: 1, then: { set: written } }]", "brings nothing about"),
      ("responses: [{ then: { after: 1s } }]", "either notify or set"),
      ("responses: [{ then: { set: written, notify: written } }]", "either notify or set"),
      ("responses: [{ then: { set: written, on: fff9 } }]", "no characteristic 'fff9'"),
      ("responses: [{ then: { notify: written, on: device-name } }]", "cannot notify"),
      (
        "descriptors: [{ descriptor: client-characteristic-configuration, value: { u8: 1 } }]",
        "comes with the properties"
      ),
      ("descriptors: [{ descriptor: range, value: { u8: 1 } }]", "unknown descriptor 'range'"),
      (
        "descriptors: [{ descriptor: valid-rage, value: { u8: 1 } }]",
        "did you mean 'valid-range'?"
      ),
      ("longest: 513", "a whole number from 0 to 512"),
      ("refuse-read: 256", "unknown error code '256'"),
    ]
  )
  func characteristic(keys: String, complaint: String) {
    let found = ofCharacteristic(keys)
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.contains(complaint) == true, "\(found)")
  }

  @Test("a behaviour that the properties make ineffective is an error")
  func withoutEffect() {
    #expect(ofCharacteristic("echo: true", "[read]").first?.contains("property write") == true)
    #expect(ofCharacteristic("responses: []", "[read]").first?.contains("property write") == true)
    let notifies = ofCharacteristic("responses: [{ then: { notify: written } }]", "[write]")
    #expect(notifies.first?.contains("the property notify") == true)
  }

  @Test("a generated value cannot be set")
  func setMoving() {
    let found = DeviceText.complaints(
      """
      services:
      - service: battery
        characteristics:
        - { characteristic: battery-level, properties: read, counter: { format: u8 } }
        - characteristic: alert-level
          properties: write
          responses: [{ then: { set: written, on: battery-level } }]
      """
    )
    #expect(found.count == 1)
    #expect(found.first?.contains("'battery-level' generates its value") == true)
  }

  @Test("two devices in one file need different addresses")
  func addresses() {
    let found = complaints(
      "devices: [{ address: C0:FF:EE:00:00:01 }, { address: c0:ff:ee:00:00:01 }]"
    )
    #expect(found.count == 1)
    #expect(found.first?.contains("another device has the address C0:FF:EE:00:00:01") == true)
  }

  @Test("an empty device list is an error, and so are keys beside the list")
  func devices() {
    #expect(complaints("devices: []").first?.contains("the list of devices is empty") == true)
    let found = complaints("devices: [{ address: C0:FF:EE:00:00:01 }]\nseed: 1")
    #expect(found.first?.contains("unknown key 'seed'") == true)
  }

  @Test("counts have limits")
  func limits() {
    let service = "{ service: battery }"
    let services = Array(repeating: service, count: 65).joined(separator: ", ")
    #expect(
      DeviceText.complaints("services: [\(services)]").first?.contains("more than 64 services")
        == true
    )
    let characteristic = "{ characteristic: battery-level, properties: read }"
    let half = Array(repeating: characteristic, count: 257).joined(separator: ", ")
    let two = "{ service: battery, characteristics: [\(half)] }"
    let found = DeviceText.complaints("services: [\(two), \(two)]")
    #expect(found.count == 1)
    #expect(found.first?.contains("more than 512 characteristics") == true)
    let long = String(repeating: "x", count: 513)
    #expect(ofCharacteristic("value: { utf8: \(long) }").first?.contains("longer than 512") == true)
    #expect(DeviceText.complaints("name: \(long)").first?.contains("at most 248 bytes") == true)
  }
}
