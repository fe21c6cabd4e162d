// When something runs again. Pure: the caller passes times.

import Signals

/// The times at which runs begin.
public struct Schedule: Hashable, Sendable, CustomStringConvertible {
  /// When a batch begins again.
  public enum Rule: Hashable, Sendable {
    /// At once, and then at this interval after each due time, however long the runs take.
    case every(Duration)
    /// At the minutes that match, in UTC; not at once.
    case cron(CronRule)
  }

  /// When the batch begins again.
  public let rule: Rule
  /// Each beginning is delayed by a random part of this, drawn from the seed.
  public let jitter: Duration

  /// A schedule, with a random delay of at most `jitter`.
  ///
  /// ```swift
  /// var batch = try Batch.load(path: "fleet.yaml")
  /// batch.schedule = Schedule(.every(.seconds(900)), jitter: .seconds(30))
  /// ```
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

/// The beginnings of one schedule, in order.
///
/// Runs do not overlap: a time that passes during a run is skipped.
public struct ScheduleTimes: Sendable {
  /// A beginning.
  public struct Beginning: Hashable, Sendable {
    /// Its time with the delay, since 1970-01-01T00:00:00Z.
    public let time: Duration
    /// The number of earlier beginnings that were skipped.
    public let missed: Int
  }

  private let schedule: Schedule
  private let generator: SeededGenerator
  /// The last due time, without the delay.
  private var due: Duration?
  /// The number of due times so far.
  private var count = 0

  /// The times of a schedule.
  ///
  /// - Parameters:
  ///   - schedule: When runs begin.
  ///   - seed: The seed of the delays.
  public init(_ schedule: Schedule, seed: UInt64) {
    self.schedule = schedule
    generator = SeededGenerator(seed: seed, name: "schedule")
  }

  /// The next beginning that is not before `now`, and was not returned before.
  ///
  /// ```swift
  /// var times = ScheduleTimes(Schedule(.every(.seconds(60))), seed: 1)
  /// print(times.next(now: .seconds(1000))?.time ?? .zero)  // 1000 s: an interval begins at once
  /// ```
  ///
  /// - Parameter now: Since 1970-01-01T00:00:00Z. When it jumps back, due times stay due.
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

  /// Skips many missed times at once: after a long suspension there may be very many.
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
