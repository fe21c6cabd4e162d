// Errors of turns. The errors of the work done in them are elsewhere.

/// An operation was running, or began, after its turn had ended.
///
/// A turn ends with all work that was begun in it: running operations are cancelled, and later ones
/// fail with this error.
public struct TurnEnded: Error, Equatable, Sendable, CustomStringConvertible {
  /// The operation: "reading".
  public let operation: String
  /// The name of the turn's scheduler.
  public let scheduler: String

  /// The error of an operation whose turn has ended.
  public init(operation: String, scheduler: String) {
    self.operation = operation
    self.scheduler = scheduler
  }

  /// The failure and its remedy.
  public var description: String {
    "\(operation) belongs to a turn of '\(scheduler)' that has ended: "
      + "await it before the turn's work returns, or give it a turn of its own with Loop.task"
  }
}

/// A run that has the turn of one scheduler reached an operation of another.
///
/// It fails at once. A run that holds a turn never waits for another one, so turns cannot deadlock.
public struct OtherScheduler: Error, Equatable, Sendable, CustomStringConvertible {
  /// The operation: "reading".
  public let operation: String
  /// The scheduler whose turn the run has acquired or requested.
  public let present: String
  /// The scheduler that the operation belongs to.
  public let wanted: String

  /// The error of an operation of `wanted` in a turn of `present`.
  public init(operation: String, present: String, wanted: String) {
    self.operation = operation
    self.present = present
    self.wanted = wanted
  }

  /// The failure and its remedy.
  public var description: String {
    "\(operation) belongs to scheduler '\(wanted)', and this run has the turn of '\(present)': "
      + "put both devices on one scheduler, or make two runs of it"
  }
}

/// A run on another loop reached an operation on a virtual loop.
///
/// Virtual time passes only while a thread drives its loop, and none would drive it here.
public struct LoopNotDriven: Error, Equatable, Sendable, CustomStringConvertible {
  /// The operation: "reading".
  public let operation: String
  /// The name of the scheduler on the virtual loop.
  public let scheduler: String

  /// The error of an operation whose scheduler is on a virtual loop that no thread drives.
  public init(operation: String, scheduler: String) {
    self.operation = operation
    self.scheduler = scheduler
  }

  /// The failure and its remedy.
  public var description: String {
    "\(operation) needs the virtual loop of '\(scheduler)', which no thread drives for this run: "
      + "begin the run there with .on(scheduler) and a blocking call, or with Loop.run or Loop.task; "
      + "async code elsewhere needs a loop of real time, as of SimulatedWorld(…, time: .real)"
  }
}

/// A resource could not be released.
public struct CleanUpFailure: Error, Sendable, CustomStringConvertible {
  /// The resource.
  public let what: String
  /// The error of its release.
  public let error: any Error

  /// The failure of the release of `what`.
  public init(what: String, error: any Error) {
    self.what = what
    self.error = error
  }

  /// The resource and the error.
  public var description: String { "releasing \(what): \(error)" }
}

/// A failure whose clean-up failed as well, or work that succeeded but could not be cleaned up.
public struct FailedWithCleanUp: Error, Sendable, CustomStringConvertible {
  /// The first cause; nil when only the clean-up failed.
  public let cause: (any Error)?
  /// The failed releases.
  public let cleanUp: [CleanUpFailure]

  /// The failure with its cause and the failed releases.
  public init(cause: (any Error)?, cleanUp: [CleanUpFailure]) {
    self.cause = cause
    self.cleanUp = cleanUp
  }

  /// The cause, then the failed releases.
  public var description: String {
    let released = cleanUp.map(\.description).joined(separator: "; ")
    guard let cause else { return released }
    return "\(cause) (and \(released))"
  }
}

extension Result where Failure == any Error {
  /// The result of work whose clean-up failed, too; this result without such failures.
  package func adding(_ cleanUp: [CleanUpFailure]) -> Result {
    guard !cleanUp.isEmpty else { return self }
    switch self {
    case .success: return .failure(FailedWithCleanUp(cause: nil, cleanUp: cleanUp))
    case .failure(let cause):
      // A consumer that stopped early is not a failure: only the clean-up failed.
      let failed = Stopped.isThrown(cause) ? nil : cause
      return .failure(FailedWithCleanUp(cause: failed, cleanUp: cleanUp))
    }
  }
}
