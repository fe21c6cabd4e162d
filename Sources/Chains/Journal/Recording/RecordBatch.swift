// Records that wait to be written, and when they are due. Pure.

/// A step of a run.
struct StepKey: Hashable {
  let chain: Int
  let step: Int
}

/// Records that are written in one transaction.
///
/// The end of a step is written at once, with everything that waits before it. Records within a
/// step wait for at most a second or 1 000 records. If ends of steps may be late, they wait for at most
/// half a second, too.
struct RecordBatch: Sendable {
  /// A record of a chain.
  struct Entry: Sendable {
    /// The number of the chain within the run; 0 for a record outside a chain.
    let chain: Int
    let record: JournalRecord
  }

  /// The maximum number of records in one transaction.
  static let most = 1000
  /// The maximum number of unwritten records. The start and end of chains are kept beyond it.
  static let mostUnwritten = 50_000

  /// Whether the ends of steps may wait.
  private let isRelaxed: Bool
  /// The maximum time that a record waits.
  private let longest: Duration
  private(set) var entries: [Entry] = []
  /// The time of the first entry.
  private var since = Duration.zero
  /// The steps under way whose start was lost: their other records are dropped.
  private var headless: Set<StepKey> = []
  /// The number of lost records.
  private(set) var lost = 0

  init(isRelaxed: Bool = false) {
    self.isRelaxed = isRelaxed
    longest = isRelaxed ? .milliseconds(500) : .seconds(1)
  }

  /// Adds a record.
  ///
  /// - Parameter time: Now, on any clock that does not go back.
  /// - Returns: Whether the waiting records are due now.
  mutating func add(_ record: JournalRecord, chain: Int, at time: Duration) -> Bool {
    if entries.isEmpty { since = time }
    guard keeps(record, of: chain) else {
      lost += 1
      return true
    }
    entries.append(Entry(chain: chain, record: record))
    return isUrgent(record) || entries.count >= Self.most || time - since >= longest
  }

  private func isUrgent(_ record: JournalRecord) -> Bool {
    if isRelaxed, case .stepFinished = record { return false }
    return record.isUrgent
  }

  /// Whether there is room for a record, and its step was kept.
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
    case .note: return hasRoom
    case .stepFinished(let end):
      let wasHeadless = headless.remove(StepKey(chain: chain, step: end.step)) != nil
      return hasRoom && !wasHeadless
    }
  }

  /// The time until the waiting records are due; nil when there are none.
  func wait(at time: Duration) -> Duration? {
    entries.isEmpty ? nil : max(.zero, since + longest - time)
  }

  /// The records of the next transaction.
  var next: [Entry] { Array(entries.prefix(Self.most)) }

  /// The first `count` records were written.
  mutating func written(_ count: Int) { entries.removeFirst(count) }
}
