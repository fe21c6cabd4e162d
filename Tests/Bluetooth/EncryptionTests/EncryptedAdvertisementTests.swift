// Encrypted advertisements, with the vectors of their specifications and of devices.

import Bluetooth
import Encryption
import Testing

@Suite("Encrypted advertisements")
struct EncryptedAdvertisementTests {
  /// A frame, and its decrypted text.
  struct Frame: Sendable {
    let service: UInt16
    let hex: String
    let address: String
    let key: String
    let text: String
  }

  private static let btHome = "231d39c1d7cc1ab1aee224cd096db932"
  private static let frames: [Frame] = [
    // bthome.io/encryption, with its counter, with another, and with the address in the frame.
    Frame(
      service: 0xfcd2, hex: "41a47266c95f730011223378237214", address: "54:48:E6:8F:80:A5",
      key: btHome, text: "bthome-2 25.06 °C, humidity 50.55 %"
    ),
    Frame(
      service: 0xfcd2, hex: "41e445f3c9962b332211006c7c4519", address: "54:48:E6:8F:80:A5",
      key: btHome, text: "bthome-2 25.06 °C, humidity 50.55 %"
    ),
    Frame(
      service: 0xfcd2, hex: "43a5808fe64854f196c06ffb4900112233f08ecbde",
      address: "C0:FF:EE:00:00:01", key: btHome,
      text: "bthome-2 address 54:48:E6:8F:80:A5, 25.06 °C, humidity 50.55 %"
    ),
    // Made for this test: sent when triggered, with a packet number.
    Frame(
      service: 0xfcd2, hex: "45551dc17f0011223331893c32", address: "54:48:E6:8F:80:A5", key: btHome,
      text: "bthome-2 packet 9, battery 97 %"
    ),
    // MiBeacon 5 of a CGDK2, a CGG1, and an LYWSD02MMC, which leaves its address out.
    Frame(
      service: 0xfe95, hex: "58586f0607892012342d585f176dd54f0200002fa453fa",
      address: "58:2D:34:12:20:89", key: "a3bfe9853dd85a620debe3620caaa351",
      text: "mibeacon 22.6 °C, product 066f, sequence 7, address 58:2D:34:12:20:89"
    ),
    Frame(
      service: 0xfe95, hex: "5858480b685f12342d585a0b1841e2aa000e00a4964fb5",
      address: "5A:58:2D:34:12:5F", key: "814aac74c4f17b6c1581e1ab87816b99",
      text: "mibeacon humidity 59.6 %, product 0b48, sequence 104, address 5A:58:2D:34:12:5F"
    ),
    Frame(
      service: 0xfe95, hex: "4858422529202d8c7a76b756a82a0078b8224e", address: "A4:C1:38:0E:FD:78",
      key: "19b1c678ab0a8bc3dc77765f059188d4",
      text: "mibeacon 26.100 °C, product 2542, sequence 41"
    ),
    // Made for this test: version 4, and a byte of capabilities.
    Frame(
      service: 0xfe95, hex: "48405b0507dc03f7e25d4b0b010000bb5c088c", address: "A4:C1:38:56:53:84",
      key: "814aac74c4f17b6c1581e1ab87816b99",
      text: "mibeacon 23.1 °C, humidity 40.0 %, product 055b, sequence 7"
    ),
    Frame(
      service: 0xfe95, hex: "78505b050884535638c1a408acbba4f60200008e0d3cc1",
      address: "A4:C1:38:56:53:84", key: "814aac74c4f17b6c1581e1ab87816b99",
      text: "mibeacon battery 97 %, product 055b, sequence 8, address A4:C1:38:56:53:84"
    ),
  ]

