// A value that jumps about.

import Signals

/// Numbers that are drawn anew each time, each for itself, among octets that stay.
public struct Noise: Sendable, Hashable {
  /// How often numbers lie where between their ends.
  public enum Shape: String, CaseIterable, Sendable, Hashable {
    /// Everywhere as often.
    case even
    /// Mostly in the middle: the mean of four draws.
    case bell
  }

  /// What the value is made of, in a row.
  public var parts: [Wave.Part]
  /// The time between two values.
  public var every: Duration
  /// How the numbers are distributed.
  public var shape: Shape
  /// Whether a subscriber gets the present value at once.
  public var beginsAtOnce: Bool

  /// Random numbers; see the properties.
  public init(
    parts: [Wave.Part],
    every: Duration,
    shape: Shape = .even,
    beginsAtOnce: Bool = false
  ) {
    self.parts = parts
    self.every = every
    self.shape = shape
    self.beginsAtOnce = beginsAtOnce
  }

  /// The value after so many times `every`.
  ///
  /// - Parameter generator: The characteristic's own; the same for every tick.
  func value(tick: Int, generator: SeededGenerator) -> [UInt8] {
    var generator = generator.split("tick \(tick)")
    return parts.flatMap { part in
      switch part {
      case .octets(let octets): octets
      case .number(let number): number.octets(at: fraction(&generator))
      }
    }
  }

  private func fraction(_ generator: inout SeededGenerator) -> Double {
    let count = shape == .even ? 1 : 4
    let sum = (0..<count).reduce(0.0) { sum, _ in sum + .random(in: 0...1, using: &generator) }
    return sum / Double(count)
  }
}
