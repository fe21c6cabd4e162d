// Writes the fields of a value in order.

/// The octets of a value that is being encoded.
struct OctetWriter {
  private(set) var octets: [UInt8] = []
  /// The parts that are computed from the other octets, once all of them are known.
  var pending: [PendingPart] = []

  mutating func append(_ more: [UInt8]) { octets += more }

  mutating func set(_ octet: UInt8, at index: Int) { octets[index] = octet }

  /// Appends a number, least significant octet first.
  mutating func append(_ number: UInt64, octets count: Int) {
    for index in 0..<UInt64(count) {
      octets.append(UInt8(truncatingIfNeeded: number >> (8 * index)))
    }
  }

  /// Appends a number in its order.
  mutating func append(_ word: UInt64, _ number: WireNumber) {
    if number.isBigEndian {
      for index in (0..<UInt64(number.octets)).reversed() {
        octets.append(UInt8(truncatingIfNeeded: word >> (8 * index)))
      }
    } else {
      append(word, octets: number.octets)
    }
  }

  /// Moves the octets from `start` to the end over those from `target` on, which are before them.
  mutating func move(from start: Int, over target: Int) {
    let moved = Array(octets[start...])
    octets.removeLast(moved.count)
    octets.replaceSubrange(target..<min(target + moved.count, octets.count), with: moved)
    for index in pending.indices where pending[index].position >= start {
      pending[index].position -= start - target
    }
  }

  /// Replaces octets by as many others.
  mutating func replace(at index: Int, with others: [UInt8]) {
    octets.replaceSubrange(index..<index + others.count, with: others)
  }
}
