// What each write caused.
//
// A notification is the consequence of the last write before it, unless its characteristic sends
// values without a write, too. So is another value that is read after a write, where it was neither
// written nor sent, unless it changes without a write, too.

import Bluetooth
import SimulatedDevices

/// The writes of a recording with their consequences, and the values that came without one.
struct Dialogue: Sendable {
  /// A value that a write caused.
  struct Effect: Hashable, Sendable {
    let kind: ResponseAction.Kind
    let handle: UInt16
    let octets: [UInt8]
    /// After the write.
    let delay: Duration

    func isLike(_ other: Effect) -> Bool {
      kind == other.kind && handle == other.handle && octets == other.octets
    }
  }

  /// What came of a write.
  struct Outcome: Sendable {
    let error: ATTErrorCode?
    var effects: [Effect] = []

    /// Adds what another outcome of the same value shows beyond this one; false where they differ by more
    /// than their delays.
    mutating func add(_ other: Outcome) -> Bool {
      let sent = [effects, other.effects].map { $0.filter { $0.kind == .notify } }
      guard error == other.error, sent[0].count == sent[1].count,
        zip(sent[0], sent[1]).allSatisfy({ $0.isLike($1) })
      else { return false }
      // Of the values that are read, one may show fewer than the other.
      for handle in Set(other.effects.filter { $0.kind == .set }.map(\.handle)).sorted() {
        let sets = [effects, other.effects].map {
          $0.filter { $0.kind == .set && $0.handle == handle }
        }
        guard zip(sets[0], sets[1]).allSatisfy({ $0.isLike($1) }) else { return false }
        effects += sets[1].dropFirst(sets[0].count)
      }
      return true
    }
  }

  /// All writes of one value.
  struct Exchange: Sendable {
    let written: [UInt8]
    /// The first outcome.
    var outcome: Outcome
    /// How often something else came of the same value.
    var others = 0

    /// Whether it was accepted each time, and nothing followed.
    var isPlain: Bool { outcome.error == nil && outcome.effects.isEmpty && others == 0 }
  }

  /// The refusals that a secure connection ends.
  static let security: [ATTErrorCode] = [
    .insufficientAuthentication, .insufficientEncryption, .encryptionKeyTooShort,
  ]

  /// How long after a write a value may be its consequence.
  static let longestDelay = Duration.seconds(2)

  /// How long after a write a value that is polled may still change because of it.
  private static let longestChange = Duration.seconds(60)

  /// By the handle of the characteristic that was written, in the order of the first writes.
  private(set) var exchanges: [UInt16: [Exchange]] = [:]
  /// The characteristics, by handle, whose writes were refused without a bond.
  private(set) var secured: Set<UInt16> = []
  /// By the handle of the characteristic that sent them.
  private(set) var spontaneous: [UInt16: [RecordedValue]] = [:]
  /// All values that were read of a characteristic which changes without a write, by its handle.
  private(set) var changing: [UInt16: [[UInt8]]] = [:]

  init(_ recording: DeviceRecording) {
    // What is written to the other services causes nothing that a file can have.
    let own = Set(recording.listedServices.flatMap(\.characteristics).map(\.handle))
    let writes = recording.writes.filter { own.contains($0.handle) }.sorted { $0.at < $1.at }
    var outcomes = writes.map { Outcome(error: $0.error) }
    let byCharacteristic = Dictionary(
      grouping: recording.notifications.filter { own.contains($0.handle) }, by: \.handle
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
          Effect(
            kind: .notify, handle: handle, octets: value.octets, delay: value.at - writes[cause].at
          )
        )
      }
    }
    addSets(to: &outcomes, writes, recording)
    for place in outcomes.indices {
      outcomes[place].effects.removeAll { $0.kind == .set && changing[$0.handle] != nil }
      outcomes[place].effects.sort { $0.delay < $1.delay }
    }
    for (write, outcome) in zip(writes, outcomes) {
      // The file says so in another way, for all values.
      if let error = outcome.error, Self.security.contains(error) {
        secured.insert(write.handle)
        continue
      }
      var known = exchanges[write.handle] ?? []
      if let place = known.firstIndex(where: { $0.written == write.octets }) {
        if !known[place].outcome.add(outcome) { known[place].others += 1 }
      } else {
        known.append(Exchange(written: write.octets, outcome: outcome))
      }
      exchanges[write.handle] = known
    }
  }

  /// Something that changes, or shows, the value of a characteristic.
  private struct Moment {
    /// In the order of what happens at the same time: a write may follow from what was read.
    enum Kind: Int {
      case sent, read, written
    }

    let kind: Kind
    let handle: UInt16
    let octets: [UInt8]
    let at: Duration
    /// The place of a write; meaningless for others.
    let write: Int

    init(_ kind: Kind, _ value: RecordedValue) {
      (self.kind, handle, octets, at, write) = (kind, value.handle, value.octets, value.at, 0)
    }

    init(_ write: RecordedWrite, at place: Int) {
      (kind, handle, octets, at) = (.written, write.handle, write.octets, write.at)
      self.write = place
    }
  }

  /// Adds what reads show: a value that was neither written nor sent is a consequence of the last write
  /// before it, one after the other.
  private mutating func addSets(
    to outcomes: inout [Outcome], _ writes: [RecordedWrite], _ recording: DeviceRecording
  ) {
    var values: [UInt16: [UInt8]] = [:]
    for one in recording.characteristics {
      values[one.handle] = one.protected ?? one.reading?.octets
    }
    let moments =
      recording.notifications.map { Moment(.sent, $0) }
      + recording.reads.map { Moment(.read, $0) }
      + writes.enumerated().filter { $0.element.error == nil }
      .map { Moment($0.element, at: $0.offset) }
    let ordered = moments.filter { spontaneous[$0.handle] == nil }
      .sorted { ($0.at, $0.kind.rawValue) < ($1.at, $1.kind.rawValue) }
    /// The latest write.
    var cause: Int?
    /// What it was when a value was last seen, by handle.
    var seen: [UInt16: Int] = [:]
    var uncaused: Set<UInt16> = []
    for moment in ordered {
      let known = values.updateValue(moment.octets, forKey: moment.handle)
      switch moment.kind {
      case .written: cause = moment.write
      case .sent: seen[moment.handle] = cause
      case .read:
        defer { seen[moment.handle] = cause }
        guard let known, known != moment.octets else { continue }
        guard let cause else {
          uncaused.insert(moment.handle)
          continue
        }
        // At once, unless it was another one since.
        let delay = seen[moment.handle] == cause ? moment.at - writes[cause].at : .zero
        guard delay <= Self.longestChange else { continue }
        outcomes[cause].effects.append(
          Effect(kind: .set, handle: moment.handle, octets: moment.octets, delay: delay)
        )
      }
    }
    let reads = Dictionary(grouping: recording.reads, by: \.handle)
    for one in recording.characteristics where uncaused.contains(one.handle) {
      let first = one.protected ?? one.reading?.octets
      let read = (reads[one.handle] ?? []).map(\.octets)
      changing[one.handle] = read.first == first ? read : [first].compactMap(\.self) + read
    }
  }

  /// The place of the last write before a value; nil when none was shortly before.
  private static func cause(of value: RecordedValue, among writes: [RecordedWrite]) -> Int? {
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
