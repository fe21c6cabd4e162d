// Which batch a run belongs to.

/// What a journal says of the batch that a run is of.
public struct BatchOrigin: Hashable, Sendable {
  /// The whole path of its file.
  public var file: String
  /// What it is called, for people.
  public var name: String?
  /// What it does, on which devices, in short: another digest, another batch.
  public var digest: String
  /// The index of the run of the whole batch it is, from 1.
  public var round: Int

  public init(file: String, name: String?, digest: String, round: Int) {
    self.file = file
    self.name = name
    self.digest = digest
    self.round = round
  }
}

/// A device that a run of a batch is for, whether its chain begins or not.
public struct BatchMember: Hashable, Sendable {
  /// As the run names it.
  public let device: String
  /// What it called itself as a scan found it.
  public let name: String?

  public init(device: String, name: String?) {
    self.device = device
    self.name = name
  }
}

/// A process that resumes a run.
public struct RunTakeover: Hashable, Sendable {
  /// Who had the run until now, as it was read: when another has it meanwhile, nothing is taken over.
  public var former: String?
  /// Who has it from now on; nil for a simulated run.
  public var owner: String?
  /// The version of blerun.
  public var version: String
  /// Since 1970-01-01T00:00:00Z.
  public var started: Duration

  public init(former: String?, owner: String?, version: String, started: Duration) {
    self.former = former
    self.owner = owner
    self.version = version
    self.started = started
  }
}
