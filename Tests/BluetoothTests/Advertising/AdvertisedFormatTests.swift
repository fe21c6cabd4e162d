// Well-known formats of advertised data, with the test vectors of their specifications.

import Bluetooth
import Testing

@Suite("Advertised formats")
struct AdvertisedFormatTests {
  private func octets(_ hex: String) throws -> [UInt8] {
    try #require(ValueFormat("hex")).encode(hex)
  }

  private func manufacturer(_ company: UInt16, _ hex: String) throws -> String? {
    AdvertisedFormat(company: company, try octets(hex))?.description
  }

  private func service(_ number: UInt16, _ hex: String) throws -> String? {
    AdvertisedFormat(service: BluetoothUUID(short: number), try octets(hex))?.description
  }

  // MARK: Beacons

  /// The beacon of Nordic Semiconductor's nRF5 SDK, example `ble_app_beacon`.
  private static let iBeacon = "02 15 0112233445566778899aabbccddeeff0 0102 0304 c3"

  /// Android Beacon Library, `AltBeaconParserTest`.
  private static let altBeacon =
    "beac 2f234454cf6d4a0fadf2f4911ba9ffa6 0001 0002 c5 09"

  @Test("an iBeacon has its UUID, major, minor and power")
  func apple() throws {
    #expect(
      try manufacturer(0x004c, Self.iBeacon)
        == "ibeacon uuid 01122334-4556-6778-899a-abbccddeeff0, major 258, minor 772, -61 dBm"
    )
    #expect(try manufacturer(0x0059, Self.iBeacon) == nil)
    #expect(try manufacturer(0x004c, "10 05 01 18 aa bb cc") == nil)
  }

  @Test("an AltBeacon is of any company")
  func altBeacon() throws {
    let text =
      "altbeacon id 2f234454cf6d4a0fadf2f4911ba9ffa600010002, -59 dBm, reserved 9"
    #expect(try manufacturer(0x0118, Self.altBeacon) == text)
    #expect(try manufacturer(0xffff, Self.altBeacon) == text)
  }

  // MARK: Eddystone

  @Test(
    "frames of Eddystone",
    arguments: [
      (
        "00 e7 2f234454f4911ba9ffa6 000000000001 0000",
        "eddystone-uid -25 dBm, namespace 2f234454f4911ba9ffa6, instance 000000000001"
      ),
      (
        "00 e7 2f234454f4911ba9ffa6 000000000001",
        "eddystone-uid -25 dBm, namespace 2f234454f4911ba9ffa6, instance 000000000001"
      ),
      ("10 ee 03 676f6f2e676c2f417131387a46", "eddystone-url -18 dBm, url https://goo.gl/Aq18zF"),
      ("10 12 00 6578616d706c65 00 61", "eddystone-url 18 dBm, url http://www.example.com/a"),
      ("10 12 02", "eddystone-url 18 dBm, url http://"),
      (
        "20 00 0bb8 1980 00000100 0000000f",
        "eddystone-tlm 3000 mV, 25.500 °C, advertisements 256, 1.5 s"
      ),
      (
        "20 00 0000 8000 00000000 00000000",
        "eddystone-tlm battery unknown, temperature unknown, advertisements 0, 0.0 s"
      ),
      (
        "20 00 0bb8 ff80 ffffffff ffffffff",
        "eddystone-tlm 3000 mV, -0.500 °C, advertisements 4294967295, 429496729.5 s"
      ),
      ("30 e7 0102030405060708", "eddystone-eid -25 dBm, id 0102030405060708"),
    ]
  )
  func eddystone(hex: String, text: String) throws {
    #expect(try service(0xfeaa, hex) == text)
    #expect(try service(0xfeab, hex) == nil)
  }

  @Test(
    "frames that are malformed, encrypted or unknown stay bytes",
    arguments: [
      "", "00", "10", "10 00", "10 00 04 61", "10 00 03 20", "10 00 03 7f", "10 00 03 0e",
      "20 01 0bb8 1980 00000100 0000000f", "20 00 0bb8", "30 e7 01", "40 00 01",
    ]
  )
  func noFrame(hex: String) throws {
    #expect(try service(0xfeaa, hex) == nil)
  }

  // MARK: Ruuvi

  @Test(
    "the test vectors of RuuviTag's data format 5",
    arguments: [
      (
        "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F",
        "ruuvi-5 24.300 °C, 53.4900 %, 100044 Pa, 0.004 g, -0.004 g, 1.036 g, 2977 mV, 4 dBm, "
          + "movements 66, sequence 205, address CB:B8:33:4C:88:4F"
      ),
      (
        "057FFFFFFEFFFE7FFF7FFF7FFFFFDEFEFFFECBB8334C884F",
        "ruuvi-5 163.835 °C, 163.8350 %, 115534 Pa, 32.767 g, 32.767 g, 32.767 g, 3646 mV, "
          + "20 dBm, movements 254, sequence 65534, address CB:B8:33:4C:88:4F"
      ),
      (
        "058001000000008001800180010000000000CBB8334C884F",
        "ruuvi-5 -163.835 °C, 0.0000 %, 50000 Pa, -32.767 g, -32.767 g, -32.767 g, 1600 mV, "
          + "-40 dBm, movements 0, sequence 0, address CB:B8:33:4C:88:4F"
      ),
      (
        "058000FFFFFFFF800080008000FFFFFFFFFFFFFFFFFFFFFF",
        "ruuvi-5 temperature unknown, humidity unknown, pressure unknown, acceleration-x unknown, "
          + "acceleration-y unknown, acceleration-z unknown, battery unknown, power unknown, "
          + "movements unknown, sequence unknown, address unknown"
      ),
    ]
  )
  func ruuvi(hex: String, text: String) throws {
    #expect(try manufacturer(0x0499, hex) == text)
    #expect(try manufacturer(0x0499, String(hex.dropLast(2))) == nil)
    #expect(try manufacturer(0x0499, hex + "00") == nil)
    #expect(try manufacturer(0x0499, "06" + hex.dropFirst(2)) == nil)
    #expect(try manufacturer(0x0498, hex) == nil)
  }

  // MARK: BTHome

  @Test(
    "the examples of the objects of BTHome",
    arguments: [
      ("02C409 03BF13", "25.00 °C, 50.55 %"), ("518756", "22.151 m/s²"), ("0161", "97 %"),
      ("12E204", "1250 ppm"), ("56E803", "1000 µS/cm"), ("0960", "count 96"),
      ("3D0960", "count 24585"), ("3E2A2C0960", "count 1611213866"), ("59EA", "count -22"),
      ("5AEAEA", "count -5398"), ("5BEA0234EA", "count -365690134"), ("434E34", "13.390 A"),
      ("5D02EA", "-5.630 A"), ("08CA06", "17.38 °C"), ("400C00", "12 mm"), ("414E00", "7.8 m"),
      ("424E3400", "13.390 s"), ("4d12138a14", "344593.170 kWh"), ("0A138A14", "1346.067 kWh"),
      ("4B138A14", "1346.067 m³"), ("4C41018A01", "25821.505 m³"), ("528756", "22.151 °/s"),
      ("2E23", "35 %"), ("1B01", "garage-door open"), ("1F01", "lock unlocked"),
      ("2100", "motion clear"), ("2107", "motion reserved (7)"), ("3A04", "button long press"),
      ("3A003A01", "button none, button-2 press"), ("3C0103", "dimmer rotate left 3"),
      ("3C0000", "dimmer none"), ("F00100", "device-type 1"), ("F100010204", "firmware 4.2.1.0"),
      ("F2000106", "firmware 6.1.0"), ("0009", "packet 9"),
      ("530C48656C6C6F20576F726C6421", "text Hello World!"), ("54020aff", "raw 0aff"),
      ("5301ff", "text ff"), ("5300", "text "), ("", ""), ("0161 990102", "97 %, rest 990102"),
      ("02C409 02BF13 4514FF", "25.00 °C, 50.55 °C, -23.6 °C"),
    ]
  )
  func btHome(hex: String, text: String) throws {
    let text = text.isEmpty ? "bthome-2" : "bthome-2 \(text)"
    #expect(try service(0xfcd2, "40" + hex) == text)
    #expect(try service(0xfcd2, "44" + hex) == text, "sent when triggered")
    #expect(try service(0xfcd2, "41" + hex) == nil, "encrypted")
    #expect(try service(0xfcd2, "20" + hex) == nil, "version 1")
  }

  @Test("an object that is cut off makes the data bytes")
  func cutOff() throws {
    for hex in ["4002", "4002C4", "400161 3E2A2C09", "40530548", "4053", "403C01", "", "40F10001"] {
      #expect(try service(0xfcd2, hex) == nil, "\(hex)")
    }
  }

  @Test("fields of the same object have names of their own")
  func twice() throws {
    let service = BluetoothUUID(short: 0xfcd2)
    let decoded = AdvertisedFormat(service: service, try octets("4002C40902BF13"))
    #expect(decoded?.value["temperature"]?.number == 25)
    #expect(decoded?.value["temperature-2"]?.number == 50.55)
  }

  private static let heads: [[UInt8]] = [
    [], [0x40], [0x00], [0x10, 0, 3], [0x20, 0], [5], [0xbe, 0xac], [2, 21],
  ]

  @Test("whatever is advertised, decoding ends")
  func anything() {
    var state: UInt64 = 1
    for _ in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let count = Int(state >> 33) % 32
      let octets = (0..<count).map { index -> UInt8 in
        UInt8(truncatingIfNeeded: (state ^ UInt64(index) &* 0x9e37_79b9_7f4a_7c15) >> 24)
      }
      for head in Self.heads {
        _ = AdvertisedFormat(company: 0x004c, head + octets)
        _ = AdvertisedFormat(company: 0x0499, head + octets)
        _ = AdvertisedFormat(service: BluetoothUUID(short: 0xfcd2), head + octets)
        _ = AdvertisedFormat(service: BluetoothUUID(short: 0xfeaa), head + octets)
      }
    }
  }
}
