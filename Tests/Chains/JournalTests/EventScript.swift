// Events of a chain, made by hand.

import Bluetooth
import Jobs

/// Tells the events of one chain, each a moment after the last.
struct EventScript {
  private let plan: Plan
  private let device: String
  private let identity: RunIdentity
  private var time = Duration.zero
  var attempt = 1
  /// The test of a suite; nil for a chain.
  var test: RunEvent.Test?
  private(set) var events: [RunEvent] = []

  init(_ line: String, device: String = "Thermo-1", named name: String? = nil) throws {
    var plan = try Plan.parse(line: line)
    if let name { plan.steps[0].name = name }
    self.plan = plan
    self.device = device
    identity = RunIdentity(seed: 7, plan: plan)
  }

  /// The steps of the chain, with the implied connecting.
  var steps: [ReportedStep] { plan.placedSteps.map(\.reported) }

  /// The step in a place of the chain, counted from 1; 0 is the implied connecting.
  func step(_ number: Int) -> ReportedStep { steps[number] }

  mutating func pass(_ duration: Duration) { time += duration }

  @discardableResult
  mutating func tell(_ change: RunEvent.Change) -> RunEvent {
    let event = RunEvent(
      run: identity, device: device, test: test, attempt: attempt, offset: time,
      wallClock: .seconds(946_684_800) + time, change: change
    )
    events.append(event)
    return event
  }

  mutating func start() {
    tell(.run(.started(RunStart(chain: plan.name, steps: plan.steps.count, seed: identity.seed))))
  }

  mutating func begin(_ number: Int) { tell(.step(.started(step(number)))) }

  @discardableResult
  mutating func value(_ octets: [UInt8], in number: Int) -> RunEvent {
    let value = StepValue(octets: octets, decoded: .integer(Int128(octets[0])))
    return tell(.data(step(number), .value(value)))
  }

  mutating func finish(
    _ number: Int, _ outcome: StepOutcome? = nil, failure: RunFailure? = nil, warns: Bool = false,
    notes: [String] = [], tries: [StepTry] = []
  ) {
    let status: StepResult.Status = failure == nil ? .ok : warns ? .warning : .failed
    let result = StepResult(
      step(number), status: status, outcome: outcome, failure: failure, notes: notes,
      tries: tries, took: .milliseconds(5)
    )
    tell(.step(.finished(result)))
  }

  mutating func end(_ failure: RunFailure? = nil, warnings: Int = 0) {
    let status: RunEnding.Status = failure == nil ? .ok : .failed
    let ending = RunEnding(
      status: status, failure: failure, step: nil, done: 1, warnings: warnings
    )
    tell(.run(.finished(ending)))
  }

  /// A chain that connects and reads a value; it fails where a failure is given.
  static func reading(
    _ value: UInt8, device: String = "Thermo-1", failure: RunFailure? = nil
  ) throws -> [RunEvent] {
    var script = try EventScript("read battery-level", device: device)
    script.start()
    script.begin(0)
    script.finish(0, .linked(.made))
    script.begin(1)
    if failure == nil { script.value([value], in: 1) }
    let outcome = StepOutcome.value(StepValue(octets: [value], decoded: .integer(Int128(value))))
    script.finish(1, failure == nil ? outcome : nil, failure: failure)
    script.end(failure)
    return script.events
  }
}

extension RunFailure {
  static let lost = RunFailure(
    code: .linkLost, class: .passing, what: "reading battery-level on 'Thermo-1'",
    why: "the link was lost", hint: "bring the device closer"
  )
}
