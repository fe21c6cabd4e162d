// Writes the fields of a value in order.

/// The octets of a value that is being encoded.
struct OctetWriter {
  private(set) var octets: [UInt8] = []

  mutating func append(_ more: [UInt8]) { octets += more }

  mutating func set(_ octet: UInt8, at index: Int) { octets[index] = octet }

  /// Appends a number, least significant octet first.
  mutating func append(_ number: UInt64, octets count: Int) {
    for index in 0..<UInt64(count) {
      octets.append(UInt8(truncatingIfNeeded: number >> (8 * index)))
    }
  }
}
