// Firmware images of MCUboot: reads their header and trailer, and checks their hash.
//
// Pure. Signatures are not checked: the device has the key.

/// The version of a firmware image.
package struct FirmwareVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let major: UInt8
  package let minor: UInt8
  package let revision: UInt16
  package let build: UInt32

  package init(_ major: UInt8, _ minor: UInt8, _ revision: UInt16, build: UInt32 = 0) {
    self.major = major
    self.minor = minor
    self.revision = revision
    self.build = build
  }

  /// Parses `1.2.3`, or `1.2.3.4` with the number of the build; nil for other text.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (3...4).contains(parts.count),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let major = UInt8(parts[0]), let minor = UInt8(parts[1]), let revision = UInt16(parts[2]),
      let build = parts.count == 4 ? UInt32(parts[3]) : 0
    else { return nil }
    self.init(major, minor, revision, build: build)
  }

  package static func < (left: FirmwareVersion, right: FirmwareVersion) -> Bool {
    (left.major, left.minor, left.revision, left.build)
      < (right.major, right.minor, right.revision, right.build)
  }

  /// `1.2.3`, or `1.2.3.4` with the number of the build.
  package var description: String {
    "\(major).\(minor).\(revision)" + (build == 0 ? "" : ".\(build)")
  }
}

/// A complete image, whose hash matches if the body is not encrypted.
///
/// - Source: MCUboot documentation, "Image Format".
package struct MCUbootImage: Hashable, Sendable {
  /// The first four bytes of an image, as a number.
  package static let magic: UInt32 = 0x96f3_b83d
  package static let headerLength = 32
  /// The first two bytes of the trailer, and of its protected part, which the hash covers.
  fileprivate static let (trailerMagic, protectedMagic): (UInt16, UInt16) = (0x6907, 0x6908)
  /// The type of the trailer entry that holds the SHA-256.
  fileprivate static let hashType: UInt16 = 0x10
  /// The flags of an image whose body is encrypted.
  private static let encrypted: UInt32 = 0x04 | 0x08

  package let version: FirmwareVersion
  /// The SHA-256 in the trailer, by which devices identify the image.
  package let hash: [UInt8]
  /// True if the body is encrypted: then the hash, which is that of the plain image, is not checked.
  package let isEncrypted: Bool

  /// Reads an image. Bytes after its trailer are ignored.
  package init(_ octets: [UInt8]) throws(MCUbootImageError) {
    let reader = ImageReader(octets: octets)
    version = try Self.version(in: octets)
    let header = Int(try reader.number(UInt16.self, at: 8))
    let protected = Int(try reader.number(UInt16.self, at: 10))
    let body = Int(try reader.number(UInt32.self, at: 12))
    isEncrypted = try reader.number(UInt32.self, at: 16) & Self.encrypted != 0
    guard header >= Self.headerLength else { throw .shortHeader(bytes: header) }
    let trailer = header + body
    var hashes =
      protected == 0
      ? [] : try reader.hashes(at: trailer, magic: Self.protectedMagic, length: protected)
    hashes += try reader.hashes(at: trailer + protected, magic: Self.trailerMagic, length: nil)
    guard let hash = hashes.first else { throw .noHash }
    guard hashes.count == 1 else { throw .severalHashes(hashes.count) }
    guard hash.count == 32 else { throw .hashLength(bytes: hash.count) }
    let actual = SHA256.digest(of: Array(octets[..<(trailer + protected)]))
    guard isEncrypted || hash == actual else { throw .wrongHash(stated: hash, actual: actual) }
    self.hash = hash
  }

  /// The version in the header of an image; the rest of the image may be missing.
  package static func version(
    in octets: [UInt8]
  ) throws(MCUbootImageError) -> FirmwareVersion {
    let reader = ImageReader(octets: octets)
    guard octets.count >= Self.headerLength else { throw .truncated(at: 0, bytes: octets.count) }
    let found = try reader.number(UInt32.self, at: 0)
    guard found == Self.magic else { throw .notAnImage(found) }
    return FirmwareVersion(
      octets[20], octets[21], try reader.number(UInt16.self, at: 22),
      build: try reader.number(UInt32.self, at: 24)
    )
  }

  /// The bytes of an image without a signature.
  package static func octets(_ version: FirmwareVersion, body: [UInt8]) -> [UInt8] {
    func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      stride(from: 0, to: Number.bitWidth, by: 8).map {
        UInt8(truncatingIfNeeded: number >> Number($0))
      }
    }
    let sizes = bytes(UInt16(Self.headerLength)) + bytes(UInt16(0)) + bytes(UInt32(body.count))
    let numbers = [version.major, version.minor] + bytes(version.revision) + bytes(version.build)
    let signed =
      bytes(Self.magic) + bytes(UInt32(0)) + sizes + bytes(UInt32(0)) + numbers
      + bytes(UInt32(0)) + body
    let entry = bytes(Self.hashType) + bytes(UInt16(32)) + SHA256.digest(of: signed)
    return signed + bytes(Self.trailerMagic) + bytes(UInt16(4 + entry.count)) + entry
  }
}

