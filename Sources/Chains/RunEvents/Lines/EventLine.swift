// Converts events to lines of JSON and back. docs/json.md documents the keys.
//
// It is the only such conversion: output, journals, fleets and reports of earlier runs share it.

package import Bluetooth
package import Documents
import Signals

/// A line of JSON: the version of the format, the name of an event, and its keys.
package struct EventLine: Equatable, Sendable {
  /// The names of the events of runs.
  package enum Name: String, CaseIterable, Sendable {
    case runStarted = "run-started"
    case stepStarted = "step-started"
    case value
    case pairingDisplay = "pairing-display"
    case gap
    case note
    case stepFinished = "step-finished"
    case runFinished = "run-finished"
  }

  /// The version of the format. It changes when a key is removed or changes its meaning.
  package static let version = 1

  package let json: JSONValue

  /// Creates a line of any event.
  package init(_ event: String, _ members: JSONMembers) {
    json = .object(
      [.init("v", Self.version.json), .init("event", event.json)] + members)
  }

  /// Creates a line in which missing values are null, followed by optional keys.
  package init(
    _ event: String, _ members: KeyValuePairs<String, any JSONWritable>,
    and others: JSONMembers = []
  ) {
    self.init(event, members.map { .init($0, $1.json) } + others)
  }

  /// Creates the line of an event; nil for an event of a suite that has none.
  package init?(_ event: RunEvent) {
    guard event.test == nil, let (name, members) = event.change.line else {
      self.init(inSuite: event)
      return
    }
    let others = JSONValue.members([
      "deviceName": event.deviceName?.json,
      "attempt": event.attempt > 1 ? event.attempt.json : nil,
    ])
    self.init(
      name.rawValue,
      [
        "time": Timestamp.text(event.wallClock), "offset": event.offset,
        "run": event.run.description, "device": event.device,
      ],
      and: others + members
    )
  }

  /// The text, on one line.
  package var text: String { json.text }
}

extension RunEvent.Change {
  /// The name and the keys in a chain; nil for the begin and the end of a suite.
  fileprivate var line: (EventLine.Name, JSONMembers)? {
    switch self {
    case .run(.started(let start)): return (.runStarted, start.members)
    case .step(.started(let step)): return (.stepStarted, step.members)
    case .data(let step, .value(let value)):
      return (.value, step.members + value.members(of: step))
    case .data(let step, .advertisement(let device)):
      return (.value, step.members + [.init("value", JSONValue(device))])
    case .remark(.pairingDisplay(let step, let display)):
      let kind =
        switch display {
        case .passkey: "passkey"
        case .pin: "pin"
        }
      let shown = JSONValue.members(["show": kind.json, "value": display.digits.json])
      return (.pairingDisplay, (step?.members ?? []) + shown)
    case .data(let step, .gap(let gap)): return (.gap, step.members + gap.members)
    case .remark(.note(let text)): return (.note, [.init("text", .string(text))])
    case .step(.finished(let result)):
      return (.stepFinished, result.step.members + result.members)
    case .run(.finished(let ending)):
      let members = JSONValue.members([
        "status": ending.status.json,
        "exitStatus": ending.exitStatus.rawValue.json,
        "warnings": ending.warnings > 0 ? ending.warnings.json : nil,
        "error": ending.failure?.json,
      ])
      return (.runFinished, members)
    case .run(.groupStarted), .run(.groupFinished): return nil
    }
  }
}

