// A value that jumps about.

import Documents
import Signals

/// Numbers that are drawn anew each time, each for itself, among octets that stay.
public struct Noise: MovingValue {
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
    parts: [Wave.Part], every: Duration, shape: Shape = .even, beginsAtOnce: Bool = false
  ) {
    self.parts = parts
    self.every = every
    self.shape = shape
    self.beginsAtOnce = beginsAtOnce
  }

  var interval: Duration? { every }

  func value(step: Int, generator: SeededGenerator) -> [UInt8] {
    var generator = generator.split("tick \(step)")
    return parts.flatMap { $0.octets(at: fraction(&generator)) }
  }

  private func fraction(_ generator: inout SeededGenerator) -> Double {
    let count = shape == .even ? 1 : 4
    let sum = (0..<count).reduce(0.0) { sum, _ in sum + .random(in: 0...1, using: &generator) }
    return sum / Double(count)
  }
}

// MARK: In files

extension Behaviour {
  /// Random numbers.
  public static func noise(_ noise: Noise) -> Behaviour { .moving(Movement(noise)) }
}

extension Noise {
  static let key = BehaviourKey(
    "noise", DeviceShape<Noise>.mapping(form).named("noise"), table: form.table, "random numbers"
  ) { .noise($0) }

  private static let form = DeviceForm<Noise>(
    "Numbers that are drawn anew each time.",
    Noise(parts: [], every: .seconds(1)),
    [
      DeviceKey(
        "parts", \.parts, .movingParts, isRequired: true, "values and numbers that move, in a row"
      ),
      DeviceKey("every", \.every, .period, isRequired: true, "the time between two values"),
      DeviceKey("shape", \.shape, .word, "uniform between the ends, or mostly in the middle"),
      DeviceKey("first", \.beginsAtOnce, .first, "whether a subscriber gets a value at once"),
    ]
  )
}
