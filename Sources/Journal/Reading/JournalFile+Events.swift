// The events of a run read back, for reports of runs that are over.
//
// What a journal does not have is not in them: the names that authors gave their steps, and where
// these were written.

import Bluetooth
import Documents
import GRDB
public import Jobs
import Signals

extension JournalFile {
  /// Calls `take` with the events of a run: those of one chain after those of the other, in the
  /// order in which the chains began.
  ///
  /// - Returns: Whether the run exists.
  /// - Throws: ``JournalFailure``, also for what `take` throws.
  /// - Complexity: Linear in the events; memory does not grow with their number.
  public func events(
    of run: Int64,
    _ take: (RunEvent) throws -> Void
  ) throws(JournalFailure) -> Bool {
    try read { database in
      let exists = "SELECT 1 FROM runs WHERE run = ?"
      guard try Int.fetchOne(database, sql: exists, arguments: [run]) != nil else { return false }
      for row in try database.rows("SELECT * FROM chains WHERE run = ? ORDER BY chain", [run]) {
        var chain = try RecordedChain(row)
        try take(chain.start)
        let stored = try StoredEvent.cursor(of: chain.number, run: run, in: database)
        while let event = try stored.next() {
          if let event = chain.event(event) { try take(event) }
        }
        let error = try chain.isOver ? database.chainError(of: row, run: run) : nil
        if let end = try chain.end(row, error) { try take(end) }
      }
      return true
    }
  }
}

extension Database {
  /// The error of a chain that ended, as JSON; nil when it has none.
  fileprivate func chainError(of row: StoredRow, run: Int64) throws -> String? {
    try self.row(
      "SELECT json(error) AS error FROM errors WHERE run = ? AND chain = ? AND event = ?",
      [run, try row.ordinal("chain"), try row.ordinal("finished_event")]
    )?.jsonObject("error")
  }
}

/// A chain whose events are read back.
private struct RecordedChain {
  let number: Int
  let isOver: Bool
  private let device: String
  private let name: String?
  private let steps: Int
  private let identity: RunIdentity
  private let startOffset: Duration
  /// The wall-clock time at the offset zero.
  private let origin: Duration
  /// When the steps began that have not ended.
  private var begun: [String: Duration] = [:]

  init(_ row: StoredRow) throws(StoredRow.Unexpected) {
    number = try row.ordinal("chain")
    isOver = try row.optionalTime("finished") != nil
    device = try row.text("device")
    name = try row.optionalText("name")
    steps = try row.ordinal("steps")
    identity = RunIdentity(
      recorded: try row.text("identity"),
      seed: UInt64(try row.seed("seed")) ?? 0
    )
    startOffset = .microseconds(try row.offset("started_offset"))
    origin = (Timestamp.time(try row.time("started")) ?? .zero) - startOffset
  }

  private func event(at offset: Duration, _ attempt: Int, _ change: RunEvent.Change) -> RunEvent {
    RunEvent(
      run: identity,
      device: device,
      attempt: attempt,
      offset: offset,
      wallClock: origin + offset,
      change: change
    )
  }

  var start: RunEvent {
    let start = RunStart(chain: name, steps: steps, seed: identity.seed)
    return event(at: startOffset, 1, .runStarted(start))
  }

  /// The end of the chain; nil for one without a recorded end.
  func end(_ row: StoredRow, _ error: String?) throws(StoredRow.Unexpected) -> RunEvent? {
    guard isOver, let status = try row.optionalText("status") else { return nil }
    let ending = RunEnding(
      status: RunEnding.Status(rawValue: status) ?? .failed,
      failure: error.flatMap { RunFailure(recorded: $0) },
      step: nil,
      done: 0
    )
    let offset = Duration.microseconds(try row.offset("finished_offset"))
    return event(at: offset, try row.ordinal("attempts"), .runFinished(ending))
  }

