// Values that were written down beforehand.

/// Values one after the other: played to each subscriber from the first on, or one a read.
public struct Series: Sendable, Hashable {
  /// The values, in order.
  public var values: [[UInt8]]
  /// The time between two values; nil: each read returns the next, or `times` sets the moments.
  public var every: Duration?
  /// When each value comes after the subscription, rising; empty: by `every`.
  public var times: [Duration]
  /// Whether the first follows the last, rather than nothing.
  public var repeats: Bool
  /// Whether a subscriber gets the first value at once.
  public var beginsAtOnce: Bool

  /// Values that follow each other; see the properties.
  ///
  /// ```swift
  /// let series = Series(values: [[0, 79], [0, 83], [0, 86]], every: .seconds(1))
  /// let beats = CharacteristicDefinition(
  ///   uuid: BluetoothUUID(short: 0x2a37), properties: [.notify], behaviour: .series(series))
  /// ```
  public init(
    values: [[UInt8]],
    every: Duration? = nil,
    times: [Duration] = [],
    repeats: Bool = true,
    beginsAtOnce: Bool = false
  ) {
    self.values = values
    self.every = every
    self.times = times
    self.repeats = repeats
    self.beginsAtOnce = beginsAtOnce
  }

  /// Whether values come by themselves.
  var isTimed: Bool { every != nil || !times.isEmpty }

  /// The time before the value at a place in the row, counted from 0, since the one before it or
  /// the subscription; nil: it does not come by itself.
  ///
  /// What was recorded with times begins again after as long as lay between its last two values.
  func delay(before index: Int) -> Duration? {
    guard let first = times.first, let last = times.last else { return every }
    if index == 0 { return beginsAtOnce ? .zero : first }
    let place = index % times.count
    guard place == 0 else { return times[place] - times[place - 1] }
    return times.count > 1 ? last - times[times.count - 2] : max(last, .milliseconds(1))
  }

  /// The value at a place in the row, counted from 0; the last stays if nothing repeats.
  func value(at index: Int) -> [UInt8] {
    guard !values.isEmpty else { return [] }
    return values[repeats ? index % values.count : min(index, values.count - 1)]
  }

  /// Whether there is no value at this place.
  func isOver(at index: Int) -> Bool { values.isEmpty || !repeats && index >= values.count }
}
