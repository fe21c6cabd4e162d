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
struct MinuteRollups: Sendable {
  private(set) var keys: [MinuteRollup.Key] = []
  private(set) var rollups: [MinuteRollup.Key: MinuteRollup] = [:]

  /// Adds the numbers of a value.
  mutating func add(_ value: JournalRecord.StoredValue, of chain: Int) {
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
}
