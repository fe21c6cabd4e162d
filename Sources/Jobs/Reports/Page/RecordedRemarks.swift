// What explains a run beside its steps, for a report that shows it.
//
// Memory is bounded: of many messages and packets, the last ones are kept.

import Bluetooth

/// The messages, packets and notes of a run.
struct RecordedRemarks: Equatable, Sendable {
  /// A note of a person.
  struct Note: Equatable, Sendable {
    let at: Duration
    let text: String
  }

  /// The last of many.
  private struct Recent<Element: Equatable & Sendable>: Equatable, Sendable {
    /// A ring: the oldest element is at `oldest`.
    private var ring: [Element] = []
    private var oldest = 0

    /// What is kept, in its order.
    var elements: [Element] { Array(ring[oldest...] + ring[..<oldest]) }

    /// Adds an element.
    ///
    /// - Returns: Whether the oldest one is not kept any more.
    mutating func add(_ element: Element, upTo limit: Int) -> Bool {
      guard ring.count == limit else {
        ring.append(element)
        return false
      }
      ring[oldest] = element
      oldest = (oldest + 1) % limit
      return true
    }
  }

  /// How many messages are kept: the last ones.
  static let messageLimit = 5_000
  /// How many packets are kept: the last ones.
  static let packetLimit = 5_000
  /// How many notes are kept: the first ones.
  static let noteLimit = 200

  /// The notes, in their order.
  private(set) var notes: [Note] = []
  /// How many messages came before those that are kept.
  private(set) var leftOut = 0
  /// How many messages and packets were not recorded, because the recording had reached its limit.
  private(set) var unrecorded = 0
  private var recentMessages = Recent<BlueZMessage>()
  private var recentPackets = Recent<TracePacket>()
  /// How many packets came before those that are kept, or at once with them.
  private var leftOutPackets = 0
  /// The name of the file that has the last packet.
  private var trace: String?

  /// The messages that are kept, in their order.
  var messages: [BlueZMessage] { recentMessages.elements }

  /// The packets that are kept; nil without any.
  var packets: TracedPackets? {
    trace.map {
      TracedPackets(file: $0, packets: recentPackets.elements, leftOut: leftOutPackets)
    }
  }

  /// Adds a remark.
  mutating func add(_ remark: RunRemark, at time: Duration) {
    switch remark {
    case .message(let message):
      if recentMessages.add(message, upTo: Self.messageLimit) { leftOut += 1 }
    case .packet(let recorded):
      trace = recorded.file
      leftOutPackets += recorded.leftOut
      if recentPackets.add(recorded.packet, upTo: Self.packetLimit) { leftOutPackets += 1 }
    case .recordingStopped(_, let count): unrecorded += count
    case .note(let text):
      if notes.count < Self.noteLimit { notes.append(Note(at: time, text: text)) }
    }
  }
}

extension RecordedRun {
  /// The packets of its trace: those that its end had, or else those that were recorded.
  var tracedPackets: TracedPackets? { packets ?? remarks.packets }

  /// The messages of the run: those that were recorded, or else those before its failures.
  var messages: [BlueZMessage] {
    let recorded = remarks.messages
    guard recorded.isEmpty else { return recorded }
    var known: Set<BlueZMessage> = []
    let before = failures.flatMap(\.messages).filter { known.insert($0).inserted }
    return before.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    .map(\.element)
  }

  /// When the device was connected, as far as the steps show it.
  ///
  /// A connection begins with the end of a step that made or found it. It ends with the step that
  /// disconnects, with a failure that reports its loss, or with the run; a gap in the values
  /// interrupts it.
  var connected: [ClosedRange<Duration>] {
    var (periods, begun) = ([ClosedRange<Duration>](), Duration?.none)
    func ends(at time: Duration) {
      if let start = begun, start <= time { periods.append(start...time) }
      begun = nil
    }
    let lost = values.series.flatMap(\.gaps).filter(\.isOfLink).sorted { $0.from < $1.from }
    var gaps = lost[...]
    for step in earlierAttempts.flatMap(\.steps) + steps {
      while let gap = gaps.first, gap.to <= step.endedAt {
        gaps = gaps.dropFirst()
        guard begun != nil else { continue }
        ends(at: gap.from)
        begun = gap.to
      }
      if case .linked? = step.outcome, step.isWell {
        begun = begun ?? step.endedAt
      } else if step.reported.operation == "disconnect" {
        ends(at: step.endedAt)
      } else if step.failure?.code == .linkLost {
        ends(at: step.endedAt)
      }
    }
    ends(at: lasted)
    return periods
  }
}
