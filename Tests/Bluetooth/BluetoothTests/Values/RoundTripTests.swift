// Every standard value survives decoding, encoding and decoding again, for seeded random octets.

import Bluetooth
import Testing

@Suite("Round trips of standard values")
struct RoundTripTests {
  /// SplitMix64.
  struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var word = state
      word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
      word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
      return word ^ word >> 31
    }
  }

  /// Random octets, truncated to the length their flags imply; out-of-range values are redrawn.
  func valid(_ short: UInt16, first: UInt8, using generator: inout Generator) throws -> [UInt8]? {
    let decode = try #require(StandardValues.decoder(for: BluetoothUUID(short: short)))
    let isLong = Bool.random(using: &generator)
    let count = isLong ? 40 : Int.random(in: 0...40, using: &generator)
    // Octets near zero, op codes, texts and anything.
    let limit = [3, 7, 0x1f, 0x7f, 0xff].randomElement(using: &generator) ?? 0xff
    var octets = (0..<count).map { _ in UInt8.random(in: 0...UInt8(limit), using: &generator) }
    // Every op code and every octet of flags has its turn.
    if !octets.isEmpty { octets[0] = first }
    for _ in 0..<1000 {
      // A CGM Measurement begins with its size.
      if short == 0x2aa7, !octets.isEmpty { octets[0] = UInt8(octets.count) }
      do throws(ValueError) {
        guard case .octets(let more)? = try decode(octets)["further"] else { return octets }
        octets.removeLast(more.count)
      } catch {
        guard error.isOutOfRange else { return nil }
        // A wrong CRC is as improbable to be met by chance as a right one.
        if error.field == "crc" {
          octets.removeLast(octets.count - error.octet)
          continue
        }
        for index in error.octet..<min(error.octet + 2, octets.count) {
          let most: UInt8 = index == error.octet ? 0xff : 7
          octets[index] = UInt8.random(in: 0...most, using: &generator)
        }
      }
    }
    return nil
  }

  @Test(
    "a decoded value survives encoding and decoding, and has its documented fields",
    arguments: StandardValues.shortUUIDs
  )
  func roundTrip(short: UInt16) throws {
    let uuid = BluetoothUUID(short: short)
    let decode = try #require(StandardValues.decoder(for: uuid))
    let encode = try #require(StandardValues.encoder(for: uuid))
    let names = StandardValues.fieldNames(of: uuid)
    #expect(Set(names).count == names.count)
    var (found, seen) = (0, Set<String>())
    for seed in 0..<256 as Range<UInt64> {
      var generator = Generator(state: seed << 16 | UInt64(short))
      guard let octets = try valid(short, first: UInt8(seed), using: &generator) else { continue }
      found += 1
      let value = try decode(octets)
      let again: DecodedValue
      do {
        again = try decode(encode(value))
      } catch {
        Issue.record("seed \(seed), \(octets), \(value): \(error)")
        return
      }
      try #require(value.isSame(as: again), "seed \(seed), \(octets): \(value) became \(again)")
      guard case .fields(let fields) = value else { continue }
      let given = Set(fields.map(\.name))
      #expect(given.count == fields.count, "duplicate field name in \(fields.map(\.name))")
      seen.formUnion(given)
    }
    #expect(found >= 20, "too few valid values")
    #expect(seen == Set(names))
  }

  /// Values of variable length: texts, lists, and parameters of any length.
  static let openEnded: Set<UInt16> = Set(0x2a24...0x2a2a).union([
    0x2901, 0x2906, 0x2a00, 0x2a37, 0x2a52, 0x2a55, 0x2a64, 0x2ad9,
  ])

  @Test(
    "a value of fixed length is refused with a byte too few, and keeps a byte too many",
    arguments: StandardValues.shortUUIDs.filter { !openEnded.contains($0) }
  )
  func length(short: UInt16) throws {
    let uuid = BluetoothUUID(short: short)
    let decode = try #require(StandardValues.decoder(for: uuid))
    let encode = try #require(StandardValues.encoder(for: uuid))
    for seed in 0..<32 as Range<UInt64> {
      var generator = Generator(state: seed << 16 | UInt64(short))
      guard let octets = try valid(short, first: UInt8(seed), using: &generator) else { continue }
      do throws(ValueError) {
        _ = try decode(octets.dropLast())
        Issue.record("seed \(seed): \(octets.dropLast()) was taken")
      } catch {
        #expect(error.octet < octets.count)
        #expect(error.problem.hasPrefix("expected "))
      }
      let longer = try decode(octets + [0xa5])
      #expect(longer["further"] == .octets([0xa5]), "seed \(seed): \(octets)")
      #expect(try encode(longer) == encode(decode(octets)) + [0xa5])
    }
  }

  @Test("field names can be written in a chain", arguments: StandardValues.shortUUIDs)
  func names(short: UInt16) {
    for name in StandardValues.fieldNames(of: BluetoothUUID(short: short)) {
      #expect(name.first?.isLetter == true)
      #expect(name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
      // These words mean something else in an expectation.
      #expect(!["value", "count", "rate"].contains(name))
      #expect(ValueFormat(name) == nil)
    }
  }
}

extension DecodedValue {
  /// Equality in which NaN equals NaN.
  func isSame(as other: DecodedValue) -> Bool {
    switch (self, other) {
    case (.real(let a, let x), .real(let b, let y)): x == y && (a == b || a.isNaN && b.isNaN)
    case (.list(let a), .list(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
    case (.fields(let a), .fields(let b)):
      a.count == b.count
        && zip(a, b).allSatisfy {
          $0.name == $1.name && $0.unit == $1.unit && $0.value.isSame(as: $1.value)
        }
    default: self == other
    }
  }
}
