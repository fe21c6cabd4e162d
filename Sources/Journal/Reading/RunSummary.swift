// What a journal knows of a run, at a glance.

/// A run as a journal has it.
public struct RunSummary: Hashable, Sendable {
  /// Its number in this journal, from 1; never given twice.
  public let run: Int64
  public let identity: String
  public let command: String
  /// What was to be done, as a dry run prints it.
  public let definition: String
  public let seed: String
  public let isSimulated: Bool
  public let owner: String?
  public let version: String
  /// RFC 3339, UTC.
  public let started: String
  /// Nil for a run that is under way, or whose process is gone.
  public let finished: String?
  public let exitStatus: Int32?
  /// How many of its records were given up, because the journal could not be written for too long.
  public var lost = 0
  /// Nil for a run that is of no batch.
  public let batch: BatchSummary?
  /// Who went on with it, in order.
  public let resumptions: [Resumption]
  /// In the order in which they began.
  public let chains: [ChainSummary]
}

/// A chain on one device, as a journal has it.
public struct ChainSummary: Hashable, Sendable {
  /// Its number within its run, from 1.
  public let chain: Int
  public let device: String
  /// The chain's name, if it has one.
  public let name: String?
  public let started: String
  /// Nil for one that has not ended, as far as the journal knows.
  public let finished: String?
  /// Microseconds from the start to the end.
  public let took: Int64?
  /// `ok`, `failed` or `cancelled`; nil before its end.
  public let status: String?
  public let exitStatus: Int32?
  /// The code and the class of the first cause, when it did not end well.
  public let code: String?
  public let `class`: String?
  /// How many steps have ended, in all attempts, implied ones included.
  public let stepsEnded: Int
  /// Values that were kept.
  public let values: Int
}

/// A device whose chain has ended, for a batch that is resumed.
public struct FinishedDevice: Hashable, Sendable {
  /// As the run named it.
  public let device: String
  /// How the last of its chains ended: `ok`, `failed` or `cancelled`.
  public let status: String
  public let exitStatus: Int32
  /// The class of the failure: `passing`, `definite`, `unavailable`; nil when all succeeded.
  public let `class`: String?
}
