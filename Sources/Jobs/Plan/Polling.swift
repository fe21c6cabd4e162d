// Reading at a fixed interval, in a chain.

public import Bluetooth

/// A characteristic that is read at a fixed interval.
public struct Polling: Hashable, Sendable {
  /// The characteristic that is read.
  public var target: CharacteristicSelector
  /// The format of values without a specification.
  public var format: ValueFormat?
  /// The interval between the starts of two reads. A read that takes longer does not delay later
  /// ones: the reads that it overlaps are skipped.
  public var period: Duration
  /// When the step stops.
  public var stop: StopConditions

  /// Reads at a fixed interval until a stop condition is met.
  ///
  /// ```swift
  /// let level = Polling("battery-level", every: .seconds(10), StopConditions(count: 6))
  /// let step = Step(.poll(level))
  /// ```
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
