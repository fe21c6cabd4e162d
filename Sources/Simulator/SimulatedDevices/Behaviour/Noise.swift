// Random numbers as a value.

import Documents
import Signals

/// Numbers that are drawn independently for each value, between constant bytes.
public struct Noise: MovingValue {
  /// The distribution of the numbers between their bounds.
  public enum Shape: String, CaseIterable, Sendable, Hashable {
    /// Uniform.
    case even
    /// Bell-shaped: the mean of four draws.
    case bell
  }

  /// The consecutive parts of the value.
  public var parts: [Wave.Part]
  /// The time between two values.
  public var every: Duration
  /// The distribution of the numbers.
  public var shape: Shape
  /// Whether a subscriber receives the current value at once.
  public var beginsAtOnce: Bool

  /// Creates random numbers; see the properties.
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
