// Cyclic redundancy checks, by the parameters of CRC catalogues.

/// A CRC of 8 to 64 bits.
///
/// - Source: Koopman's and the "Catalogue of parametrised CRC algorithms" (Greg Cook), whose names and
///   parameters these are.
package struct CyclicChecksum: Hashable, Sendable {
  /// The number of bits, from 8 to 64.
  package let bits: Int
  /// The polynomial without its highest bit, most significant bit first.
  package let polynomial: UInt64
  /// The register before the first byte.
  package let initial: UInt64
  /// Whether the bits of each byte are taken from the lowest on, and the result is reversed.
  package let isReflected: (input: Bool, output: Bool)
  /// The bits that are inverted at the end.
  package let inverted: UInt64

  package init(
    bits: Int, _ polynomial: UInt64, initial: UInt64 = 0, reflected: Bool = false,
    reflectedOutput: Bool? = nil, inverted: UInt64 = 0
  ) {
    self.bits = bits
    self.polynomial = polynomial
    self.initial = initial
    isReflected = (reflected, reflectedOutput ?? reflected)
    self.inverted = inverted
  }

  /// The checksum of bytes.
  package func value(of octets: some Sequence<UInt8>) -> UInt64 {
    finished(octets.reduce(initial, continued))
  }

  /// The register after one more byte.
  package func continued(_ register: UInt64, _ octet: UInt8) -> UInt64 {
    let octet = isReflected.input ? Self.reversed(UInt64(octet), bits: 8) : UInt64(octet)
    let highest = UInt64(1) << UInt64(bits - 1)
    return (0..<8).reduce(register ^ octet << UInt64(bits - 8)) { register, _ in
      register & highest == 0 ? register << 1 : register << 1 ^ polynomial
    } & (highest | (highest - 1))
  }

  /// The checksum of the bytes that led to a register.
  package func finished(_ register: UInt64) -> UInt64 {
    (isReflected.output ? Self.reversed(register, bits: bits) : register) ^ inverted
  }

  /// The register that has a checksum: the inverse of ``finished(_:)``, to go on with further bytes.
  package func register(of checksum: UInt64) -> UInt64 {
    isReflected.output
      ? Self.reversed(checksum ^ inverted, bits: bits) : checksum ^ inverted
  }

  private static func reversed(_ number: UInt64, bits: Int) -> UInt64 {
    (0..<bits).reduce(0) { $0 << 1 | number >> UInt64($1) & 1 }
  }

  package static func == (a: CyclicChecksum, b: CyclicChecksum) -> Bool {
    (a.bits, a.polynomial, a.initial, a.inverted) == (b.bits, b.polynomial, b.initial, b.inverted)
      && a.isReflected == b.isReflected
  }

  package func hash(into hasher: inout Hasher) {
    for number in [UInt64(bits), polynomial, initial, inverted] { hasher.combine(number) }
  }
}

extension CyclicChecksum {
  /// CRC-32 of Ethernet and zlib.
  package static let crc32 = CyclicChecksum(
    bits: 32, 0x04c1_1db7, initial: 0xffff_ffff, reflected: true, inverted: 0xffff_ffff
  )

  /// The checksums with a name, by their bits. Synonyms follow the name of the catalogue; the first
  /// of 8 and of 32 bits is meant without a name.
  package static let catalogue: [Int: KeyValuePairs<String, CyclicChecksum>] = [
    8: [
      "smbus": .init(bits: 8, 0x07),
      "autosar": .init(bits: 8, 0x2f, initial: 0xff, inverted: 0xff),
      "bluetooth": .init(bits: 8, 0xa7, reflected: true),
      "cdma2000": .init(bits: 8, 0x9b, initial: 0xff),
      "darc": .init(bits: 8, 0x39, reflected: true),
      "dvb-s2": .init(bits: 8, 0xd5),
      "i-432-1": .init(bits: 8, 0x07, inverted: 0x55),
      "maxim": .init(bits: 8, 0x31, reflected: true),
      "nrsc-5": .init(bits: 8, 0x31, initial: 0xff),
      "rohc": .init(bits: 8, 0x07, initial: 0xff, reflected: true),
      "sae-j1850": .init(bits: 8, 0x1d, initial: 0xff, inverted: 0xff),
      "wcdma": .init(bits: 8, 0x9b, reflected: true),
    ],
    16: [
      "arc": .init(bits: 16, 0x8005, reflected: true),
      "modbus": .init(bits: 16, 0x8005, initial: 0xffff, reflected: true),
      "ibm-3740": .init(bits: 16, 0x1021, initial: 0xffff),
      "ccitt-false": .init(bits: 16, 0x1021, initial: 0xffff),
      "xmodem": .init(bits: 16, 0x1021),
      "kermit": .init(bits: 16, 0x1021, reflected: true),
      "ibm-sdlc": .init(bits: 16, 0x1021, initial: 0xffff, reflected: true, inverted: 0xffff),
      "x-25": .init(bits: 16, 0x1021, initial: 0xffff, reflected: true, inverted: 0xffff),
      "mcrf4xx": .init(bits: 16, 0x1021, initial: 0xffff, reflected: true),
      "spi-fujitsu": .init(bits: 16, 0x1021, initial: 0x1d0f),
      "genibus": .init(bits: 16, 0x1021, initial: 0xffff, inverted: 0xffff),
      "usb": .init(bits: 16, 0x8005, initial: 0xffff, reflected: true, inverted: 0xffff),
      "maxim": .init(bits: 16, 0x8005, reflected: true, inverted: 0xffff),
      "umts": .init(bits: 16, 0x8005),
      "dnp": .init(bits: 16, 0x3d65, reflected: true, inverted: 0xffff),
      "en-13757": .init(bits: 16, 0x3d65, inverted: 0xffff),
      "cdma2000": .init(bits: 16, 0xc867, initial: 0xffff),
      "t10-dif": .init(bits: 16, 0x8bb7),
    ],
    32: [
      "iso-hdlc": .crc32,
      "autosar": .init(
        bits: 32, 0xf4ac_fb13, initial: 0xffff_ffff, reflected: true, inverted: 0xffff_ffff
      ),
      "bzip2": .init(bits: 32, 0x04c1_1db7, initial: 0xffff_ffff, inverted: 0xffff_ffff),
      "cksum": .init(bits: 32, 0x04c1_1db7, inverted: 0xffff_ffff),
      "iscsi": .init(
        bits: 32, 0x1edc_6f41, initial: 0xffff_ffff, reflected: true, inverted: 0xffff_ffff
      ),
      "jamcrc": .init(bits: 32, 0x04c1_1db7, initial: 0xffff_ffff, reflected: true),
      "mpeg-2": .init(bits: 32, 0x04c1_1db7, initial: 0xffff_ffff),
      "xfer": .init(bits: 32, 0x0000_00af),
    ],
  ]

  /// The checksum of some bits with a name; nil for an unknown name.
  package static func named(_ name: String, bits: Int) -> CyclicChecksum? {
    catalogue[bits]?.first { $0.key == name }?.value
  }

  /// The names of the checksums of some bits.
  package static func names(bits: Int) -> [String] { catalogue[bits]?.map(\.key) ?? [] }
}
