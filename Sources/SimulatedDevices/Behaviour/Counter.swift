// A value that steps evenly.

public import Bluetooth

/// A whole number that steps with time, or with each read.
public struct Counter: Sendable, Hashable {
  /// A format of whole numbers.
  public var format: ValueFormat
  /// The first value.
  public var from: Int64
  /// The last value; nil: the end of the format's range.
  public var to: Int64?
  /// What is added each time; may be negative.
  public var step: Int64
  /// The time between two steps; nil: each read steps.
  public var every: Duration?
  /// Whether it begins again at `from` after the last value, rather than staying there.
  public var repeats: Bool
  /// Whether a subscriber gets the present value at once.
  public var beginsAtOnce: Bool

  /// A counter; see the properties.
  ///
  /// ```swift
  /// let counter = Counter(format: ValueFormat("u16")!, every: .milliseconds(100))
  /// let packets = CharacteristicDefinition(
  ///   uuid: BluetoothUUID("3f0e0002-4b1d-4d5e-9a57-0b3c2f1a9d77")!, properties: [.notify],
  ///   behaviour: .counter(counter))
  /// ```
  public init(
    format: ValueFormat,
    from: Int64 = 0,
    to: Int64? = nil,
    step: Int64 = 1,
    every: Duration? = nil,
    repeats: Bool = true,
    beginsAtOnce: Bool = false
  ) {
    self.format = format
    self.from = from
    self.to = to
    self.step = step
    self.every = every
    self.repeats = repeats
    self.beginsAtOnce = beginsAtOnce
  }

  /// How many values there are before it repeats or stays.
  var count: Int128 {
    guard step != 0, let range = Self.range(of: format) else { return 1 }
    let last = to ?? (step > 0 ? range.upperBound : range.lowerBound)
    let distance = Int128(last) - Int128(from)
    return distance.signum() * Int128(step).signum() < 0 ? 1 : distance / Int128(step) + 1
  }

  /// The value after so many steps.
  func value(tick: Int) -> [UInt8] {
    let index = repeats ? Int128(tick) % count : min(Int128(tick), count - 1)
    let number = Int64(clamping: Int128(from) + Int128(step) * index)
    return (try? format.encode("\(number)")) ?? []
  }

  /// Whether nothing new comes at this step or after.
  func isOver(tick: Int) -> Bool { !repeats && Int128(tick) >= count }

  /// The whole numbers that a format holds, as far as 64 bits with a sign go; nil for the others.
  static func range(of format: ValueFormat) -> ClosedRange<Int64>? {
    let digits = format.name.dropFirst().prefix { $0.isNumber }
    guard let bits = Int64(digits), let kind = format.name.first else { return nil }
    switch kind {
    case "u" where format.name != "utf8": return 0...(bits == 64 ? .max : (1 << bits) - 1)
    case "i": return bits == 64 ? .min ... .max : -(1 << (bits - 1))...((1 << (bits - 1)) - 1)
    default: return nil
    }
  }
}
