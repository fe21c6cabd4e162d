// What a characteristic does.
//
// Data and pure functions: when a value is due and what it is. Who asks is DeviceState.

/// What the value of a characteristic is, and what a write to it does.
///
/// Counters and waves are functions of time since the device's start, so that reads without a
/// subscription see them move too. A series begins with each subscription.
public indirect enum Behaviour: Sendable, Hashable {
  /// A value that stays until it is written over.
  case constant([UInt8])
  /// A number that steps with time or with each read.
  case counter(Counter)
  /// Numbers that rise and fall.
  case wave(Wave)
  /// What is written is kept, read back, and notified to a subscriber.
  case echo
  /// Values that follow each other.
  case series(Series)
  /// A control point, which answers writes.
  case response(Response)
  /// Random numbers.
  case noise(Noise)

  /// The time between two values that a subscriber gets; nil: none come by themselves, or not
  /// evenly.
  public var every: Duration? {
    switch self {
    case .counter(let counter): counter.every
    case .wave(let wave): wave.every
    case .series(let series): series.every
    case .noise(let noise): noise.every
    case .constant, .echo, .response: nil
    }
  }

  /// The time before a subscriber's value of this number, counted from 0, since the one before it
  /// or the subscription; nil: it does not come by itself.
  func delay(before tick: Int) -> Duration? {
    if case .series(let series) = self, !series.times.isEmpty { return series.delay(before: tick) }
    guard let every, every > .zero else { return nil }
    return tick == 0 && beginsAtOnce ? .zero : every
  }

  /// Whether a subscriber gets a value at once, rather than after the first period.
  public var beginsAtOnce: Bool {
    switch self {
    case .counter(let counter): counter.beginsAtOnce
    case .wave(let wave): wave.beginsAtOnce
    case .series(let series): series.beginsAtOnce
    case .noise(let noise): noise.beginsAtOnce
    case .constant, .echo, .response: false
    }
  }

  /// Whether the value comes from a rule, and no write changes it.
  public var isMoving: Bool {
    switch self {
    case .counter, .wave, .series, .noise: true
    case .constant, .echo, .response: false
    }
  }

  /// The value that stands before anything is written.
  var initialValue: [UInt8] {
    switch self {
    case .constant(let octets): octets
    case .response(let response): response.initial
    case .counter, .wave, .echo, .series, .noise: []
    }
  }
}

extension Duration {
  /// How many whole periods lie in this duration; 0 for no period.
  func periods(of period: Duration) -> Int {
    period > .zero ? Int(clamping: attoseconds / period.attoseconds) : 0
  }
}
