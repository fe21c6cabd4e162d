// The rules for pruning.

/// The runs that pruning keeps.
public struct Retention: Hashable, Sendable {
  /// Runs that ended or were last recorded before this time are pruned; nil keeps runs of any age.
  /// RFC 3339, UTC.
  public var from: String?
  /// The oldest runs are pruned until at most this many octets are in use; nil for no limit.
  public var mostOctets: Int?
  /// A run that is never pruned, such as the one under way.
  public var sparing: Int64?
  /// Values that arrived before this time are pruned, even in runs that are kept, but not their
  /// rollups; nil keeps values with their runs. RFC 3339, UTC.
  public var valuesFrom: String?

  public init(
    from: String? = nil, mostOctets: Int? = nil, sparing: Int64? = nil, valuesFrom: String? = nil
  ) {
    self.from = from
    self.valuesFrom = valuesFrom
    self.mostOctets = mostOctets
    self.sparing = sparing
  }
}

/// The result of pruning.
public struct Pruned: Hashable, Sendable {
  /// The numbers of the pruned runs.
  public let runs: [Int64]
  /// The number of values that were pruned from runs that are kept.
  public let values: Int
  /// The size of the file afterwards, in octets.
  public let octets: Int
}
