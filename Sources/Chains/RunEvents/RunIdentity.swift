// The identity of a run, which stays the same when a simulated run is repeated.

/// The identity of a run, computed only from its seed and its plan.
///
/// Equal seeds and plans have equal identities, so the output of a simulated run repeats exactly.
/// Runs on real devices get different seeds.
public struct RunIdentity: Hashable, Sendable, CustomStringConvertible {
  /// 16 hexadecimal digits.
  public let description: String
  public let seed: UInt64

  /// Restores an identity from a record.
  package init(recorded description: String, seed: UInt64) {
    self.description = description
    self.seed = seed
  }

  /// Creates the identity of a run that `text` describes.
  ///
  /// It is the FNV-1a hash of the seed, least significant byte first, and of the text in UTF-8;
  /// from the second round on, the number of the round is included.
  public init(seed: UInt64, text: String, round: Int = 1) {
    self.seed = seed
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func mix(_ octet: UInt8) { hash = (hash ^ UInt64(octet)) &* 0x0000_0100_0000_01b3 }
    for shift in 0..<8 { mix(UInt8(truncatingIfNeeded: seed >> (8 * UInt64(shift)))) }
    for octet in text.utf8 { mix(octet) }
    if round > 1 { for octet in "\nround \(round)".utf8 { mix(octet) } }
    let digits = String(hash, radix: 16)
    description = String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
