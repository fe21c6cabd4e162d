// Events of suites as JSON, one object a line. The format is documented in docs/nrf-connect.md.

import Bluetooth
import Jobs

/// One JSON object for each event, with the envelope that events of chains have.
public struct SuiteJSONReport: SuiteReport {
  public init() {}

  private typealias Members = [(key: String, value: JSONValue)]

  public func lines(for event: SuiteEvent) -> [String] {
    var members: Members = [
      ("v", JSONValue(JSONLinesReport.version)),
      ("event", .string(event.change.name)),
      ("time", .string(Timestamp.text(event.wallClock))),
      ("offset", .number(event.offset.decimalSeconds)),
      ("run", .string(event.run.description)),
    ]
    switch event.change {
    case .suiteStarted(let suite, let seed):
      members += [
        ("seed", .number("\(seed)")),
        ("suite", suite.title.map { .string($0) } ?? .null),
        ("tests", JSONValue(suite.runs.count)),
      ]
    case .testStarted(let test, let index): members += Self.members(of: test, index)
    case .operationStarted(let placed): members += Self.members(of: placed)
    case .heard(let placed, let device):
      let data = AdvertisedData.text(device)
      members +=
        Self.members(of: placed) + [("device", JSONValue(device)), ("data", .string(data))]
    case .pairingDisplay(let placed, let display):
      members += Self.members(of: placed) + [("value", .string(display.digits))]
    case .operationFinished(let result): members += Self.members(of: result)
    case .testFinished(let result): members += Self.members(of: result)
    case .suiteFinished(let ending): members += Self.members(of: ending)
    }
    return [JSONValue.object(members).text]
  }

  private static func members(of test: SuiteTest, _ index: Int) -> Members {
    var members: Members = [
      ("test", JSONValue(index)), ("id", .string(test.id)), ("title", .string(test.title)),
    ]
    if let run = test.run { members.append(("description", .string(run))) }
    return members
  }

  private static func members(of placed: PlacedOperation) -> Members {
    let operation = placed.operation
    var members: Members = [
      ("test", JSONValue(placed.test)),
      ("number", JSONValue(placed.number)),
      ("operation", .string(operation.name)),
    ]
    if operation.title != operation.name { members.append(("title", .string(operation.title))) }
    if let target = placed.target { members.append(("target", .string(target))) }
    if let path = operation.path { members.append(("attribute", .string(path.description))) }
    return members
  }

  private static func members(of result: OperationResult) -> Members {
    let hasOctets = result.placed.operation.path != nil
    return members(of: result.placed) + [("status", .string(result.status.rawValue))]
      + JSONValue.members(of: result.outcome, withOctets: hasOctets)
      + notes(result.notes) + JSONValue.members(of: result.failure)
  }

  private static func members(of result: TestResult) -> Members {
    members(of: result.test, result.index)
      + [
        ("status", .string(result.status.rawValue)),
        ("done", JSONValue(result.done)),
        ("warnings", JSONValue(result.warnings)),
      ] + JSONValue.members(of: result.failure)
  }

  private static func members(of ending: SuiteEnding) -> Members {
    [
      ("status", .string(ending.status.rawValue)),
      ("exitStatus", .number("\(ending.exitStatus.rawValue)")),
      ("passed", JSONValue(ending.count(.ok) + ending.count(.warning))),
      ("failed", JSONValue(ending.count(.failed))),
      ("notRun", JSONValue(ending.notRun)),
      ("warnings", JSONValue(ending.warnings)),
    ]
  }

  private static func notes(_ notes: [String]) -> Members {
    notes.isEmpty ? [] : [("notes", .array(notes.map { .string($0) }))]
  }
}

extension SuiteEvent.Change {
  /// The event's name in output.
  fileprivate var name: String {
    switch self {
    case .suiteStarted: "suite-started"
    case .testStarted: "test-started"
    case .operationStarted: "operation-started"
    case .heard: "heard"
    case .pairingDisplay: "pairing-display"
    case .operationFinished: "operation-finished"
    case .testFinished: "test-finished"
    case .suiteFinished: "suite-finished"
    }
  }
}
