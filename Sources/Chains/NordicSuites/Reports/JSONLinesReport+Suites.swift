// The events of a suite as JSON, one object a line. The format is documented in docs/nrf-connect.md.

import Bluetooth
import Documents
public import Jobs

extension JSONLinesReport: SuiteReport {
  /// Returns the line for an event, in the same envelope as events of chains.
  ///
  /// The value of an operation is in the line for its end.
  public func lines(for event: SuiteEvent) -> [String] {
    guard let name = event.change.name else { return [] }
    let head: KeyValuePairs<String, any JSONWritable> = [
      "time": Timestamp.text(event.wallClock), "offset": event.offset,
      "run": event.run.description,
    ]
    return [EventLine(name, head, and: members(of: event)).text]
  }

  private func members(of event: SuiteEvent) -> JSONMembers {
    switch event.change {
    case .started(let suite):
      return [
        .init("seed", event.run.seed.json), .init("suite", suite.title.json),
        .init("tests", suite.runs.count.json),
      ]
    case .test(let test, let index, let run):
      return [.init("test", index.json)] + members(of: run.change, in: test)
    case .finished(let ending):
      return [
        .init("status", ending.status.rawValue.json),
        .init("exitStatus", ending.exitStatus.rawValue.json),
        .init("passed", ending.passed.json), .init("failed", ending.count(.failed).json),
        .init("notRun", ending.notRun.json), .init("warnings", ending.warnings.json),
      ]
    }
  }

  private func members(of change: RunEvent.Change, in test: SuiteTest) -> JSONMembers {
    switch change {
    case .runStarted: return members(of: test)
    case .stepStarted(let step): return members(of: step)
    case .advertisement(let step, let device):
      let data = AdvertisedData.text(device)
      return members(of: step) + [.init("device", JSONValue(device)), .init("data", data.json)]
    case .pairingDisplay(let step, let display):
      return (step.map { members(of: $0) } ?? []) + [.init("value", display.digits.json)]
    case .stepFinished(let result): return members(of: result.step) + result.members
    case .runFinished(let ending):
      return members(of: test)
        + JSONValue.members([
          "status": ending.status.json, "done": ending.done.json,
          "warnings": ending.warnings.json, "error": ending.failure?.json,
        ])
    case .note(let text): return [.init("text", text.json)]
    case .value, .gap: return []
    }
  }

  private func members(of test: SuiteTest) -> JSONMembers {
    JSONValue.members([
      "id": test.id.json, "title": test.title.json, "description": test.run?.json,
    ])
  }

  private func members(of step: ReportedStep) -> JSONMembers {
    JSONValue.members([
      "number": .number(step.position.description), "operation": step.operation.json,
      "title": step.label?.json, "target": step.target?.id.json,
      "attribute": step.attribute?.json,
    ])
  }
}

extension SuiteEvent.Change {
  /// The name of the event in the output; nil for an event without a line.
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
