// Events of suites as JSON, one object a line. The format is documented in docs/nrf-connect.md.

import Bluetooth
public import Jobs

extension JSONLinesReport: SuiteReport {
  /// The line for an event of a suite, in the envelope that events of chains have.
  ///
  /// The value of an operation is in the line of its end.
  public func lines(for event: SuiteEvent) -> [String] {
    guard let name = event.change.name else { return [] }
    var members = EventMembers()
    members.add("v", JSONValue(Self.version))
    members.add("event", .string(name))
    members.add("time", .string(Timestamp.text(event.wallClock)))
    members.add("offset", .number(event.offset.decimalSeconds))
    members.add("run", .string(event.run.description))
    switch event.change {
    case .started(let suite):
      members.add("seed", .number("\(event.run.seed)"))
      members.add("suite", suite.title.map { .string($0) } ?? .null)
      members.add("tests", JSONValue(suite.runs.count))
    case .test(let test, let index, let run):
      members.add("test", JSONValue(index))
      members.add(run.change, of: test)
    case .finished(let ending): members.add(ending)
    }
    return [JSONValue.object(members.list).text]
  }
}

extension EventMembers {
  fileprivate mutating func add(_ change: RunEvent.Change, of test: SuiteTest) {
    switch change {
    case .runStarted: add(test)
    case .stepStarted(let step): add(operation: step)
    case .advertisement(let step, let device):
      add(operation: step)
      add("device", JSONValue(device))
      add("data", .string(AdvertisedData.text(device)))
    case .pairingDisplay(let step, let display):
      if let step { add(operation: step) }
      add("value", .string(display.digits))
    case .stepFinished(let result):
      add(operation: result.step)
      add(result)
    case .runFinished(let ending):
      add(test)
      add("status", .string(ending.status.rawValue))
      add("done", JSONValue(ending.done))
      add("warnings", JSONValue(ending.warnings))
      add(ending.failure)
    case .note(let text): add("text", .string(text))
    case .value, .gap: break
    }
  }

  private mutating func add(_ test: SuiteTest) {
    add("id", .string(test.id))
    add("title", .string(test.title))
    if let run = test.run { add("description", .string(run)) }
  }

  private mutating func add(operation step: ReportedStep) {
    add("number", .number(step.position.description))
    add("operation", .string(step.operation))
    if let label = step.label { add("title", .string(label)) }
    if let target = step.target { add("target", .string(target.id)) }
    if let attribute = step.attribute { add("attribute", .string(attribute)) }
  }

  fileprivate mutating func add(_ ending: SuiteEnding) {
    add("status", .string(ending.status.rawValue))
    add("exitStatus", .number("\(ending.exitStatus.rawValue)"))
    add("passed", JSONValue(ending.passed))
    add("failed", JSONValue(ending.count(.failed)))
    add("notRun", JSONValue(ending.notRun))
    add("warnings", JSONValue(ending.warnings))
  }
}

extension SuiteEvent.Change {
  /// The event's name in output; nil for events that have no line.
  fileprivate var name: String? {
    switch self {
    case .started: "suite-started"
    case .test(_, _, let run):
      switch run.change {
      case .runStarted: "test-started"
      case .stepStarted: "operation-started"
      case .advertisement: "heard"
      case .pairingDisplay: "pairing-display"
      case .note: "note"
      case .stepFinished: "operation-finished"
      case .runFinished: "test-finished"
      case .value, .gap: nil
      }
    case .finished: "suite-finished"
    }
  }
}
