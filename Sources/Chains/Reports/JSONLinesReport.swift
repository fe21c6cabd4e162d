// Events of runs and batches as JSON, one object per line.
//
// docs/json.md documents the format.

import Documents
public import RunEvents

/// A report with one JSON object for each event.
public struct JSONLinesReport: RunReport {
  /// The version of the format. It changes when a key is removed or changes its meaning.
  public static let version = EventLine.version

  public init() {}

  public func lines(for event: RunEvent) -> [String] { EventLine(event).map { [$0.text] } ?? [] }
}

extension BatchEnding.Status: JSONForm {}

extension JSONLinesReport {
  /// The line for an event of a batch; none for events that also exist as events of a run.
  public func lines(for event: BatchEvent) -> [String] {
    let round = event.round > 1 ? [JSONValue.Member("round", event.round.json)] : []
    func line(_ name: String, _ members: JSONMembers) -> [String] {
      let head: KeyValuePairs<String, any JSONWritable> = [
        "time": Timestamp.text(event.wallClock), "offset": event.offset,
        "batch": event.batch.description,
      ]
      return [EventLine(name, head, and: round + members).text]
    }
    switch event.change {
    case .waiting(let time, let missed):
      let until = Timestamp.text(time).json
      return line(
        "batch-waiting",
        [.init("until", until)] + (missed > 0 ? [.init("missed", missed.json)] : [])
      )
    case .started(let start):
      let before = start.past.map { JSONValue(["ok": $0.counts.ok, "failed": $0.counts.failed]) }
      return line(
        "batch-started",
        JSONValue.members([
          "seed": event.batch.seed.json, "name": start.name.json,
          "devices": start.devices.map(\.label).json, "concurrency": start.concurrency.json,
          "before": before,
        ])
      )
    case .finished(let ending):
      return line(
        "batch-finished",
        JSONValue.members([
          "status": ending.status.json, "exitStatus": ending.exitStatus.rawValue.json,
          "ok": ending.counts.ok.json, "failed": ending.counts.failed.json,
          "cancelled": ending.counts.cancelled.json, "apart": ending.counts.apart.json,
          "warnings": ending.counts.warnings > 0 ? ending.counts.warnings.json : nil,
          "notRun": ending.notRun.json, "error": ending.failure?.json,
        ])
      )
    case .deviceEnded: return []
    }
  }
}
