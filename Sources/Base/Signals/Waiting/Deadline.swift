// Limits on work, as that work sees them.

import Synchronization

/// A limit on work, which cancels it; a wait that it cuts short fails with ``TimedOut``.
package final class Deadline: Sendable {
  private enum State: UInt8, AtomicRepresentable { case runs, hasPassed, isOver }

  let limit: Duration
  /// Whose limit it is, for the error.
  let name: String
  private let loop: Loop
  let instant: Instant
  private let outer: Deadline?
  private let state = Atomic(State.runs)

  /// - Parameters:
  ///   - loop: Whose clock measures the limit.
  ///   - outer: The deadline that holds as well.
  init(_ limit: Duration, of name: String, on loop: Loop, inside outer: Deadline? = nil) {
    self.limit = limit
    self.name = name
    self.loop = loop
    self.outer = outer
    instant = loop.now + limit
  }

  /// Marks the limit as passed, unless the work is over.
  func expire() {
    _ = state.compareExchange(
      expected: .runs, desired: .hasPassed, ordering: .acquiringAndReleasing
    )
  }

  /// The work is over.
  func end() {
    _ = state.compareExchange(expected: .runs, desired: .isOver, ordering: .acquiringAndReleasing)
  }

  /// Whether this limit has passed.
  var hasPassed: Bool { state.load(ordering: .acquiring) == .hasPassed }

  /// Whether the work is over, in one way or the other.
  var isOver: Bool { state.load(ordering: .acquiring) != .runs }

  /// The innermost limit that has passed, this one or one around it.
  var passed: Deadline? { hasPassed ? self : outer?.passed }

  /// The earliest instant of the deadlines here and around, on `clock`.
  private func earliest(on clock: Loop) -> Instant {
    // Instants of two loops are compared by what is left until they come.
    let own = loop === clock ? instant : clock.now + (instant - loop.now)
    return outer.map { min(own, $0.earliest(on: clock)) } ?? own
  }

  /// The earliest instant by which the present work has to end; nil when nothing limits it.
  package static var current: Instant? {
    guard let run = Run.current else { return nil }
    return run.deadline?.earliest(on: run.loop)
  }
}

/// A wait, or a whole signal, did not end within its limit.
public struct TimedOut: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was being waited for when the limit passed.
  public let operation: String
  /// The limit that passed.
  public let after: Duration?
  /// Whose limit it was: `firstOrDefault`, or the name given to `timeout`; nil for the limit of the
  /// operation itself.
  public let limitOf: String?
  /// Who had the turn that was waited for; nil when the wait was for something else.
  public let holder: TurnHolder?

  /// The error of a wait for `operation` that took longer than `after`.
  public init(
    operation: String, after: Duration?, limitOf: String? = nil, holder: TurnHolder? = nil
  ) {
    self.operation = operation
    self.after = after
    self.limitOf = limitOf
    self.holder = holder
  }

  /// What took too long, how long it was allowed to take, and who held it up.
  public var description: String {
    var text = operation + (after.map { " did not end within \($0)" } ?? " ran out of time")
    if after != nil, let limitOf, limitOf != operation { text += ", the limit of \(limitOf)" }
    if let holder { text += ": \(holder)" }
    return text
  }

  /// The wait of a consumer for a value of its producer.
  static var waiting: String { "waiting for a value" }
  /// The wait of a producer for its consumer.
  static var sending: String { "handing on a value" }

  /// What to report of a consumer whose wait for a value ended so, and whose producers have failed so
  /// since.
  ///
  /// A producer's own failure names the operation that took too long. When its value was on the way
  /// at that instant, or its next operation had not begun, no operation is to blame, and the error names
  /// whose limit it was.
  func explained(by producers: [any Error]) -> any Error {
    let own = producers.first { error in
      !(error is CancellationError) && (error as? TimedOut)?.operation != Self.sending
    }
    return own
      ?? TimedOut(operation: limitOf ?? operation, after: after, limitOf: limitOf, holder: holder)
  }

  /// The same, where what was waited for is a turn.
  func waiting(for holder: TurnHolder?) -> TimedOut {
    TimedOut(operation: operation, after: after, limitOf: limitOf, holder: self.holder ?? holder)
  }
}
