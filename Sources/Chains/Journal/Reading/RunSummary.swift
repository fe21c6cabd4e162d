// Summaries of runs and chains.

/// A run as a journal has it.
public struct RunSummary: Hashable, Sendable {
  /// The number in this journal, from 1; never reused.
  public let run: Int64
  public let identity: String
  public let command: String
  /// The plan, as a dry run prints it.
  public let definition: String
  public let seed: String
  public let isSimulated: Bool
  public let owner: String?
  public let version: String
  /// RFC 3339, UTC.
  public let started: String
  /// The end; nil for a run that is under way, or whose process ended without recording
  /// it.
  public let finished: String?
  public let exitStatus: Int32?
  /// The number of its records that were lost because the journal could not be written for too
  /// long.
  public var lost = 0
  /// The batch; nil for a run outside a batch.
  public let batch: BatchSummary?
  /// The processes that resumed it, in order.
  public let resumptions: [Resumption]
  /// The chains, in the order in which they began.
  public let chains: [ChainSummary]

  /// The chains that decide how the run ended: in a batch the last one of each device, in the order
  /// in which the devices began; in other runs all of them.
  public var lastChains: [ChainSummary] {
    guard batch != nil else { return chains }
    let last = Dictionary(chains.map { ($0.device, $0) }) { $1 }
    var named: Set<String> = []
    return chains.compactMap { named.insert($0.device).inserted ? last[$0.device] : nil }
  }

  /// The chains of a device before the batch was resumed, without the last one.
  public func earlierChains(of device: String) -> [ChainSummary] {
    batch == nil ? [] : chains.filter { $0.device == device }.dropLast()
  }
}

/// A chain on one device, as a journal has it.
public struct ChainSummary: Hashable, Sendable {
  /// The number within the run, from 1.
  public let chain: Int
  public let device: String
  /// The chain's name, if it has one.
  public let name: String?
  public let started: String
  /// The end; nil for a chain without a recorded end.
  public let finished: String?
  /// Microseconds from the start to the end.
  public let took: Int64?
  /// `ok`, `failed` or `cancelled`, of a test of a suite also `warning`; nil before its end.
  public let status: String?
  public let exitStatus: Int32?
  /// The code and the class of the first cause; nil when the chain succeeded.
  public let code: String?
  public let `class`: String?
  /// The number of steps that succeeded in the last attempt, counted as in the text output: without
  /// implied steps and without steps that contain others.
  public let stepsDone: Int
  /// The number of steps that ended with a warning in the last attempt.
  public let warnings: Int
  /// The number of recorded values.
  public let values: Int
}

/// A device whose chain has ended, for a batch that is resumed.
public struct FinishedDevice: Hashable, Sendable {
  /// The device, as the run named it.
  public let device: String
  /// The status of the last of its chains: `ok`, `failed` or `cancelled`.
  public let status: String
  public let exitStatus: Int32
  /// The class of the failure, a raw value of `FailureClass`; nil when the chain succeeded.
  public let `class`: String?
  /// The number of steps that ended with a warning in the last attempt.
  public let warnings: Int
  /// The code of the failure; nil when the chain succeeded.
  public var code: String?
  /// The number of its chains that have ended.
  public var chains = 1
}
