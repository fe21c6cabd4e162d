// Which records are waiting to be written, and when they are. Pure.

/// Records that are written together.
///
/// What ends a step is written at once, with what waits before it; what a step says on its way
/// waits for more of the same, a second or 1 000 records at most.
struct RecordBatch: Sendable {
  /// A record of a chain.
  struct Entry: Sendable {
    /// The number of the chain within the run; 0 for what is of none.
    let chain: Int
    let record: JournalRecord
  }

  /// How many values are written together.
  static let most = 1000
  /// How long a value may wait.
  static let longest = Duration.seconds(1)
  /// How many records are kept that could not be written, until they can be.
  static let mostUnwritten = 50_000

  private(set) var entries: [Entry] = []
  /// When the first of them came.
  private var since = Duration.zero
  /// How many were given up.
  private(set) var lost = 0

  /// Takes a record in.
  ///
  /// - Parameter time: Now, on any clock that does not go back.
  /// - Returns: Whether all that waits is to be written now.
  mutating func add(_ record: JournalRecord, chain: Int, at time: Duration) -> Bool {
    if entries.isEmpty { since = time }
    guard entries.count < Self.mostUnwritten else {
      lost += 1
      return true
    }
    entries.append(Entry(chain: chain, record: record))
    return record.isUrgent || entries.count >= Self.most || time - since >= Self.longest
  }

  /// How long what waits may wait yet; nil when nothing does.
  func wait(at time: Duration) -> Duration? {
    entries.isEmpty ? nil : max(.zero, since + Self.longest - time)
  }

  /// Everything that waits was written.
  mutating func written() { entries = [] }
}
