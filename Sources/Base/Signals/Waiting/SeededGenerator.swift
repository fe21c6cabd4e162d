// Repeatable randomness: a seed, split by name.

/// A random number generator determined by a seed and a name.
///
/// Each component gets its own by ``split(_:)``, so that an additional draw in one component does
/// not change the numbers of another. SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom
/// number generators", 2014.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64
  private let origin: UInt64

  /// The generator of `seed` for the component called `name`.
  public init(seed: UInt64, name: String = "") {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for octet in name.utf8 { hash = (hash ^ UInt64(octet)) &* 0x0000_0100_0000_01b3 }
    origin = Self.mixed(seed &+ Self.mixed(hash))
    state = origin
  }

  /// An independent generator for a part; it does not depend on how often this one was used.
  public func split(_ name: String) -> SeededGenerator {
    SeededGenerator(seed: origin, name: name)
  }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mixed(state)
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
