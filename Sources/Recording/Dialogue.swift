// What each write caused.
//
// A notification is the consequence of the last write before it, unless its characteristic sends
// values without a write, too.

import Bluetooth

/// The writes of a recording with their consequences, and the values that came without one.
struct Dialogue: Sendable {
  /// A value that a write caused.
  struct Effect: Hashable, Sendable {
    let handle: UInt16
    let octets: [UInt8]
    /// After the write.
    let delay: Duration
  }

  /// What came of a write.
  struct Outcome: Sendable {
    let error: ATTErrorCode?
    var effects: [Effect] = []

    /// Whether it is the same but for its delays.
    func isLike(_ other: Outcome) -> Bool {
      error == other.error && effects.map(\.handle) == other.effects.map(\.handle)
        && effects.map(\.octets) == other.effects.map(\.octets)
    }
  }

  /// All writes of one value.
  struct Exchange: Sendable {
    let written: [UInt8]
    /// The first outcome.
    let outcome: Outcome
    /// How often something else came of the same value.
    var others = 0
  }

  private static let security: [ATTErrorCode] = [
    .insufficientAuthentication, .insufficientEncryption, .encryptionKeyTooShort,
  ]

  /// How long after a write a value may be its consequence.
  static let longestDelay = Duration.seconds(2)

  /// By the handle of the characteristic that was written, in the order of the first writes.
  private(set) var exchanges: [UInt16: [Exchange]] = [:]
  /// The characteristics, by handle, whose writes were refused without a bond.
  private(set) var secured: Set<UInt16> = []
  /// By the handle of the characteristic that sent them.
  private(set) var spontaneous: [UInt16: [RecordedNotification]] = [:]

  init(_ recording: DeviceRecording) {
    // What is written to the other services causes nothing that a file can have.
    let own = Set(recording.listedServices.flatMap(\.characteristics).map(\.handle))
    let writes = recording.writes.filter { own.contains($0.handle) }.sorted { $0.at < $1.at }
    var outcomes = writes.map { Outcome(error: $0.error) }
    let byCharacteristic = Dictionary(
      grouping: recording.notifications.filter { own.contains($0.handle) },
      by: \.handle
    )
    for (handle, values) in byCharacteristic.sorted(by: { $0.key < $1.key }) {
      let causes = values.map { value in Self.cause(of: value, among: writes) }
      // A heart rate goes on whatever is written.
      guard causes.allSatisfy({ $0 != nil }) else {
        spontaneous[handle] = values
        continue
      }
      for (value, cause) in zip(values, causes) {
        guard let cause else { continue }
        outcomes[cause].effects.append(
          Effect(handle: handle, octets: value.octets, delay: value.at - writes[cause].at)
        )
      }
    }
    for (write, outcome) in zip(writes, outcomes) {
      var outcome = outcome
      outcome.effects.sort { $0.delay < $1.delay }
      // The file says so in another way, for all values.
      if let error = outcome.error, Self.security.contains(error) {
        secured.insert(write.handle)
        continue
      }
      var known = exchanges[write.handle] ?? []
      if let place = known.firstIndex(where: { $0.written == write.octets }) {
        if !known[place].outcome.isLike(outcome) { known[place].others += 1 }
      } else {
        known.append(Exchange(written: write.octets, outcome: outcome))
      }
      exchanges[write.handle] = known
    }
  }

  /// The place of the last write before a value; nil when none was shortly before.
  private static func cause(
    of value: RecordedNotification,
    among writes: [RecordedWrite]
  ) -> Int? {
    // The first write that is not before the value, by halves: at the same moment is too late.
    var (low, high) = (0, writes.count)
    while low < high {
      let middle = (low + high) / 2
      if writes[middle].at < value.at { low = middle + 1 } else { high = middle }
    }
    guard low > 0, value.at - writes[low - 1].at <= longestDelay else { return nil }
    return low - 1
  }
}
