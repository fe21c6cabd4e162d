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

  @Test("an AltBeacon can come from any company")
  func altBeacon() throws {
    let text =
      "altbeacon id 2f234454cf6d4a0fadf2f4911ba9ffa600010002, -59 dBm, reserved 9"
    #expect(try manufacturer(0x0118, Self.altBeacon) == text)
    #expect(try manufacturer(0xffff, Self.altBeacon) == text)
  }

  // MARK: Eddystone

  @Test(
    "Eddystone frames are decoded",
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
    "malformed, encrypted and unknown frames stay bytes",
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
    "the test vectors of RuuviTag data format 5 are decoded",
    arguments: [
      (
        "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F",
        "ruuvi-5 24.300 °C, humidity 53.4900 %, 100044 Pa, acceleration-x 0.004 g, "
          + "acceleration-y -0.004 g, acceleration-z 1.036 g, 2977 mV, 4 dBm, movements 66, sequence 205, address CB:B8:33:4C:88:4F"
      ),
      (
        "057FFFFFFEFFFE7FFF7FFF7FFFFFDEFEFFFECBB8334C884F",
        "ruuvi-5 163.835 °C, humidity fffe, 115534 Pa, acceleration-x 32.767 g, "
          + "acceleration-y 32.767 g, acceleration-z 32.767 g, 3646 mV, 20 dBm, movements 254, sequence 65534, address CB:B8:33:4C:88:4F "
          + "(humidity, byte 3: 163.8350 is not in 0 to 100)"
      ),
      (
        "058001000000008001800180010000000000CBB8334C884F",
        "ruuvi-5 -163.835 °C, humidity 0.0000 %, 50000 Pa, acceleration-x -32.767 g, "
          + "acceleration-y -32.767 g, acceleration-z -32.767 g, 1600 mV, -40 dBm, movements 0, sequence 0, address CB:B8:33:4C:88:4F"
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
    #expect(try manufacturer(0x0499, "04" + hex.dropFirst(2)) == nil)
    #expect(try manufacturer(0x0498, hex) == nil)
  }

  @Test(
    "the test vectors of Ruuvi data formats 3, 6 and E1 are decoded",
    arguments: [
      (
        "03291A1ECE1EFC18F94202CA0B53",
        "ruuvi-3 26.30 °C, humidity 20.5 %, 102766 Pa, acceleration-x -1.000 g, "
          + "acceleration-y -1.726 g, acceleration-z 0.714 g, 2899 mV"
      ),
      (
        "0300FF6300008001800180010000",
        "ruuvi-3 -127.99 °C, humidity 0.0 %, 50000 Pa, acceleration-x -32.767 g, "
          + "acceleration-y -32.767 g, acceleration-z -32.767 g, 0 mV"
      ),
      (
        "06170C5668C79E007000C90501D900CD004C884F",
        "ruuvi-6 29.500 °C, humidity 55.3000 %, 101102 Pa, 11.2 µg/m³, 201 ppm, voc-index 10, "
          + "nox-index 2, 13026.67 lx, sequence 205, calibrating no, address-end 4c884f"
      ),
      (
        "068000FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
        "ruuvi-6 temperature unknown, humidity unknown, pressure unknown, pm2.5 unknown, "
          + "co2 unknown, voc-index unknown, nox-index unknown, illuminance unknown, "
          + "sequence 255, calibrating yes, address-end ffffff"
      ),
      (
        "E1170C5668C79E0065007004BD11CA00C90A0213E0AC000000DECDEE110000000000CBB8334C884F",
        "ruuvi-e1 29.500 °C, humidity 55.3000 %, 101102 Pa, pm1 10.1 µg/m³, pm2.5 11.2 µg/m³, "
          + "pm4 121.3 µg/m³, pm10 455.4 µg/m³, 201 ppm, voc-index 20, nox-index 4, 13027.00 lx, "
          + "sequence 14601710, calibrating yes, address CB:B8:33:4C:88:4F"
      ),
      (
        "E18000FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF000000FFFFFFFE0000000000FFFFFFFFFFFF",
        "ruuvi-e1 temperature unknown, humidity unknown, pressure unknown, pm1 unknown, "
          + "pm2.5 unknown, pm4 unknown, pm10 unknown, co2 unknown, voc-index unknown, "
          + "nox-index unknown, illuminance unknown, sequence unknown, calibrating no, "
          + "address unknown"
      ),
    ] as [(String, String)]
  )
  func otherRuuvi(hex: String, text: String) throws {
    #expect(try manufacturer(0x0499, hex) == text)
    #expect(try manufacturer(0x0499, String(hex.dropLast(2))) == nil)
    #expect(try manufacturer(0x0499, hex + "00") == nil)
    #expect(try manufacturer(0x0498, hex) == nil)
  }

  // MARK: Thermometers

  @Test(
    "both formats of ATC_MiThermometer are decoded",
    arguments: [
      // 231 (0x00e7) × 0.1 °C, 40 %, 79 %, 2885 (0x0b45) mV, most significant byte first.
      (
        "A4C138565384 00E7 28 4F 0B45 0C",
        "atc 23.1 °C, humidity 40 %, battery 79 %, 2885 mV, sequence 12, address A4:C1:38:56:53:84"
      ),
      (
        "A4C138565384 FFCE 28 4F 0B45 0C",
        "atc -5.0 °C, humidity 40 %, battery 79 %, 2885 mV, sequence 12, address A4:C1:38:56:53:84"
      ),
      ("A4C138565384 00E7 28 4F 0B45", nil),
      // Little-endian: 2310 (0x0906) and 4012 (0x0fac) × 0.01.
      (
        "84535638C1A4 0609 AC0F 450B 4F 0C 05",
        "pvvx 23.10 °C, humidity 40.12 %, battery 79 %, 2885 mV, sequence 12, flags 05, "
          + "address A4:C1:38:56:53:84"
      ),
    ] as [(String, String?)]
  )
  func thermometers(hex: String, text: String?) throws {
    #expect(try service(0x181a, hex) == text)
    #expect(try service(0x181b, hex) == nil)
  }

  // MARK: BTHome

  @Test(
    "the example objects of BTHome are decoded",
    arguments: [
      ("02C409 03BF13", "25.00 °C, humidity 50.55 %"), ("518756", "22.151 m/s²"),
      ("0161", "battery 97 %"),
      ("12E204", "1250 ppm"), ("56E803", "1000 µS/cm"), ("0960", "count 96"),
      ("3D0960", "count 24585"), ("3E2A2C0960", "count 1611213866"), ("59EA", "count -22"),
      ("5AEAEA", "count -5398"), ("5BEA0234EA", "count -365690134"), ("434E34", "13.390 A"),
      ("5D02EA", "-5.630 A"), ("08CA06", "17.38 °C"), ("400C00", "12 mm"), ("414E00", "7.8 m"),
      ("424E3400", "13.390 s"), ("4d12138a14", "344593.170 kWh"), ("0A138A14", "1346.067 kWh"),
      ("4B138A14", "1346.067 m³"), ("4C41018A01", "25821.505 m³"), ("528756", "22.151 °/s"),
      ("2E23", "humidity 35 %"), ("1B01", "garage-door open"), ("1F01", "lock unlocked"),
      ("2100", "motion clear"), ("2107", "motion reserved (7)"), ("3A04", "button long press"),
      ("3A003A01", "button none, button-2 press"), ("3C0103", "dimmer rotate left 3"),
      ("3C0000", "dimmer none"), ("3B0000", "command off"), ("3B010305", "command step up 5"),
      ("3BE10405 0161", "command step down 5, battery 97 %"),
      ("3B029901ff", "command reserved (153) 01ff"), ("6402", "light-level bright"),
      ("6503", "settings-revision 3"), ("0D120C 0E021C", "pm2.5 3090 µg/m³, pm10 7170 µg/m³"),
      ("0052 0164", "packet 82, battery 100 %"), ("F00100", "device-type 1"),
      ("F100010204", "firmware 4.2.1.0"),
      ("F2000106", "firmware 6.1.0"), ("0009", "packet 9"),
      ("530C48656C6C6F20576F726C6421", "text Hello World!"), ("54020aff", "raw 0aff"),
      ("5301ff", "text ff"), ("5300", "text "), ("", ""),
      ("0161 990102", "battery 97 %, rest 990102"), ("0164 02", "battery 100 %, rest 02"),
      ("0161 3E2A2C09", "battery 97 %, rest 3e2a2c09"),
      (
        "02C409 02BF13 4514FF",
        "temperature 25.00 °C, temperature-2 50.55 °C, temperature-3 -23.6 °C"
      ),
    ]
  )
  func btHome(hex: String, text: String) throws {
    let text = text.isEmpty ? "bthome-2" : "bthome-2 \(text)"
    #expect(try service(0xfcd2, "40" + hex) == text)
    #expect(try service(0xfcd2, "44" + hex) == text, "sent when triggered")
    let address = text.replacing("bthome-2", with: "bthome-2 address A5:80:8F:E6:8D:02")
    let withAddress = hex.isEmpty ? address : address.replacing(":02 ", with: ":02, ")
    #expect(try service(0xfcd2, "42028DE68F80A5" + hex) == withAddress, "with its address")
    #expect(try service(0xfcd2, "41" + hex) == nil, "encrypted")
    #expect(try service(0xfcd2, "20" + hex) == nil, "version 1")
  }

  @Test(
    "the example objects of BTHome version 1 are decoded",
    arguments: [
      ("2302C409 0303BF13", "25.00 °C, humidity 50.55 %"), ("2302CA09", "25.06 °C"),
      ("020161", "battery 97 %"), ("0404138A01", "1008.83 hPa"), ("020960", "count 96"),
      ("05095D396164", "count 1684093277"), ("030C020C", "3.074 V"), ("020F01", "generic on"),
      ("0D5348656C6C6F20576F726C6421", "text Hello World!"), ("035401FF", "raw 01ff"),
      ("45020000C841 4302404A", "temperature 25.000 °C, temperature-2 12.500 °C"),
      ("023A01", "button press"),
      ("86A6808FE64854", "address 54:48:E6:8F:80:A6"), ("03FE0102", "object-fe 0102"),
      // 0x4a40 = 12.5 in 16 bits, and the same in 64 bits.
      ("4302404A", "12.500 °C"), ("49020000000000002940", "12.500000 °C"),
      // Sent as a whole number, and as a number of IEEE 754.
      ("05505D396164", "1684093277 s since 1970"), ("45505D396164", "1684093277 s since 1970"),
      ("2302C409 02", "25.00 °C, rest 02"), ("2302C409 E302C409", "25.00 °C, rest e302c409"),
      ("2302C409 00", "25.00 °C, rest 00"), ("0203", nil), ("00", nil), ("E302C409", nil),
      ("8502C40901", nil), ("", nil),
    ] as [(String, String?)]
  )
  func btHome1(hex: String, text: String?) throws {
    #expect(try service(0x181c, hex) == text.map { "bthome-1 \($0)" })
    #expect(try service(0x181e, hex) == nil, "encrypted")
  }

  @Test("data whose first object is truncated stays bytes")
  func cutOff() throws {
    for hex in [
      "4002", "4002C4", "40530548", "4053", "403C01", "", "40F10001", "403B0203",
      "42A5808F",
    ] {
      #expect(try service(0xfcd2, hex) == nil, "\(hex)")
    }
  }

  @Test("a number is rounded to the decimals of its format")
  func decimals() throws {
    let hex = "06170C5668C79E007000C90501D900CD004C884F"
    let decoded = AdvertisedFormat(company: 0x0499, try octets(hex))
    #expect(decoded?.value["humidity"]?.number == 55.3)
    #expect(decoded?.value["illuminance"]?.number == 13026.67)
    let float = AdvertisedFormat(
      service: BluetoothUUID(short: 0xfe95), try octets("40505B0501 014C04CDCCD041")
    )
    #expect(float?.value["temperature"]?.number == 26.1)
  }

  @Test("several objects of the same type get distinct field names")
  func twice() throws {
    let service = BluetoothUUID(short: 0xfcd2)
    let decoded = AdvertisedFormat(service: service, try octets("4002C40902BF13"))
    #expect(decoded?.value["temperature"]?.number == 25)
    #expect(decoded?.value["temperature-2"]?.number == 50.55)
  }

  // MARK: MiBeacon

  @Test(
    "MiBeacon objects are decoded",
    arguments: [
      // LYWSDCGQ, LYWSD03MMC and HHCCJCY01, as they advertise.
      (
        "5020AA01DA219335342D58 0D1004FE004802",
        "25.4 °C, humidity 58.4 %, product 01aa, sequence 218, address 58:2D:34:35:93:21"
      ),
      (
        "50305B05034C94B438C1A4 0D10041001EA01",
        "27.2 °C, humidity 49.0 %, product 055b, sequence 3, address A4:C1:38:B4:94:4C"
      ),
      (
        "7120980012F34F6B8D7CC40D 041002C400",
        "19.6 °C, product 0098, sequence 18, address C4:7C:8D:6B:4F:F3"
      ),
      // MMC-W505 sends a byte behind its object; XMZNMS08LM and RTCGQ02LM, decrypted.
      (
        "702291030FDBAB531824D009 0A0002750D 07",
        "34.45 °C, rest 07, product 0391, sequence 15, address D0:24:18:53:AB:DB"
      ),
      (
        "5040390E3398BE447389EE 07000501E73E1C63",
        "door closed, 1662795495 s since 1970, product 0e39, sequence 51, "
          + "address EE:89:73:44:BE:98"
      ),
      (
        "50408D0A170FC4E044EF54 1B10041E000000",
        "30 s, product 0a8d, sequence 23, address 54:EF:44:E0:C4:0F"
      ),
      ("40505B0501 0A100161 0A1002", "battery 97 %, rest 0a1002, product 055b, sequence 1"),
      ("40505B0501 1B100101", "motion clear, product 055b, sequence 1"),
      (
        "40505B0501 0B000920 02000180 E73E1C63",
        "lock unlocked outside, method biometrics, key 2147549186, 1662795495 s since 1970, "
          + "product 055b, sequence 1"
      ),
      ("40505B0501 0B000120", "object-000b 20, product 055b, sequence 1"),
      (
        "40505B0501 0600050200018001",
        "key 2147549186, fingerprint no match, product 055b, sequence 1"
      ),
      ("40505B0501 08000100", "alarm armed, product 055b, sequence 1"),
      ("40505B0501 1000020118", "brushing ended, counter 24, product 055b, sequence 1"),
      (
        "40505B0501 03300601E73E1C6360",
        "brushing ended, 1662795495 s since 1970, score 96, product 055b, sequence 1"
      ),
      ("40505B0501 04480102 05480400004842", "opening closed, 50.000 lx, product 055b, sequence 1"),
      ("40505B0501 1848022C01 014A0101", "300 s, battery-state low, product 055b, sequence 1"),
      ("40505B0501 0A100161 07000101", "battery 97 %, door closed, product 055b, sequence 1"),
      ("40505B0501 0110030100 02", "button 1, press long press, product 055b, sequence 1"),
      ("40505B0501 014C04CDCCD041", "26.100 °C, product 055b, sequence 1"),
      ("40505B0501 06100165", "object-1006 65, product 055b, sequence 1"),
      ("40505B0501 0A10026161", "object-100a 6161, product 055b, sequence 1"),
      ("40505B0501 FF7F020102", "object-7fff 0102, product 055b, sequence 1"),
      // Without objects; with capabilities of one byte, and of three.
      ("08505B0501", "product 055b, sequence 1"), ("20505B050108", "product 055b, sequence 1"),
      ("60505B0501280100 0A100161", "battery 97 %, product 055b, sequence 1"),
      ("50505B05014C94", nil), ("40505B0501 0A1002", nil), ("40505B0501 0A", nil), ("4050", nil),
    ] as [(String, String?)]
  )
  func miBeacon(hex: String, text: String?) throws {
    #expect(try service(0xfe95, hex) == text.map { "mibeacon \($0)" })
    #expect(try service(0xfe96, hex) == nil)
  }

  // MARK: Ranges

  @Test(
    "an impossible quantity stays bytes, with the reason; the fields beside it are decoded",
    arguments: [
      (
        0xfcd2, "40 01C8 02C409",
        "bthome-2 battery c8, 25.00 °C (battery, byte 2: 200 is not in 0 to 100)"
      ),
      (
        0xfcd2, "40 2E23 03A861 01C8",
        "bthome-2 humidity 35 %, humidity-2 a861, battery c8 "
          + "(humidity-2, byte 4: 250.00 is not in 0 to 100; "
          + "battery, byte 7: 200 is not in 0 to 100)"
      ),
      (
        0xfcd2, "42 028DE68F80A5 2FC8 0161",
        "bthome-2 address A5:80:8F:E6:8D:02, moisture c8, battery 97 % "
          + "(moisture, byte 8: 200 is not in 0 to 100)"
      ),
      (
        0xfcd2, "40 4500F0",
        "bthome-2 temperature 00f0 (temperature, byte 2: -409.6 is below -273.15)"
      ),
      (
        0x181c, "0201C8 2302C409",
        "bthome-1 battery c8, 25.00 °C (battery, byte 2: 200 is not in 0 to 100)"
      ),
      (
        0x181c, "020161 45020000C8C3",
        "bthome-1 battery 97 %, temperature 0000c8c3 "
          + "(temperature, byte 5: -400.000 is below -273.15)"
      ),
      (
        0x181a, "A4C138565384 00E7 65 C8 0B45 0C",
        "atc 23.1 °C, humidity 65, battery c8, 2885 mV, sequence 12, address A4:C1:38:56:53:84 "
          + "(humidity, byte 8: 101 is not in 0 to 100; battery, byte 9: 200 is not in 0 to 100)"
      ),
      (
        0x181a, "84535638C1A4 0080 AC4F 450B 4F 0C 05",
        "pvvx temperature 0080, humidity ac4f, battery 79 %, 2885 mV, sequence 12, flags 05, "
          + "address A4:C1:38:56:53:84 (temperature, byte 6: -327.68 is below -273.15; "
          + "humidity, byte 8: 203.96 is not in 0 to 100)"
      ),
      (
        0xfe95, "40505B0501 0D1004FE00F203",
        "mibeacon 25.4 °C, humidity f203, product 055b, sequence 1 "
          + "(humidity, byte 10: 101.0 is not in 0 to 100)"
      ),
      (
        nil, "03C91A1ECE1EFC18F94202CA0B53",
        "ruuvi-3 26.30 °C, humidity c9, 102766 Pa, acceleration-x -1.000 g, "
          + "acceleration-y -1.726 g, acceleration-z 0.714 g, 2899 mV "
          + "(humidity, byte 1: 100.5 is not in 0 to 100)"
      ),
    ] as [(UInt16?, String, String)]
  )
  func outOfRange(number: UInt16?, hex: String, text: String) throws {
    #expect(try number.map { try service($0, hex) } ?? manufacturer(0x0499, hex) == text)
  }

  private static let heads: [[UInt8]] = [
    [], [0x40], [0x42], [0x00], [3], [6], [0x10, 0, 3], [0x20, 0], [5], [0xbe, 0xac], [2, 21],
  ]

  @Test("decoding terminates for any advertised data")
  func anything() {
    var state: UInt64 = 1
    for _ in 0..<5000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let count = Int(state >> 33) % 32
      let octets = (0..<count).map { index -> UInt8 in
        UInt8(truncatingIfNeeded: (state ^ UInt64(index) &* 0x9e37_79b9_7f4a_7c15) >> 24)
      }
      for head in Self.heads {
        _ = AdvertisedFormat(company: 0x004c, head + octets)
        _ = AdvertisedFormat(company: 0x0499, head + octets)
        _ = AdvertisedFormat(service: BluetoothUUID(short: 0xfcd2), head + octets)
        for short in [0xfeaa, 0x181a, 0x181c, 0xfe95] as [UInt16] {
          _ = AdvertisedFormat(service: BluetoothUUID(short: short), head + octets)
        }
      }
    }
  }
}