  /// The decoded reading of an advertised frame.
  private func reading(
    _ frame: Frame, octets: [UInt8]? = nil, name: String? = nil, with keys: [BindKey]
  ) throws -> AdvertisedReading? {
    let service = BluetoothUUID(short: frame.service)
    let octets = try octets ?? #require(ValueFormat("hex")).encode(frame.hex)
    let device = Advertisement(
      address: try #require(BluetoothAddress(frame.address)), addressType: .public, name: name,
      alias: "", rssi: nil, serviceData: [(service, octets)], adapter: "hci0"
    )
    return device.opened(with: BindKeys(keys, open: AESCCM.open)).reading(of: service)
  }

  private func key(_ hex: String, _ frame: Frame) throws -> BindKey {
    try BindKey(hex, of: .address(#require(BluetoothAddress(frame.address))))
  }

  /// The text of the decoded value, or the reason if nothing was decoded.
  private func text(_ reading: AdvertisedReading?) -> String? {
    switch reading {
    case .decoded(let format)?: "\(format)"
    case .encrypted(_, let reason)?: "\(reason)"
    case nil: nil
    }
  }

  @Test(
    "a frame decrypted with its key has the values of an unencrypted frame",
    arguments: frames.indices)
  func decoded(index: Int) throws {
    let frame = Self.frames[index]
    #expect(text(try reading(frame, with: [key(frame.key, frame)])) == frame.text)
  }

  @Test("a key is found by the device name or by the address in the frame")
  func owners() throws {
    let frame = Self.frames[2]
    let named = try BindKey(frame.key, of: .name("Attic"))
    #expect(text(try reading(frame, name: "Attic", with: [named])) == frame.text)
    #expect(try reading(frame, name: "attic", with: [named]) == .encrypted(.btHome, .keyMissing))
    let inside = try BindKey(
      frame.key, of: .address(#require(BluetoothAddress("54-48-e6-8f-80-a5")))
    )
    #expect(text(try reading(frame, with: [inside])) == frame.text)
  }

  @Test("without a key, with a wrong key or with a changed byte, no decrypted value is shown")
  func closed() throws {
    for frame in Self.frames {
      let kind = frame.service == 0xfcd2 ? AdvertisedFormat.Kind.btHome : .miBeacon
      #expect(try reading(frame, with: []) == .encrypted(kind, .keyMissing))
      let last = frame.key.last == "0" ? "1" : "0"
      let wrong = try key(frame.key.dropLast() + last, frame)
      #expect(try reading(frame, with: [wrong]) == .encrypted(kind, .keyDoesNotFit))
      let own = try key(frame.key, frame)
      let octets = try #require(ValueFormat("hex")).encode(frame.hex)
      for index in octets.indices.dropFirst(frame.service == 0xfcd2 ? 1 : 4) {
        var changed = octets
        changed[index] ^= 0x10
        // The capabilities are not authenticated.
        if case .decoded(let format)? = try reading(frame, octets: changed, with: [own]) {
          #expect("\(format)" == frame.text, "byte \(index)")
        }
      }
    }
  }

  @Test("a truncated frame has no values")
  func short() throws {
    for frame in Self.frames {
      let octets = try #require(ValueFormat("hex")).encode(frame.hex)
      for count in octets.indices {
        let cut = Array(octets.prefix(count))
        if case .decoded(let format)? = try reading(
          frame, octets: cut, with: [key(frame.key, frame)]
        ) {
          Issue.record("\(count) bytes: \(format)")
        }
      }
    }
  }

  @Test("decrypted data can be malformed, and old versions of MiBeacon are not supported")
  func reasons() throws {
    let malformed = try #require(ValueFormat("hex")).encode("41a472001122332b67b615")
    let first = Self.frames[0]
    #expect(
      try reading(first, octets: malformed, with: [key(first.key, first)])
        == .encrypted(.btHome, .malformed)
    )
    let legacy = try #require(ValueFormat("hex")).encode(
      "5830b603d28b98c54124f8c3491476757e00000099"
    )
    let other = Self.frames[4]
    #expect(
      try reading(other, octets: legacy, with: [key(other.key, other)])
        == .encrypted(.miBeacon, .unsupported)
    )
  }
}
