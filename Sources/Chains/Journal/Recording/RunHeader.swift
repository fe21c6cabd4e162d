// The facts about a run that are known before it begins.

import RunEvents

/// A row of `runs`.
public struct RunHeader: Hashable, Sendable {
  /// The identity of the run, as output has it.
  public var identity: String
  /// `run`, `batch` or `suite`.
  public var command: String
  /// The plan, as a dry run prints it.
  public var definition: String
  public var seed: UInt64
  public var isSimulated: Bool
  /// The process that runs it, to find out whether it is still alive; nil for a simulated run,
  /// whose journal repeats.
  public var owner: String?
  /// The version of blerun.
  public var version: String
  /// The start, since 1970-01-01T00:00:00Z.
  public var started: Duration
  /// The batch of the run; nil outside a batch.
  public var batch: BatchOrigin?

  public init(
    identity: String, command: String, definition: String, seed: UInt64, isSimulated: Bool,
    owner: String?, version: String, started: Duration, batch: BatchOrigin? = nil
  ) {
    self.identity = identity
    self.command = command
    self.definition = definition
    self.seed = seed
    self.isSimulated = isSimulated
    self.owner = owner
    self.version = version
    self.started = started
    self.batch = batch
  }

  var startedText: String { Timestamp.text(started) }
}
