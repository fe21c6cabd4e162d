// The failure of a value that does not meet an expectation.

import Bluetooth

/// A value that does not meet an expectation.
public struct ExpectationFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The expectation: `celsius in 10..40`.
  public let expected: String
  /// The received value: `41.2 °C`.
  public let got: String
  /// The bytes that the device sent; nil for a check of many values, empty for a value without
  /// bytes.
  public let octets: [UInt8]?

  public init(expected: String, got: String, octets: [UInt8]?) {
    self.expected = expected
    self.got = got
    self.octets = octets
  }

  public var description: String { "expected \(expected), got \(received)" }

  /// The received value, with its bytes unless they are the value.
  package var received: String {
    guard let octets, !octets.isEmpty else { return got }
    let bytes = DecodedValue.octets(octets).description
    return got == bytes ? got : "\(got) (bytes \(bytes))"
  }
}
