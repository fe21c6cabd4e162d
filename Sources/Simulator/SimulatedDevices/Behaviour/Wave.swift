// A value that swings between two ends.

import Documents
import Signals

/// Numbers that swing together between their ends, among octets that stay.
public struct Wave: MovingValue {
  /// What the value is made of, in a row.
  public enum Part: Sendable, Hashable {
    /// Bytes that stay.
    case octets([UInt8])
    /// A number that moves.
    case number(MovingNumber)

    /// Its octets, of a number so far between its ends.
    func octets(at fraction: @autoclosure () -> Double) -> [UInt8] {
      switch self {
      case .octets(let octets): octets
      case .number(let number): number.octets(at: fraction())
      }
    }
  }

  /// What the value is made of, in a row.
  public var parts: [Part]
  /// From one crest to the next.
  public var period: Duration
  /// The time between two values.
  public var every: Duration
  /// By how much of the distance between the ends each value strays, drawn from the seed: from 0
  /// (not at all) to 1.
  public var noise: Double
  /// Whether a subscriber gets the present value at once.
  public var beginsAtOnce: Bool

  /// A wave; see the properties.
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

  /// The value after so many times `every`. All numbers of one value are equally far between their
  /// ends: halfway and rising at 0, at the high end after a quarter of the period.
  ///
  /// - Parameter generator: The characteristic's own; the same for every tick.
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

  /// The sine of so many turns, from 0 to below 1, to within 0.002.
  ///
  /// Bhaskara I's approximation: it takes only arithmetic, which gives the same bits on every
  /// machine, as a mathematical library need not.
  static func sine(ofTurns turns: Double) -> Double {
    let half = turns < 0.5 ? 2 * turns : 2 * turns - 1
    let product = half * (1 - half)
    let magnitude = 16 * product / (5 - 4 * product)
    return turns < 0.5 ? magnitude : -magnitude
  }
}

/// One number of a wave.
public struct MovingNumber: Sendable, Hashable {
  /// How the number is sent.
  public var format: NumberFormat
  /// The number at the trough.
  public var low: Double
  /// The number at the crest.
  public var high: Double
  /// If not nil, what is sent is this divided by the number: 61440 makes beats a minute into
  /// intervals in 1/1024 s.
  public var dividend: Double?

  /// A number that moves between two ends.
  public init(format: NumberFormat, low: Double, high: Double, dividend: Double? = nil) {
    self.format = format
    self.low = low
    self.high = high
    self.dividend = dividend
  }

  /// Its octets `fraction` of the way from low to high; none where the format has no room.
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
