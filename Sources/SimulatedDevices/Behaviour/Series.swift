// Values that were written down beforehand.

/// Values one after the other: played to each subscriber from the first on, or one a read.
public struct Series: Sendable, Hashable {
  public var values: [[UInt8]]
  /// The time between two values; nil: each read takes the next.
  public var every: Duration?
  /// Whether the first follows the last, rather than nothing.
  public var repeats: Bool
  /// Whether a subscriber gets the first value at once.
  public var beginsAtOnce: Bool

  public init(
    values: [[UInt8]],
    every: Duration? = nil,
    repeats: Bool = true,
    beginsAtOnce: Bool = false
  ) {
    self.values = values
    self.every = every
    self.repeats = repeats
    self.beginsAtOnce = beginsAtOnce
  }

  /// The value at a place in the row, counted from 0; the last stays if nothing repeats.
  func value(at index: Int) -> [UInt8] {
    guard !values.isEmpty else { return [] }
    return values[repeats ? index % values.count : min(index, values.count - 1)]
  }

  /// Whether there is no value at this place.
  func isOver(at index: Int) -> Bool { values.isEmpty || !repeats && index >= values.count }
}
