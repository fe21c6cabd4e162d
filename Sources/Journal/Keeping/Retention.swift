// How long runs are kept.

/// What is kept of a journal.
public struct Retention: Hashable, Sendable {
  /// Runs that ended, or were last recorded, before this are pruned; nil: no matter when.
  /// RFC 3339, UTC.
  public var from: String?
  /// The oldest runs are pruned until no more octets than this are in use; nil: however many.
  public var mostOctets: Int?
  /// A run that stays in any case, such as the one under way.
  public var sparing: Int64?

  public init(from: String? = nil, mostOctets: Int? = nil, sparing: Int64? = nil) {
    self.from = from
    self.mostOctets = mostOctets
    self.sparing = sparing
  }
}

/// What was pruned from a journal.
public struct Pruned: Hashable, Sendable {
  /// The numbers of the runs.
  public let runs: [Int64]
  /// How large the file is now, in octets.
  public let octets: Int
}
