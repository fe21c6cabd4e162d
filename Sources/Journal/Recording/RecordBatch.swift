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

  private struct StepKey: Hashable {
    let chain: Int
    let step: Int
  }

  /// How many values are written together.
  static let most = 1000
  /// How long a value may wait.
  static let longest = Duration.seconds(1)
  /// How many records are kept that could not be written, until they can be; what begins and ends a
  /// chain is kept beyond that too.
  static let mostUnwritten = 50_000

  private(set) var entries: [Entry] = []
  /// When the first of them came.
  private var since = Duration.zero
  /// The steps under way whose beginning was given up: what comes of them belongs to nothing.
  private var headless: Set<StepKey> = []
  /// How many were given up.
  private(set) var lost = 0

  /// Takes a record in.
  ///
  /// - Parameter time: Now, on any clock that does not go back.
  /// - Returns: Whether all that waits is to be written now.
  mutating func add(_ record: JournalRecord, chain: Int, at time: Duration) -> Bool {
    if entries.isEmpty { since = time }
    guard keeps(record, of: chain) else {
      lost += 1
      return true
    }
    entries.append(Entry(chain: chain, record: record))
    return record.isUrgent || entries.count >= Self.most || time - since >= Self.longest
  }

  /// Whether a record can be kept, and is of any use with those that were.
  private mutating func keeps(_ record: JournalRecord, of chain: Int) -> Bool {
    let hasRoom = entries.count < Self.mostUnwritten
    switch record {
    case .batchDevices, .chainStarted: return true
    case .chainFinished:
      headless = headless.filter { $0.chain != chain }
      return true
    case .stepStarted(let start):
      if !hasRoom { headless.insert(StepKey(chain: chain, step: start.step)) }
      return hasRoom
    case .value(let value):
      return hasRoom && !headless.contains(StepKey(chain: chain, step: value.step))
    case .gap(let step, _, _):
      return hasRoom && !headless.contains(StepKey(chain: chain, step: step))
    case .stepFinished(let end):
      let wasHeadless = headless.remove(StepKey(chain: chain, step: end.step)) != nil
      return hasRoom && !wasHeadless
    }
  }

  /// How long what waits may wait yet; nil when nothing does.
  func wait(at time: Duration) -> Duration? {
    entries.isEmpty ? nil : max(.zero, since + Self.longest - time)
  }

  /// What is to be written next, in one transaction.
  var next: [Entry] { Array(entries.prefix(Self.most)) }

  /// The first of what waits was written.
  mutating func written(_ count: Int) { entries.removeFirst(count) }
}
