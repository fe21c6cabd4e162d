// Reading at a fixed interval, in a chain.

public import Bluetooth

/// A characteristic that is read at a fixed interval.
public struct Polling: Hashable, Sendable {
  public var target: CharacteristicSelector
  public var format: ValueFormat?
  /// The interval between the starts of two reads. A read that takes longer does not delay later
  /// ones: the reads that it overlaps are skipped.
  public var period: Duration
  public var stop: StopConditions

  public init(
    _ target: CharacteristicSelector,
    every period: Duration,
    format: ValueFormat? = nil,
    _ stop: StopConditions
  ) {
    self.target = target
    self.format = format
    self.period = period
    self.stop = stop
  }

  /// Its expected duration; nil when it is unknown.
  var length: Duration? {
    stop.duration ?? stop.count.map { period * ($0 - 1) }
  }
}