/// Why bytes are not a valid image.
package enum MCUbootImageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The first bytes are not those of an image.
  case notAnImage(UInt32)
  /// A part of the image begins at or beyond the end.
  case truncated(at: Int, bytes: Int)
  case shortHeader(bytes: Int)
  /// There is no trailer at the offset that the header gives.
  case noTrailer(at: Int)
  case noHash
  case severalHashes(Int)
  case hashLength(bytes: Int)
  case wrongHash(stated: [UInt8], actual: [UInt8])

  package var description: String {
    switch self {
    case .notAnImage(let found):
      "not an MCUboot image: it begins with 0x\(hex(found)) in place of 0x\(hex(MCUbootImage.magic))"
    case .truncated(at: 0, let bytes):
      "the MCUboot image is incomplete: it has \(bytes) bytes, and its header alone has \(MCUbootImage.headerLength)"
    case .truncated(let position, let bytes):
      "the MCUboot image is incomplete: it has \(bytes) bytes, and its part at byte \(position) ends later"
    case .shortHeader(let bytes):
      "the header of the MCUboot image has \(bytes) bytes: at least \(MCUbootImage.headerLength) are needed"
    case .noTrailer(let position): "the MCUboot image has no trailer at byte \(position)"
    case .noHash: "the MCUboot image has no SHA-256 in its trailer"
    case .severalHashes(let count): "the MCUboot image has \(count) SHA-256 hashes in its trailer"
    case .hashLength(let bytes):
      "the SHA-256 in the MCUboot image has \(bytes) bytes in place of 32"
    case .wrongHash(let stated, let actual):
      "the MCUboot image is damaged: its SHA-256 is \(start(actual))…, its trailer says \(start(stated))…"
    }
  }

  private func hex(_ number: UInt32) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  private func start(_ hash: [UInt8]) -> String {
    DecodedValue.octets(Array(hash.prefix(4))).description
  }
}

/// Reads the little-endian numbers of an image, and its trailer.
private struct ImageReader {
  let octets: [UInt8]

  func number<Number: FixedWidthInteger>(
    _: Number.Type, at position: Int
  ) throws(MCUbootImageError) -> Number {
    let end = position + Number.bitWidth / 8
    guard end <= octets.count else { throw .truncated(at: position, bytes: octets.count) }
    return octets[position..<end].reversed().reduce(0) { $0 << 8 | Number($1) }
  }

  /// The SHA-256 hashes in a part of the trailer.
  ///
  /// - Parameter length: The length of the part as the header states it; nil if only the trailer
  ///   states it.
  func hashes(
    at start: Int, magic: UInt16, length: Int?
  ) throws(MCUbootImageError) -> [[UInt8]] {
    guard try number(UInt16.self, at: start) == magic else { throw .noTrailer(at: start) }
    let total = Int(try number(UInt16.self, at: start + 2))
    guard total >= 4, total == length ?? total else { throw .noTrailer(at: start) }
    let end = start + total
    guard end <= octets.count else { throw .truncated(at: start, bytes: octets.count) }
    var found: [[UInt8]] = []
    var position = start + 4
    while position < end {
      guard position + 4 <= end else { throw .truncated(at: position, bytes: end) }
      let type = try number(UInt16.self, at: position)
      let length = Int(try number(UInt16.self, at: position + 2))
      let value = position + 4
      guard value + length <= end else { throw .truncated(at: position, bytes: end) }
      if type == MCUbootImage.hashType { found.append(Array(octets[value..<value + length])) }
      position = value + length
    }
    return found
  }
}
