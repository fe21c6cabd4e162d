// Events of a batch as JSON. The format is documented in docs/json.md.

extension JSONLinesReport {
  /// The line for an event of a batch; none for events that the events of the runs report.
  public func lines(for event: BatchEvent) -> [String] {
    var members = EventMembers()
    members.add("v", .number("\(Self.version)"))
    switch event.change {
    case .waiting: members.add("event", .string("batch-waiting"))
    case .started: members.add("event", .string("batch-started"))
    case .finished: members.add("event", .string("batch-finished"))
    case .deviceEnded: return []
    }
    members.add("time", .string(Timestamp.text(event.wallClock)))
    members.add("offset", .number(event.offset.decimalSeconds))
    members.add("batch", .string(event.batch.description))
    if event.round > 1 { members.add("round", JSONValue(event.round)) }
    switch event.change {
    case .waiting(let time, let missed):
      members.add("until", .string(Timestamp.text(time)))
      if missed > 0 { members.add("missed", JSONValue(missed)) }
    case .started(let start):
      members.add("seed", .number("\(event.batch.seed)"))
      members.add("name", start.name.map { .string($0) } ?? .null)
      members.add("devices", .array(start.devices.map { .string($0.label) }))
      members.add("concurrency", JSONValue(start.concurrency))
      if let before = start.past?.counts {
        let counts = [("ok", JSONValue(before.ok)), ("failed", JSONValue(before.failed))]
        members.add("before", .object(counts))
      }
    case .finished(let ending):
      members.add("status", .string(ending.status.rawValue))
      members.add("exitStatus", .number("\(ending.exitStatus.rawValue)"))
      members.add("ok", JSONValue(ending.counts.ok))
      members.add("failed", JSONValue(ending.counts.failed))
      members.add("cancelled", JSONValue(ending.counts.cancelled))
      members.add("notRun", .array(ending.notRun.map { .string($0) }))
      members.add(ending.failure)
    case .deviceEnded: break
    }
    return [JSONValue.object(members.list).text]
  }
}