/// A parser of lines, which must be those of one run after another.
package struct EventLines {
  /// The seed of the last run that began.
  private var seed: UInt64 = 0
  /// The start times of the running steps, by position.
  private var begun: [StepPosition: Duration] = [:]
  /// The failed steps, by the message of their failure.
  private var failed: [String: ReportedStep] = [:]
  private let completion: ReportedStep.Completion

  /// - Parameter completion: Completes the steps, of which lines have only a part.
  package init(completing completion: @escaping ReportedStep.Completion = { step, _ in step }) {
    self.completion = completion
  }

  /// Parses a line; nil if it is not an event of a run.
  ///
  /// - Throws: ``JSONSyntaxError``.
  package mutating func event(in line: String) throws(JSONSyntaxError) -> RunEvent? {
    event(of: try JSONValue(parsing: line))
  }

  /// Converts the object of a line; nil if it is not an event of a run.
  package mutating func event(of json: JSONValue) -> RunEvent? {
    guard let name: EventLine.Name = json.read("event"), let run: String = json.read("run"),
      let device: String = json.read("device"), let offset: Duration = json.read("offset"),
      let time = json["time"]?.string.flatMap(Timestamp.time),
      let change = change(name, json, device, offset)
    else { return nil }
    switch change {
    case .run(.started(let start)): (seed, begun, failed) = (start.seed, [:], [:])
    case .step(.started(let step)): begun[step.position] = offset
    case .step(.finished(let result)):
      if let failure = result.failure { failed[failure.message] = result.step }
    case .run, .data, .remark: break
    }
    return RunEvent(
      run: RunIdentity(recorded: run, seed: seed), device: device,
      deviceName: json.read("deviceName"), attempt: json.read("attempt") ?? 1, offset: offset,
      wallClock: time, change: change
    )
  }

  private func change(
    _ name: EventLine.Name, _ json: JSONValue, _ device: String, _ offset: Duration
  ) -> RunEvent.Change? {
    let step = ReportedStep(json: json).map { completion($0, device) }
    switch name {
    case .runStarted: return RunStart(json: json).map { .run(.started($0)) }
    case .stepStarted: return step.map { .step(.started($0)) }
    case .value: return step.map { .data($0, .value(StepValue(recorded: json))) }
    case .gap:
      guard let step, let gap = NotificationGap(json: json) else { return nil }
      return .data(step, .gap(gap))
    case .note: return json["text"]?.string.map { .remark(.note($0)) }
    // Passkeys are useless after the run.
    case .pairingDisplay: return nil
    case .stepFinished:
      guard let step else { return nil }
      let began = begun[step.position] ?? offset
      return StepResult(recorded: json, of: step, took: offset - began)
        .map { .step(.finished($0)) }
    case .runFinished:
      guard let status: RunEnding.Status = json.read("status") else { return nil }
      let failure: RunFailure? = json.read("error")
      let step = failure.flatMap { failed[$0.message] }
      let ending = RunEnding(
        status: status, failure: failure, step: step, done: 0,
        warnings: json.read("warnings") ?? 0
      )
      return .run(.finished(ending))
    }
  }
}

// MARK: Parts of events

extension EventLine.Name: JSONForm {}
extension StepResult.Status: JSONForm {}
extension RunEnding.Status: JSONForm {}

extension RunStart: JSONObjectForm {
  package static let form = JSONKeys<RunStart>(
    { RunStart(chain: $2, steps: $3, seed: $0, file: $1) },
    .key("seed", \.seed),
    .optional("file", \.file),
    .optional("chain", \.chain, orNull: true),
    .usual("steps", \.steps, 0, always: true)
  )
}

extension StepPosition: JSONForm {
  package init?(json: JSONValue) {
    guard let position = json.string.flatMap({ StepPosition($0) }) else { return nil }
    self = position
  }

  package var json: JSONValue { .string(description) }
}

extension ReportedStep: JSONObjectForm {
  package static let form = JSONKeys<ReportedStep>(
    { position, label, operation, attribute, written, isStream, hasOctets in
      ReportedStep(
        recorded: position, operation: operation, attribute: attribute, written: written,
        hasOctets: hasOctets, isStream: isStream, label: label
      )
    },
    .key("step", \.position),
    .optional("name", \.label),
    .key("operation", \.operation),
    .optional("attribute", \.attribute),
    .optional("written", \.written),
    .usual("stream", \.isUnusualStream, false),
    // Written with the value.
    JSONKey("hex", write: { _ in nil }, read: { $0 != nil })
  )
}

extension NotificationGap: JSONObjectForm {
  private enum Name: String, JSONForm {
    case linkLost = "link-lost"
    case overflow, output
  }

  private var name: Name {
    switch cause {
    case .linkLost: .linkLost
    case .overflow: .overflow
    case .output: .output
    }
  }

  package static let form = JSONKeys<NotificationGap>(
    { name, lasted, dropped in
      let cause: Cause =
        switch name {
        case .linkLost: .linkLost
        case .overflow: .overflow(dropped: dropped)
        case .output: .output(dropped: dropped)
        }
      return NotificationGap(cause, from: .start, to: .start + lasted)
    },
    .key("cause", \.name),
    .key("lasted", \.lasted),
    .usual("dropped", \.dropped, 0, always: true)
  )
}
