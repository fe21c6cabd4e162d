// The port to a record of what controllers did: who records is not this module's business.

/// A part of a trace file.
public struct TraceSlice: Hashable, Sendable {
  /// The file, as it was named.
  public let file: String
  /// The numbers of its packets, from 1, as readers of the file count them.
  public let packets: ClosedRange<Int>
  /// When the first and the last of them passed, since 1970-01-01T00:00:00Z.
  public let times: ClosedRange<Duration>
  /// How many packets of the same part stand before this file: in those before it, as far as these
  /// are kept.
  public let before: Int

  public init(
    file: String,
    packets: ClosedRange<Int>,
    times: ClosedRange<Duration>,
    before: Int = 0
  ) {
    self.file = file
    self.packets = packets
    self.times = times
    self.before = before
  }
}

/// A trace under way.
public protocol RunTrace: Sendable {
  /// How many packets are recorded now, with those that wait to be.
  func mark() -> Int

  /// What was recorded since a mark, with what waits to be; nil when that is nothing.
  func slice(since mark: Int) -> TraceSlice?
}
