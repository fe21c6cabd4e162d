// Counts the values that a connection carried in one direction.
//
// A pure value: it is given values with their times, and measures.

import Bluetooth
import Signals

/// The values of one direction, with their number, their bytes and the gaps in their numbers.
struct CarriedValues: Sendable {
  private(set) var count = 0
  private(set) var octets = 0
  /// The number of values that are missing between those that arrived.
  private(set) var lost = 0
  /// The number of values whose number did not increase.
  private(set) var repeated = 0
  private var number: Int128?
  private var begun: Instant?
  private var ended: Instant?
  private var isFinished = false
  /// The time and the bytes at the end of the last window.
  private var reported: (at: Instant, octets: Int)?

  /// Begins, once values can be carried.
  mutating func begin(at now: Instant) {
    begun = now
    reported = (now, octets)
  }

  /// Adds values that were carried by `now`.
  mutating func add(octets: Int, count: Int = 1, at now: Instant) {
    self.octets += octets
    self.count += count
    ended = max(ended ?? now, now)
  }

  /// Compares the number in a value with that of the value before.
  mutating func follow(_ next: Int128, by rule: CounterRule) {
    defer { number = next }
    guard let number else { return }
    if let missing = rule.missing(from: number, to: next) { lost += missing } else { repeated += 1 }
  }

  /// Ends the measurement at the first call.
  ///
  /// - Parameter now: The end; nil: that of the last value.
  mutating func finish(at now: Instant? = nil) {
    guard !isFinished else { return }
    isFinished = true
    ended = now ?? ended
  }

  /// The time from the beginning to the end; nil before the beginning.
  ///
  /// - Parameter now: The end, unless there is one.
  func elapsed(at now: Instant) -> Duration? { begun.map { (ended ?? now) - $0 } }

  /// The bytes per second; nil if no time has passed.
  func rate(at now: Instant) -> Double? {
    elapsed(at: now).flatMap { Self.rate(octets, in: $0) }
  }

  /// The part of the values that is lost, in percent; nil without values.
  var loss: Double? {
    count + lost > 0 ? 100 * Double(lost) / Double(count + lost) : nil
  }

  /// Ends a window.
  ///
  /// - Returns: The bytes per second in it, up to the end; nil if no time has passed.
  mutating func windowRate(at now: Instant) -> Double? {
    let now = isFinished ? ended ?? now : now
    guard let last = reported, now > last.at else { return nil }
    reported = (now, octets)
    return Self.rate(octets - last.octets, in: now - last.at)
  }

  private static func rate(_ octets: Int, in time: Duration) -> Double? {
    time > .zero ? Double(octets) / time.seconds : nil
  }
}
