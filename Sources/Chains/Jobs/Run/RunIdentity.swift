// What distinguishes one run from another, in output that repeats.

/// The identity of a run: a function of only its seed and its plan.
///
/// The same seed and an equal plan have the same identity, so that a simulated run repeats exactly.
/// Runs on real devices get different seeds to distinguish them.
public struct RunIdentity: Hashable, Sendable, CustomStringConvertible {
  /// 16 hexadecimal digits.
  public let description: String
  /// The seed of the run.
  public let seed: UInt64

  /// The identity of a run of `plan` with `seed`.
  ///
  /// ```swift
  /// print(RunIdentity(seed: 7, plan: plan))  // 16 hexadecimal digits
  /// ```
  ///
  /// - Parameters:
  ///   - seed: Distinguishes runs of one plan.
  ///   - plan: What is run.
  ///   - round: The index of the run of its batch it belongs to, from 1.
  public init(seed: UInt64, plan: Plan, round: Int = 1) {
    self.init(seed: seed, text: plan.description, round: round)
  }

  /// An identity that was recorded.
  package init(recorded description: String, seed: UInt64) {
    self.description = description
    self.seed = seed
  }

  /// The identity of a run described by `text`, with `seed`.
  ///
  /// FNV-1a over the seed, least significant octet first, and the text in UTF-8; from the second
  /// round on followed by the number of the round.
  public init(seed: UInt64, text: String, round: Int = 1) {
    self.seed = seed
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func take(_ octet: UInt8) { hash = (hash ^ UInt64(octet)) &* 0x0000_0100_0000_01b3 }
    for shift in 0..<8 { take(UInt8(truncatingIfNeeded: seed >> (8 * UInt64(shift)))) }
    for octet in text.utf8 { take(octet) }
    if round > 1 { for octet in "\nround \(round)".utf8 { take(octet) } }
    let digits = String(hash, radix: 16)
    description = String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
