// The batch that a run belongs to.

/// A row of `batches`.
public struct BatchOrigin: Hashable, Sendable {
  /// The absolute path of the file.
  public var file: String
  /// The name of the batch, if it has one.
  public var name: String?
  /// A digest of the steps and devices: another digest means another batch.
  public var digest: String
  /// The ordinal of the round, from 1.
  public var round: Int

  public init(file: String, name: String?, digest: String, round: Int) {
    self.file = file
    self.name = name
    self.digest = digest
    self.round = round
  }
}

/// A device of a run of a batch, whether its chain begins or not.
public struct BatchMember: Hashable, Sendable {
  /// The device, as the run names it.
  public let device: String
  /// The name that it advertised when a scan found it.
  public let name: String?

  public init(device: String, name: String?) {
    self.device = device
    self.name = name
  }
}

/// A process that resumes a run.
public struct RunTakeover: Hashable, Sendable {
  /// The owner that was read before. If the run has another owner by now, it is not taken over.
  public var former: String?
  /// The new owner; nil for a simulated run.
  public var owner: String?
  /// The version of blerun.
  public var version: String
  /// The time since 1970-01-01T00:00:00Z.
  public var started: Duration

  public init(former: String?, owner: String?, version: String, started: Duration) {
    self.former = former
    self.owner = owner
    self.version = version
    self.started = started
  }
}
