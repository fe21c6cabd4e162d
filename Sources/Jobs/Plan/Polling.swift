// Reading at fixed times, as a chain says it.

public import Bluetooth

/// A characteristic that is read again and again.
public struct Polling: Hashable, Sendable {
  public var target: CharacteristicSelector
  public var format: ValueFormat?
  /// From the beginning of one read to that of the next. A read that takes longer delays none: what
  /// it missed is left out.
  public var period: Duration
  public var enough: Enough

  public init(
    _ target: CharacteristicSelector,
    every period: Duration,
    format: ValueFormat? = nil,
    _ enough: Enough
  ) {
    self.target = target
    self.format = format
    self.period = period
    self.enough = enough
  }

  /// How long it takes by itself; nil when that cannot be known.
  var length: Duration? {
    enough.duration ?? enough.count.map { period * ($0 - 1) }
  }
}
