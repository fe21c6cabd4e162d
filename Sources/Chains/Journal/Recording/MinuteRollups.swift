// The values of each minute put together, so that a day is found without reading every value.
//
// Pure. They are written in the transaction of their values.

/// The numbers of a field of a step in one minute.
struct MinuteRollup: Hashable, Sendable {
  /// The field of a step in a minute.
  struct Key: Hashable, Sendable {
    let chain: Int
    let step: Int
    /// Since 1970-01-01T00:00:00Z.
    let minute: Int64
    let field: String
  }

  private(set) var minimum: Double
  private(set) var maximum: Double
  private(set) var total: Double
  private(set) var count = 1

  init(_ value: Double) { (minimum, maximum, total) = (value, value, value) }

  mutating func add(_ value: Double) {
    minimum = min(minimum, value)
    maximum = max(maximum, value)
    total += value
    count += 1
  }
}

/// The rollups of the values of one transaction, in the order of their first values.
///
/// A step has rollups from its second value on, with or without numbers: the only value of a step,
/// such as that of a read, is found as quickly itself.
struct MinuteRollups: Sendable {
  private enum Step: Sendable {
    /// The minute has one value, which is in no rollup yet.
    case single(JournalRecord.StoredValue)
    case rolled
  }

  private(set) var keys: [MinuteRollup.Key] = []
  private(set) var rollups: [MinuteRollup.Key: MinuteRollup] = [:]
  /// The steps under way that have values.
  private var steps: [StepKey: Step] = [:]

  /// Adds the numbers of a value.
  ///
  /// - Parameter isNew: False for a value that was written before, in a commit whose confirmation
  ///   was lost: then its rollup was, too.
  mutating func add(_ value: JournalRecord.StoredValue, of chain: Int, isNew: Bool) {
    let step = StepKey(chain: chain, step: value.step)
    switch steps[step] {
    case nil:
      steps[step] = .single(value)
      return
    case .single(let first):
      if isNew { add(first, of: chain) }
      steps[step] = .rolled
    case .rolled: break
    }
    if isNew { add(value, of: chain) }
  }

  private mutating func add(_ value: JournalRecord.StoredValue, of chain: Int) {
    for number in value.numbers {
      let key = MinuteRollup.Key(
        chain: chain, step: value.step, minute: value.minute, field: number.field
      )
      if rollups[key] == nil {
        keys.append(key)
        rollups[key] = MinuteRollup(number.value)
      } else {
        rollups[key]?.add(number.value)
      }
    }
  }

  /// A step has ended.
  mutating func end(_ step: StepKey) { steps[step] = nil }

  /// A chain has ended, with all steps under way in it.
  mutating func end(chain: Int) { steps = steps.filter { $0.key.chain != chain } }

  /// The rollups were written.
  mutating func written() { (keys, rollups) = ([], [:]) }
}
