// When something is run again: pure, from times to times.

import Signals

/// Times at which a run begins.
public struct Schedule: Hashable, Sendable, CustomStringConvertible {
  public enum Rule: Hashable, Sendable {
    /// At once, and then so long after each beginning that was due, however long the runs take.
    case every(Duration)
    /// At the minutes that fit, in UTC; not at once.
    case cron(CronRule)
  }

  public let rule: Rule
  /// Each beginning is put off by a part of this, drawn from the seed.
  public let jitter: Duration

  public init(_ rule: Rule, jitter: Duration = .zero) {
    self.rule = rule
    self.jitter = jitter
  }

  public var description: String {
    let times =
      switch rule {
      case .every(let interval): "every \(interval.written)"
      case .cron(let rule): "\(rule), UTC"
      }
    return jitter > .zero ? "\(times), up to \(jitter.written) later" : times
  }
}

/// The beginnings of one schedule, one after the other.
///
/// Runs do not overlap: a time that comes while a run is under way is missed, not made up for.
public struct ScheduleTimes: Sendable {
  /// A beginning.
  public struct Beginning: Hashable, Sendable {
    /// When it is, since 1970-01-01T00:00:00Z, put off included.
    public let time: Duration
    /// How many beginnings before it came too early.
    public let missed: Int
  }

  private let schedule: Schedule
  private let generator: SeededGenerator
  /// The time that was due last, not put off.
  private var due: Duration?
  /// How many were due.
  private var count = 0

  /// - Parameter seed: What the delays are drawn from.
  public init(_ schedule: Schedule, seed: UInt64) {
    self.schedule = schedule
    generator = SeededGenerator(seed: seed, name: "schedule")
  }

  /// The first beginning that is not over at `now`, which was not given before.
  ///
  /// - Parameter now: Since 1970-01-01T00:00:00Z. When it jumps back, what was due stays due.
  /// - Returns: Nil when the schedule has no more times.
  public mutating func next(now: Duration) -> Beginning? {
    var missed = skipFar(now)
    while let next = following(now) {
      due = next
      count += 1
      let time = next + delay()
      if time >= now { return Beginning(time: time, missed: missed) }
      missed += 1
    }
    return nil
  }

  /// Passes over what was missed while nobody looked: after a long suspension there is much of it.
  private mutating func skipFar(_ now: Duration) -> Int {
    guard case .every(let interval) = schedule.rule, let last = due else { return 0 }
    let passed = Int64((now - schedule.jitter - last) / interval) - 1
    guard passed > 0 else { return 0 }
    due = last + interval * Int(passed)
    count += Int(passed)
    return Int(passed)
  }

  private func following(_ now: Duration) -> Duration? {
    switch schedule.rule {
    case .every(let interval): due.map { $0 + interval } ?? now
    case .cron(let rule): rule.next(after: due ?? now)
    }
  }

  private func delay() -> Duration {
    guard schedule.jitter > .zero else { return .zero }
    var own = generator.split("\(count)")
    return .microseconds(Int64.random(in: 0...schedule.jitter.wholeMicroseconds, using: &own))
  }
}
