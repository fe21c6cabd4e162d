// Turns the events of one chain into records. Pure.

import Documents
import RunEvents

/// Numbers the events and the steps of one chain.
///
/// The digits that a user types while pairing are not recorded: they are valid for that pairing
/// only.
struct ChainRecords: Sendable {
  private var event = 0
  private var steps = 0
  /// The steps under way, the innermost last.
  private var begun: [(position: StepPosition, step: Int)] = []
  /// The target of the operations of a test that name none.
  private var usualTarget: String?

  init() {}

  /// The record of an event; nil for none.
  mutating func record(of event: RunEvent) -> JournalRecord? {
    switch event.change {
    case .remark(.pairingDisplay), .run(.groupStarted), .run(.groupFinished): return nil
    case .run, .step, .data, .remark(.note): self.event += 1
    }
    let moment = Moment(
      event: self.event, time: Timestamp.text(event.wallClock),
      offset: event.offset.wholeMicroseconds
    )
    switch event.change {
    case .remark(.pairingDisplay), .run(.groupStarted), .run(.groupFinished): return nil
    case .run(.started(let start)):
      usualTarget = event.test?.target
      return .chainStarted(
        JournalRecord.ChainStart(
          moment: moment, device: event.device, name: event.test?.name ?? start.chain,
          identity: event.run.description, seed: "\(start.seed)", steps: start.steps
        )
      )
    case .step(.started(let step)):
      return begin(step, attempt: event.attempt, moment)
    case .data(let step, .value(let value)):
      let members = value.members(of: step)
      let json = JSONValue.object(members)
      return .value(
        JournalRecord.StoredValue(
          step: number(of: step), moment: moment, value: json["value"].json.text,
          hex: json["hex"]?.string,
          details: Self.text(members.filter { !["value", "hex"].contains($0.key) }),
          numbers: value.numbers.map { .init($0.field, $0.value) },
          minute: event.wallClock.wholeMinutes
        )
      )
    case .data(let step, .advertisement(let device)):
      return .value(
        JournalRecord.StoredValue(
          step: number(of: step), moment: moment, value: JSONValue(device).text
        )
      )
    case .data(let step, .gap(let gap)):
      return .gap(step: number(of: step), moment, text: gap.json.text)
    case .remark(.note(let text)):
      let note = JSONValue(["text": text])
      return .note(moment, attempt: event.attempt, text: note.text)
    case .step(.finished(let result)):
      return .stepFinished(end(result, moment))
    case .run(.finished(let ending)):
      return .chainFinished(
        JournalRecord.ChainEnd(
          moment: moment, status: ending.status.rawValue, exitStatus: ending.exitStatus.rawValue,
          attempts: event.attempt, done: ending.done, error: ending.failure?.json.text
        )
      )
    }
  }

  private mutating func begin(
    _ step: ReportedStep, attempt: Int, _ moment: Moment
  ) -> JournalRecord {
    steps += 1
    begun.append((step.position, steps))
    return .stepStarted(
      JournalRecord.StepStart(
        step: steps, moment: moment, attempt: attempt, position: step.position.description,
        operation: step.operation, attribute: step.attribute, written: step.written,
        result: Self.text(Self.head(of: step))
      )
    )
  }

  /// The start of the result of a step, which is known when the step starts: the keys of the step
  /// that have no column.
  private static func head(of step: ReportedStep) -> JSONMembers {
    step.members.filter { !["step", "operation", "attribute", "written"].contains($0.key) }
  }

  private static func text(_ members: JSONMembers) -> String? {
    members.isEmpty ? nil : JSONValue.object(members).text
  }

  private mutating func end(_ result: StepResult, _ moment: Moment) -> JournalRecord.StepEnd {
    let target = result.step.target.flatMap { $0.id == usualTarget ? nil : $0.id }
    let members =
      Self.head(of: result.step) + (result.outcome?.members(of: result.step) ?? [])
      + JSONValue.members(["target": target?.json]) + result.remarks
    let step = number(of: result.step)
    begun.removeAll { $0.step == step }
    return JournalRecord.StepEnd(
      step: step, moment: moment, took: result.took.wholeMicroseconds,
      status: result.status.rawValue, result: Self.text(members), error: result.failure?.json.text
    )
  }

  /// The number of a step under way; 0 for a step that never began.
  private func number(of step: ReportedStep) -> Int {
    begun.last { $0.position == step.position }?.step ?? 0
  }
}
