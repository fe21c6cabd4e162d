// Deadlines of work, nested, and the error of a wait that one of them ends.
//
// A deadline only marks itself as passed; the timer that owns it cancels the work.

import Synchronization

/// A deadline of a piece of work. A wait that it cuts short fails with ``TimedOut``.
package final class Deadline: Sendable {
  private enum State: UInt8, AtomicRepresentable { case runs, hasPassed, isOver }

  let limit: Duration
  /// The owner of the limit, for the error: `firstOrDefault`.
  let name: String
  private let loop: Loop
  let instant: Instant
  private let outer: Deadline?
  private let state = Atomic(State.runs)
  /// The latest failure of the work.
  private let failure = Guarded<(any Error)?>(nil)

  /// - Parameters:
  ///   - loop: The loop whose clock measures the limit.
  ///   - outer: The enclosing deadline, which stays in force.
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

  /// Marks the work as ended, so that the limit can no longer pass.
  func end() {
    _ = state.compareExchange(expected: .runs, desired: .isOver, ordering: .acquiringAndReleasing)
  }

  /// Records a failure of the work before its clean-up runs, so that a blocked caller that returns
  /// at the limit gets the error that it would get after the clean-up. `Stopped` says that the
  /// caller has its value, and is final.
  ///
  /// - Parameter error: nil when the work goes on without a failure.
  func note(_ error: (any Error)?) {
    failure.withLock { present in
      if let present, Stopped.isThrown(present) { return }
      present = error
    }
    outer?.note(error)
  }

  /// The latest failure that was recorded.
  var notedFailure: (any Error)? { failure.withLock { $0 } }

  /// Whether this limit has passed.
  var hasPassed: Bool { state.load(ordering: .acquiring) == .hasPassed }

  /// Whether the work has ended or its limit has passed.
  var isOver: Bool { state.load(ordering: .acquiring) != .runs }

  /// The innermost limit that has passed: this one or an enclosing one.
  var passed: Deadline? { hasPassed ? self : outer?.passed }

  /// The earliest instant of this deadline and the enclosing ones, on `clock`.
  private func earliest(on clock: Loop) -> Instant {
    // Instants of different loops are not comparable; the remaining times are.
    let own = loop === clock ? instant : clock.now + (instant - loop.now)
    return outer.map { min(own, $0.earliest(on: clock)) } ?? own
  }

  /// The instant by which the current work must end; nil without a deadline.
  package static var current: Instant? {
    guard let context = TaskContext.current else { return nil }
    return context.deadline?.earliest(on: context.loop)
  }
}

/// A wait, or a whole signal, did not end within its limit.
public struct TimedOut: Error, Hashable, Sendable, CustomStringConvertible {
  /// The wait that was under way when the limit passed: "reading battery-level".
  public let operation: String
  /// The limit that passed.
  public let after: Duration?
  /// The owner of the limit: `firstOrDefault`, or the name given to `timeout`; nil for the limit of
  /// the operation itself.
  public let limitOf: String?
  /// The holder of the turn that was waited for; nil if the wait was not for a turn.
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

  /// The operation, its limit, and the holder of the turn that it waited for.
  public var description: String {
    var text = operation + (after.map { " did not end within \($0)" } ?? " ran out of time")
    if after != nil, let limitOf, limitOf != operation { text += ", the limit of \(limitOf)" }
    if let holder { text += ": \(holder)" }
    return text
  }

  /// The operation of a consumer that waits for a value from its producer.
  static var waiting: String { "waiting for a value" }
  /// The operation of a producer that waits for its consumer to handle a value.
  static var sending: String { "handing on a value" }

  /// Picks the error to report when a consumer timed out waiting for a value: the producer's own
  /// failure, if there is one.
  ///
  /// The producer's failure names the operation that took too long. There is none if the value was
  /// already on its way when the limit passed, or the producer's next operation had not begun; the
  /// error then names the owner of the limit.
  func explained(by producers: [any Error]) -> any Error {
    let own = producers.first { error in
      !(error is CancellationError) && (error as? TimedOut)?.operation != Self.sending
    }
    return own
      ?? TimedOut(operation: limitOf ?? operation, after: after, limitOf: limitOf, holder: holder)
  }

  /// The error with the holder of the turn that was waited for.
  func addingHolder(_ holder: TurnHolder?) -> TimedOut {
    TimedOut(operation: operation, after: after, limitOf: limitOf, holder: self.holder ?? holder)
  }
}
