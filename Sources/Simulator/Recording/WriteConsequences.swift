// The consequences of each write.
//
// A notification is a consequence of the last write before it, unless its characteristic also sends
// values without a write. A different value that is read after a write is a consequence of it, too,
// if it was neither written nor sent, and its characteristic does not also change without a write.

import Bluetooth
import SimulatedDevices

/// The writes of a recording with their consequences, and the values that no write caused.
struct WriteConsequences: Sendable {
  /// A value that a write caused.
  struct Effect: Hashable, Sendable {
    let kind: ResponseAction.Kind
    let handle: UInt16
    let octets: [UInt8]
    /// The time since the write.
    let delay: Duration

    func isLike(_ other: Effect) -> Bool {
      kind == other.kind && handle == other.handle && octets == other.octets
    }
  }

  /// The result of a write: its error and its effects.
  struct Outcome: Sendable {
    let error: ATTErrorCode?
    var effects: [Effect] = []

    /// Adds the effects that only another outcome of the same value shows. Returns false if the two
    /// outcomes differ in more than their delays.
    mutating func add(_ other: Outcome) -> Bool {
      let sent = [effects, other.effects].map { $0.filter { $0.kind == .notify } }
      guard error == other.error, sent[0].count == sent[1].count,
        zip(sent[0], sent[1]).allSatisfy({ $0.isLike($1) })
      else { return false }
      // One outcome may show fewer values that were read than the other.
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
    /// The number of later writes of the same value that had another outcome.
    var others = 0

    /// Whether every write was accepted, and none had an effect.
    var isPlain: Bool { outcome.error == nil && outcome.effects.isEmpty && others == 0 }
  }

  /// The errors of a connection that is not secure enough.
  static let security: [ATTErrorCode] = [
    .insufficientAuthentication, .insufficientEncryption, .encryptionKeyTooShort,
  ]

  /// The longest time after a write in which a value counts as its consequence.
  static let longestDelay = Duration.seconds(2)

  /// The longest time after a write in which a change of a polled value counts as its consequence.
  private static let longestChange = Duration.seconds(60)

  /// The exchanges in the order of their first writes, by the handle of the written characteristic.
  private(set) var exchanges: [UInt16: [Exchange]] = [:]
  /// The handles of the characteristics that refused a write because the connection was not secure
  /// enough.
  private(set) var secured: Set<UInt16> = []
  /// The values of the characteristics that also send without a write, by handle.
  private(set) var spontaneous: [UInt16: [RecordedValue]] = [:]
  /// The values read from the characteristics that also change without a write, by handle.
  private(set) var changing: [UInt16: [[UInt8]]] = [:]

  init(_ recording: DeviceRecording) {
    // A device file cannot describe the consequences of writes to the other services.
    let own = Set(recording.listedServices.flatMap(\.characteristics).map(\.handle))
    let writes = recording.writes.filter { own.contains($0.handle) }.sorted { $0.at < $1.at }
    var outcomes = writes.map { Outcome(error: $0.error) }
    let byCharacteristic = Dictionary(
      grouping: recording.notifications.filter { own.contains($0.handle) }, by: \.handle
    )
    for (handle, values) in byCharacteristic.sorted(by: { $0.key < $1.key }) {
      let causes = values.map { value in Self.cause(of: value, among: writes) }
      // A characteristic that sends without a write, such as a heart rate, continues no matter what
      // is written. So none of its values counts as a consequence.
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
      // The device file states this once for all values, as the security of the characteristic.
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

  /// An event that changes or shows the value of a characteristic.
  private struct Moment {
    /// The kinds, in the order assumed at the same instant: a write may react to a value just read.
    enum Kind: Int {
      case sent, read, written
    }

    let kind: Kind
    let handle: UInt16
    let octets: [UInt8]
    let at: Duration
    /// The index of a write; meaningless for other kinds.
    let write: Int

    init(_ kind: Kind, _ value: RecordedValue) {
      (self.kind, handle, octets, at, write) = (kind, value.handle, value.octets, value.at, 0)
    }

    init(_ write: RecordedWrite, at place: Int) {
      (kind, handle, octets, at) = (.written, write.handle, write.octets, write.at)
      self.write = place
    }
  }

  /// Adds the consequences that reads show: a value that was neither written nor sent is a
  /// consequence of the last write before it.
  private mutating func addSets(
    to outcomes: inout [Outcome], _ writes: [RecordedWrite], _ recording: DeviceRecording
  ) {
    var values: [UInt16: [UInt8]] = [:]
    for one in recording.characteristics {
      values[one.handle] = one.bondedValue ?? one.reading?.octets
    }
    let moments =
      recording.notifications.map { Moment(.sent, $0) }
      + recording.reads.map { Moment(.read, $0) }
      + writes.enumerated().filter { $0.element.error == nil }
      .map { Moment($0.element, at: $0.offset) }
    let ordered = moments.filter { spontaneous[$0.handle] == nil }
      .sorted { ($0.at, $0.kind.rawValue) < ($1.at, $1.kind.rawValue) }
    /// The index of the latest accepted write.
    var cause: Int?
    /// The cause at the time when a value was last seen, by handle.
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
        // If the old value was still seen after the write, the change took until this read;
        // otherwise it is taken as immediate.
        let delay = seen[moment.handle] == cause ? moment.at - writes[cause].at : .zero
        guard delay <= Self.longestChange else { continue }
        outcomes[cause].effects.append(
          Effect(kind: .set, handle: moment.handle, octets: moment.octets, delay: delay)
        )
      }
    }
    let reads = Dictionary(grouping: recording.reads, by: \.handle)
    for one in recording.characteristics where uncaused.contains(one.handle) {
      let first = one.bondedValue ?? one.reading?.octets
      let read = (reads[one.handle] ?? []).map(\.octets)
      changing[one.handle] = read.first == first ? read : [first].compactMap(\.self) + read
    }
  }

  /// The index of the last write before a value; nil if there is none within `longestDelay`.
  private static func cause(of value: RecordedValue, among writes: [RecordedWrite]) -> Int? {
    // A binary search for the first write that is not before the value. A write at the same instant
    // cannot be the cause.
    var (low, high) = (0, writes.count)
    while low < high {
      let middle = (low + high) / 2
      if writes[middle].at < value.at { low = middle + 1 } else { high = middle }
    }
    guard low > 0, value.at - writes[low - 1].at <= longestDelay else { return nil }
    return low - 1
  }
}
