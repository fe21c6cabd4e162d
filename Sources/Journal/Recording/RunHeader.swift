// What is known of a run before it begins.

import Jobs

/// What a journal says of a run as a whole.
public struct RunHeader: Hashable, Sendable {
  /// The identity that its output has.
  public var identity: String
  /// `run`, `batch` or `suite`.
  public var command: String
  /// What was to be done, as a dry run prints it.
  public var definition: String
  public var seed: UInt64
  public var isSimulated: Bool
  /// Which process it is, for who wants to know whether it is still there; nil for a simulated run,
  /// whose journal repeats.
  public var owner: String?
  /// The version of blerun.
  public var version: String
  /// Since 1970-01-01T00:00:00Z.
  public var started: Duration
  /// The batch that it is a run of; nil for other runs.
  public var batch: BatchOrigin?

  public init(
    identity: String,
    command: String,
    definition: String,
    seed: UInt64,
    isSimulated: Bool,
    owner: String?,
    version: String,
    started: Duration,
    batch: BatchOrigin? = nil
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
