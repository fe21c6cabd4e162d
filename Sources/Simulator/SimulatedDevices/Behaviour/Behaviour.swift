// What a characteristic does.
//
// Data and pure functions: when a value is due and what it is. Who asks is CharacteristicState.

import Signals

/// What the value of a characteristic is, and what a write to it does.
public indirect enum Behaviour: Sendable, Hashable {
  /// A value that stays until it is written over.
  case constant([UInt8])
  /// What is written is kept, read back, and notified to a subscriber.
  case echo
  /// A control point, which answers writes.
  case response(Response)
  /// A value that comes from a rule, and that no write changes: `.counter(…)`, `.wave(…)`,
  /// `.noise(…)` and `.series(…)` make one.
  case moving(Movement)

  /// Whether the value comes from a rule, and no write changes it.
  public var isMoving: Bool { moving != nil }

  var moving: (any MovingValue)? {
    if case .moving(let movement) = self { movement.value } else { nil }
  }

  /// The value that stands before anything is written.
  var initialValue: [UInt8] {
    switch self {
    case .constant(let octets): octets
    case .response(let response): response.initial
    case .echo, .moving: []
    }
  }

  /// All that a file may give a characteristic, in the order of the documentation.
  static let inFiles = [Counter.key, Wave.key, Noise.key, echoKey, Series.key, Response.key]

  private static let echoKey = BehaviourKey(
    "echo",
    .yes,
    "stores what is written, returns it in reads, and notifies it"
  ) { _ in .echo }
}

/// A rule for a value: a ``Counter``, a ``Wave``, ``Noise`` or a ``Series``.
public struct Movement: Sendable, Hashable {
  let value: any MovingValue

  init(_ value: some MovingValue) { self.value = value }

  public static func == (left: Movement, right: Movement) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(value)) }
}

/// A value that changes by itself, in steps that are counted from 0.
///
/// Most steps are those of time since the device's start, so that reads without a subscription see
/// the value move too.
protocol MovingValue: Sendable, Hashable {
  /// The time of a step; nil: each read steps, or the steps are not even.
  var interval: Duration? { get }
  /// Whether a subscriber gets the present value at once, rather than after the first step.
  var beginsAtOnce: Bool { get }
  /// The value after so many steps.
  ///
  /// - Parameter generator: The characteristic's own; the same for every step.
  func value(step: Int, generator: SeededGenerator) -> [UInt8]
  /// Whether nothing new comes at this step or after.
  func isOver(step: Int) -> Bool
  /// The step that it has come to, so long after the device's start, after so many values to the
  /// present subscriber and so many reads.
  func step(elapsed: Duration, ticks: Int, reads: Int) -> Int
  /// The time before a subscriber's value of this number, counted from 0, since the one before it
  /// or the subscription; nil: it does not come by itself.
  ///
  /// - Parameter generator: The characteristic's own; the same for every value.
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
  /// How many whole periods lie in this duration; 0 for no period.
  func periods(of period: Duration) -> Int {
    period > .zero ? Int(clamping: attoseconds / period.attoseconds) : 0
  }
}
