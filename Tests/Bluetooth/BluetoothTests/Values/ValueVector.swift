// Octets worked out by hand, with their decoded values.

import Bluetooth
import Testing

/// One example of a standard value.
struct ValueVector: Sendable, CustomTestStringConvertible {
  let short: UInt16
  let octets: [UInt8]
  let text: String
  /// The encoder's output if it differs from `octets`: reserved bits are dropped, and numbers sent
  /// in more octets than needed are shortened.
  let encoded: [UInt8]

  init(_ short: UInt16, _ octets: [UInt8], _ text: String, encoded: [UInt8]? = nil) {
    self.short = short
    self.octets = octets
    self.text = text
    self.encoded = encoded ?? octets
  }

  var testDescription: String { "\(String(short, radix: 16)): \(text)" }

  /// Decodes the octets, and encodes the result.
  func check() throws {
    let uuid = BluetoothUUID(short: short)
    let decode = try #require(StandardValues.decoder(for: uuid))
    let encode = try #require(StandardValues.encoder(for: uuid))
    let value = try decode(octets)
    #expect(value.description == text)
    #expect(try encode(value) == encoded)
  }
}

/// Malformed octets of a characteristic.
struct MalformedVector: Sendable, CustomTestStringConvertible {
  let short: UInt16
  let octets: [UInt8]
  let complaint: String
  let isOutOfRange: Bool

  init(_ short: UInt16, _ octets: [UInt8], _ complaint: String, isOutOfRange: Bool = false) {
    self.short = short
    self.octets = octets
    self.complaint = complaint
    self.isOutOfRange = isOutOfRange
  }

  var testDescription: String { "\(String(short, radix: 16)): \(complaint)" }

  func check() throws {
    let decode = try #require(StandardValues.decoder(for: BluetoothUUID(short: short)))
    do throws(ValueError) {
      let value = try decode(octets)
      Issue.record("it was decoded as \(value)")
    } catch {
      #expect(error.description == complaint)
      #expect(error.isOutOfRange == isOutOfRange)
    }
  }
}