  /// An event of a step; nil for one that is not understood.
  mutating func event(_ stored: StoredEvent) -> RunEvent? {
    guard let position = stored.position.flatMap({ StepPosition($0) }),
      let operation = stored.operation
    else { return nil }
    let result = stored.text.map { Self.node($0) } ?? nil
    let step = ReportedStep(
      recorded: position,
      operation: operation,
      attribute: stored.attribute,
      written: stored.written,
      hasOctets: stored.hex != nil || result?["hex"] != nil
    )
    let offset = Duration.microseconds(stored.offset)
    let change: RunEvent.Change
    switch stored.kind {
    case .stepStarted:
      begun["\(stored.attempt) \(position)"] = offset
      change = .stepStarted(step)
    case .value:
      change = .value(step, StepValue(hex: stored.hex, json: result, of: stored.attribute))
    case .gap:
      let lasted = result?["lasted"]?.number.map { Duration.seconds($0) } ?? .zero
      let dropped = result?["dropped"]?.integer ?? 0
      let cause: NotificationGap.Cause =
        result?["cause"]?.text == "link-lost" ? .linkLost : .overflow(dropped: dropped)
      let end = Instant(sinceStart: offset)
      change = .gap(
        step,
        NotificationGap(cause, from: Instant(sinceStart: offset - lasted), to: end)
      )
    case .stepFinished:
      let began = begun.removeValue(forKey: "\(stored.attempt) \(position)") ?? offset
      change = .stepFinished(
        StepResult(
          step,
          status: stored.status.flatMap { StepResult.Status(rawValue: $0) } ?? .failed,
          outcome: result.flatMap { StepOutcome(recorded: $0, of: stored.attribute) },
          failure: stored.error.flatMap { RunFailure(recorded: $0) },
          notes: result?["notes"]?.sequence?.compactMap(\.text) ?? [],
          took: offset - began
        )
      )
    case .runStarted, .runFinished, .unknown: return nil
    }
    return event(at: offset, stored.attempt, change)
  }

  /// A JSON text, which is YAML too; nil when it cannot be read.
  static func node(_ json: String) -> Node? { try? Document.parse(json, file: "the journal") }
}

extension StepOutcome {
  /// What came of a step, from the keys of docs/output.md.
  fileprivate init?(recorded result: Node, of attribute: String?) {
    if let link = result["link"]?.text {
      self = .linked(link == "made" ? .made : .found)
    } else if let hex = result["hex"]?.text {
      let value = StepValue(hex: hex, json: result["value"], of: attribute)
      self = result["value"] == nil ? .written(value.octets) : .value(value)
    } else if let value = result["value"] {
      if let count = value["count"]?.integer, let rate = value["rate"]?.number {
        self = .listened(count: count, rate: rate, dropped: value["dropped"]?.integer ?? 0)
      } else {
        self = .value(StepValue(hex: nil, json: value, of: nil))
      }
    } else {
      return nil
    }
  }
}

extension StepValue {
  /// A value: decoded again where that makes what was recorded, which gives its numbers their units.
  fileprivate init(hex: String?, json: Node?, of attribute: String?) {
    let octets = hex.map { Self.octets($0) } ?? []
    let selector = attribute.flatMap { try? CharacteristicSelector(parsing: $0) }
    let decoded = selector.flatMap { selector -> DecodedValue? in
      guard hex != nil else { return nil }
      return try? StepValue.decode(octets, of: selector, format: nil)
    }
    let recorded = json.flatMap { DecodedValue($0) }
    let isSame = decoded.map { JSONValue($0) } == recorded.map { JSONValue($0) }
    self.init(octets: octets, decoded: isSame ? decoded : recorded)
  }

  /// The octets of hexadecimal digits.
  private static func octets(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { index in
      UInt8(digits[index] * 16 + digits[index + 1])
    }
  }
}

extension DecodedValue {
  /// A value in JSON; nil for null.
  fileprivate init?(_ node: Node) {
    switch node.content {
    case .mapping(let entries):
      self = .fields(
        entries.compactMap { entry in
          DecodedValue(entry.value).map { Field(entry.key, $0) }
        }
      )
    case .sequence(let nodes): self = .list(nodes.compactMap { DecodedValue($0) })
    case .scalar(let text, let isPlain):
      if node.isNull { return nil }
      if !isPlain {
        self = .text(text)
      } else if let integer = Int64(text) {
        self = .integer(integer)
      } else if let number = Double(text) {
        let decimals = text.split(separator: ".").dropFirst().first?.count ?? 0
        self = .real(number, decimals: decimals)
      } else {
        self = .boolean(text == "true")
      }
    }
  }
}

extension RunFailure {
  /// A failure from the keys of docs/output.md; nil when it cannot be read.
  fileprivate init?(recorded json: String) {
    guard let node = RecordedChain.node(json), let code = node["code"]?.text,
      let kind = node["class"]?.text.flatMap({ FailureClass(rawValue: $0) }),
      let message = node["message"]?.text
    else { return nil }
    let parts = message.split(separator: ": ", maxSplits: 1).map { String($0) }
    let answer = node["bluez"]?["name"]?.text.map { name in
      BlueZAnswer(name: name, text: node["bluez"]?["text"]?.text ?? "")
    }
    self.init(
      code: DeviceFailure.Code(rawValue: code),
      class: kind,
      what: parts.count > 1 ? parts[0] : "running the chain",
      why: parts.last ?? message,
      bluez: answer,
      hint: node["hint"]?.text ?? ""
    )
  }
}

extension Node {
  /// The node under a key of a mapping; nil for anything else.
  fileprivate subscript(key: String) -> Node? { mapping?.first { $0.key == key }?.value }
}
