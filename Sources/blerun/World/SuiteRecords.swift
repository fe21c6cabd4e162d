// From the events of a suite to what a journal has of them: each test is a chain, each operation a
// step. Pure.

import Bluetooth
import Jobs
import Journal
import NordicSuites

/// Numbers the events of one test of a suite.
///
/// What is to be typed on a device that is being paired is not written down.
struct SuiteRecords: Sendable {
  /// What the device is called that the test is for.
  private let device: String
  /// When the test began, since the start of the suite.
  private let begun: Duration
  private let target: String?
  private var event = 0

  /// - Parameter device: What the device is called that the test is for.
  init(_ test: SuiteTest, device: String, begun: Duration) {
    self.device = device
    self.begun = begun
    target = test.target
  }

  /// What is to be written of an event of the test, in order.
  mutating func records(of event: SuiteEvent) -> [JournalRecord] {
    switch event.change {
    case .suiteStarted, .suiteFinished, .pairingDisplay: return []
    case .testStarted(let test, _):
      return [
        .chainStarted(
          JournalRecord.ChainStart(
            moment: moment(event),
            device: device,
            name: test.name,
            identity: event.run.description,
            seed: "\(event.run.seed)",
            steps: test.operations.count
          )
        )
      ]
    case .operationStarted(let placed):
      return [
        .stepStarted(
          JournalRecord.StepStart(
            step: placed.number,
            moment: moment(event),
            attempt: 1,
            position: "\(placed.number)",
            operation: placed.operation.name,
            attribute: placed.operation.path?.description
          )
        )
      ]
    case .heard(let placed, let heard):
      return [value(JSONValue(heard), of: placed, event)]
    case .operationFinished(let result):
      return end(result, event)
    case .testFinished(let result):
      return [
        .chainFinished(
          JournalRecord.ChainEnd(
            moment: moment(event),
            status: result.status.rawValue,
            exitStatus: ExitStatus(after: result.failure).rawValue,
            attempts: 1,
            done: result.done,
            error: result.failure?.json.text
          )
        )
      ]
    }
  }

  private mutating func end(_ result: OperationResult, _ event: SuiteEvent) -> [JournalRecord] {
    let operation = result.placed.operation
    var records: [JournalRecord] = []
    if case .value(let came)? = result.outcome {
      let decoded = came.decoded.map { JSONValue($0) } ?? .null
      records.append(value(decoded, hex: came.hex, of: result.placed, event))
    }
    var members = JSONValue.members(of: result.outcome, withOctets: operation.path != nil)
    if operation.title != operation.name { members.append(("title", .string(operation.title))) }
    if let other = result.placed.target, other != target {
      members.append(("target", .string(other)))
    }
    if !result.notes.isEmpty {
      members.append(("notes", .array(result.notes.map { .string($0) })))
    }
    records.append(
      .stepFinished(
        JournalRecord.StepEnd(
          step: result.placed.number,
          moment: moment(event),
          took: result.took.wholeMicroseconds,
          status: result.status.rawValue,
          result: members.isEmpty ? nil : JSONValue.object(members).text,
          error: result.failure?.json.text
        )
      )
    )
    return records
  }

  private mutating func value(
    _ value: JSONValue,
    hex: String? = nil,
    of placed: PlacedOperation,
    _ event: SuiteEvent
  ) -> JournalRecord {
    .value(
      JournalRecord.StoredValue(
        step: placed.number,
        moment: moment(event),
        value: value.text,
        hex: hex
      )
    )
  }

  private mutating func moment(_ event: SuiteEvent) -> Moment {
    self.event += 1
    return Moment(
      event: self.event,
      time: Timestamp.text(event.wallClock),
      offset: (event.offset - begun).wholeMicroseconds
    )
  }
}
