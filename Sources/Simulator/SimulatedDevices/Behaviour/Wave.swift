// A value that oscillates between two bounds.

import Documents
import Signals

/// Numbers that oscillate together between their bounds, among constant bytes.
public struct Wave: MovingValue {
  /// A part of the value.
  public enum Part: Sendable, Hashable {
    /// Constant bytes.
    case octets([UInt8])
    /// An oscillating number.
    case number(MovingNumber)

    /// The bytes of the part. `fraction` is the position of a number between its bounds.
    func octets(at fraction: @autoclosure () -> Double) -> [UInt8] {
      switch self {
      case .octets(let octets): octets
      case .number(let number): number.octets(at: fraction())
      }
    }
  }

  /// The consecutive parts of the value.
  public var parts: [Part]
  /// The time from one crest to the next.
  public var period: Duration
  /// The time between two values.
  public var every: Duration
  /// The random variation of each value, as a fraction of the distance between the bounds, from 0
  /// to 1; drawn from the seed.
  public var noise: Double
  /// Whether a subscriber receives the current value at once.
  public var beginsAtOnce: Bool

  /// Creates a wave; see the properties.
  ///
  /// ```swift
  /// let celsius = MovingNumber(format: .plain(ValueFormat("i16")!), low: 1800, high: 2400)
  /// let wave = Wave(parts: [.number(celsius)], period: .seconds(600), every: .seconds(1))
  /// ```
  public init(
    parts: [Part], period: Duration, every: Duration, noise: Double = 0, beginsAtOnce: Bool = false
  ) {
    self.parts = parts
    self.period = period
    self.every = every
    self.noise = noise
    self.beginsAtOnce = beginsAtOnce
  }

  var interval: Duration? { every }

  /// The value after `step` times `every`. All its numbers are at the same position: halfway and
  /// rising at 0, at the high bound after a quarter of the period.
  ///
  /// - Parameter generator: The characteristic's own generator, identical for every step.
  func value(step: Int, generator: SeededGenerator) -> [UInt8] {
    var fraction = 0.5 + 0.5 * Self.sine(ofTurns: turns(step: step))
    if noise > 0 {
      var generator = generator.split("tick \(step)")
      fraction += noise * Double.random(in: -1...1, using: &generator)
    }
    let bounded = min(1, max(0, fraction))
    return parts.flatMap { $0.octets(at: bounded) }
  }

  private func turns(step: Int) -> Double {
    guard period > .zero else { return 0 }
    let (time, isTooLate) = Int128(step).multipliedReportingOverflow(by: every.attoseconds)
    guard !isTooLate else { return 0 }
    return Double(time % period.attoseconds) / Double(period.attoseconds)
  }

  /// The sine of an angle in turns, from 0 to below 1, with an error below 0.002.
  ///
  /// Bhaskara I's approximation. It uses arithmetic only, so that results are the same bits on
  /// every machine, which a mathematical library does not guarantee.
  static func sine(ofTurns turns: Double) -> Double {
    let half = turns < 0.5 ? 2 * turns : 2 * turns - 1
    let product = half * (1 - half)
    let magnitude = 16 * product / (5 - 4 * product)
    return turns < 0.5 ? magnitude : -magnitude
  }
}

/// An oscillating number in a value.
public struct MovingNumber: Sendable, Hashable {
  /// The encoding of the number.
  public var format: NumberFormat
  /// The lower bound.
  public var low: Double
  /// The upper bound.
  public var high: Double
  /// If set, the sent number is this divided by the oscillating one: 61440 converts beats per
  /// minute to intervals in 1/1024 s.
  public var dividend: Double?

  /// Creates a number that oscillates between two bounds.
  public init(format: NumberFormat, low: Double, high: Double, dividend: Double? = nil) {
    self.format = format
    self.low = low
    self.high = high
    self.dividend = dividend
  }

  /// The bytes at a position between low and high; none if the number is out of the format's range.
  func octets(at fraction: Double) -> [UInt8] {
    let number = low + (high - low) * fraction
    return format.encode(dividend.map { $0 / number } ?? number) ?? []
  }
}

// MARK: In files

extension Behaviour {
  /// Numbers that rise and fall.
  public static func wave(_ wave: Wave) -> Behaviour { .moving(Movement(wave)) }
}

extension Wave {
  static let key = BehaviourKey(
    "wave", Shape.mapping(form).named("wave"), table: form.table, "sine waves of one phase"
  ) { .wave($0) }

  private static let form = DeviceForm<Wave>(
    "Numbers that swing together.",
    Wave(parts: [], period: .seconds(1), every: .seconds(1)),
    [
      DeviceKey(
        "parts", \.parts, .movingParts, isRequired: true, "values and numbers that move, in a row"
      ),
      DeviceKey("period", \.period, .period, isRequired: true, "the time of one full wave"),
      DeviceKey("every", \.every, .period, isRequired: true, "the time between two values"),
      DeviceKey(
        "noise",
        \.noise,
        .number(0...1),
        "random deviation of each value, as a fraction of high - low"
      ),
      DeviceKey("first", \.beginsAtOnce, .first, "whether a subscriber gets a value at once"),
    ]
  )
}
