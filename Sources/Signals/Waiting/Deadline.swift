// Limits on work, as that work sees them.

/// The deadline that is carried down to the present work.
public enum Deadline {
  /// The earliest instant by which the present work has to end; nil when nothing limits it.
  public static var current: Instant? { Carried.current?.earliest }
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
    operation: String,
    after: Duration?,
    limitOf: String? = nil,
    holder: TurnHolder? = nil
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

  /// The same without what was being waited for, where that explains nothing.
  var ofItsLimit: TimedOut {
    TimedOut(operation: limitOf ?? operation, after: after, limitOf: limitOf, holder: holder)
  }

  /// The same, where what was waited for is a turn.
  func waiting(for holder: TurnHolder?) -> TimedOut {
    TimedOut(
      operation: operation,
      after: after,
      limitOf: limitOf,
      holder: self.holder ?? holder
    )
  }
}
