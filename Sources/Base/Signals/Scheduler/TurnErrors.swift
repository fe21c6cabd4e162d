// What can go wrong with turns, as opposed to the work that is done in them.

/// Something that a run began was still at work, or began to work, when the run's turn had ended.
///
/// A turn ends with everything that was begun in it: operations that still run are cancelled, and
/// later ones fail with this error.
public struct TurnEnded: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was to be done.
  public let operation: String
  /// The name of the turn's scheduler.
  public let scheduler: String

  /// The error of an operation whose turn has ended.
  public init(operation: String, scheduler: String) {
    self.operation = operation
    self.scheduler = scheduler
  }

  /// What went wrong, and what to do about it.
  public var description: String {
    "\(operation) belongs to a turn of '\(scheduler)' that has ended: "
      + "await it before the turn's work returns, or give it a turn of its own with Loop.task"
  }
}

/// A run that has the turn of one scheduler reached an operation of another.
///
/// It fails at once: nobody who holds a turn waits for another, so no two runs wait for each other.
public struct OtherScheduler: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was to be done.
  public let operation: String
  /// The scheduler whose turn the run has, or has asked for.
  public let present: String
  /// The scheduler that the operation belongs to.
  public let wanted: String

  /// The error of an operation of `wanted` in a turn of `present`.
  public init(operation: String, present: String, wanted: String) {
    self.operation = operation
    self.present = present
    self.wanted = wanted
  }

  /// What went wrong, and what to do about it.
  public var description: String {
    "\(operation) belongs to scheduler '\(wanted)', and this run has the turn of '\(present)': "
      + "put both devices on one scheduler, or make two runs of it"
  }
}

/// An operation on a virtual loop was reached by a run that does not run on that loop.
///
/// Virtual time passes only while its loop is driven, and nobody would drive it here.
public struct LoopNotDriven: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was to be done.
  public let operation: String
  /// The name of the scheduler on the virtual loop.
  public let scheduler: String

  /// The error of an operation whose scheduler is on a virtual loop that nobody drives.
  public init(operation: String, scheduler: String) {
    self.operation = operation
    self.scheduler = scheduler
  }

  /// What went wrong, and what to do about it.
  public var description: String {
    "\(operation) needs the virtual loop of '\(scheduler)', which nobody drives for this run: "
      + "begin the run there with .on(scheduler) and a blocking call, or with Loop.run or Loop.task; "
      + "async code elsewhere needs a loop of real time, as of SimulatedWorld(…, time: .real)"
  }
}

/// Something that could not be released.
public struct CleanUpFailure: Error, Sendable, CustomStringConvertible {
  /// What was to be released.
  public let what: String
  /// Why it could not be.
  public let error: any Error

  /// The failure of the release of `what`.
  public init(what: String, error: any Error) {
    self.what = what
    self.error = error
  }

  /// What could not be released, and why.
  public var description: String { "releasing \(what): \(error)" }
}

/// A failure whose clean-up failed as well, or work that succeeded but could not be cleaned up.
public struct FailedWithCleanUp: Error, Sendable, CustomStringConvertible {
  /// The first cause; nil when only the clean-up failed.
  public let cause: (any Error)?
  /// What could not be released.
  public let cleanUp: [CleanUpFailure]

  /// The failure with what it was caused by, and what could not be released.
  public init(cause: (any Error)?, cleanUp: [CleanUpFailure]) {
    self.cause = cause
    self.cleanUp = cleanUp
  }

  /// The cause, then what could not be released.
  public var description: String {
    let released = cleanUp.map(\.description).joined(separator: "; ")
    guard let cause else { return released }
    return "\(cause) (and \(released))"
  }
}
