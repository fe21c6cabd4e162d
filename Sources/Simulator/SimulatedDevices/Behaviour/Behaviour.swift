// The behaviour of a characteristic's value.
//
// Data and pure functions: when a value is due, and which one. CharacteristicState calls them.

import Signals

/// The source of a characteristic's value, and the effect of a write.
public indirect enum Behaviour: Sendable, Hashable {
  /// A value that changes only when it is written.
  case constant([UInt8])
  /// A written value is stored, returned by reads, and notified to the subscriber.
  case echo
  /// A control point: responds to writes.
  case response(Response)
  /// A generated value, which writes do not change. `.counter(…)`, `.wave(…)`, `.noise(…)` and
  /// `.series(…)` create one.
  case moving(Movement)

  /// True if the value is generated, and not changed by writes.
  public var isMoving: Bool { moving != nil }

  var moving: (any MovingValue)? {
    if case .moving(let movement) = self { movement.value } else { nil }
  }

  /// The value before the first write.
  var initialValue: [UInt8] {
    switch self {
    case .constant(let octets): octets
    case .response(let response): response.initial
    case .echo, .moving: []
    }
  }

  /// The kinds of behaviour in device files, in the order of the documentation.
  static let inFiles = [Counter.key, Wave.key, Noise.key, echoKey, Series.key, Response.key]

  private static let echoKey = BehaviourKey(
    "echo",
    .yes,
    "stores what is written, returns it in reads, and notifies it"
  ) { _ in .echo }
}

/// A generator of values: a ``Counter``, a ``Wave``, ``Noise`` or a ``Series``.
public struct Movement: Sendable, Hashable {
  let value: any MovingValue

  init(_ value: some MovingValue) { self.value = value }

  public static func == (left: Movement, right: Movement) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(value)) }
}

/// A generated value, in steps counted from 0.
///
/// Most generators derive the step from the time since the device's start, so that the value also
/// changes between reads without a subscription.
protocol MovingValue: Sendable, Hashable {
  /// The duration of a step; nil: steps are uneven, or each read is a step.
  var interval: Duration? { get }
  /// Whether a subscriber receives the current value at once rather than after the first step.
  var beginsAtOnce: Bool { get }
  /// The value of a step.
  ///
  /// - Parameter generator: The characteristic's own generator, identical for every step.
  func value(step: Int, generator: SeededGenerator) -> [UInt8]
  /// True if no new value follows at this step or later.
  func isOver(step: Int) -> Bool
  /// The current step, from the time since the device's start, the number of values sent to the
  /// current subscriber, and the number of reads.
  func step(elapsed: Duration, ticks: Int, reads: Int) -> Int
  /// The time from the previous value, or from the subscription, to the subscriber's value of this
  /// number, counted from 0; nil: no value is sent by itself.
  ///
  /// - Parameter generator: The characteristic's own generator, identical for every value.
  func delay(before tick: Int, generator: SeededGenerator) -> Duration?
}

extension MovingValue {
  func isOver(step: Int) -> Bool { false }

  func step(elapsed: Duration, ticks: Int, reads: Int) -> Int {
    interval.map(elapsed.periods(of:)) ?? reads
  }

  func delay(before tick: Int, generator: SeededGenerator) -> Duration? {
    evenDelay(before: tick)
  }

  func evenDelay(before tick: Int) -> Duration? {
    guard let interval, interval > .zero else { return nil }
    return tick == 0 && beginsAtOnce ? .zero : interval
  }
}

extension Duration {
  /// The number of whole periods in this duration; 0 for a period of 0.
  func periods(of period: Duration) -> Int {
    period > .zero ? Int(clamping: attoseconds / period.attoseconds) : 0
  }
}
