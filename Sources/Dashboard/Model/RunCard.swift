// A run as the page shows it, with its latest steps.
//
// Fed by the events of this process, or by what a journal has of another one.

import Bluetooth
import Jobs
import Journal

/// A run of one chain, of a batch, of a suite, or of a watch.
package struct RunCard: Equatable, Sendable {
  package let key: RunKey
  /// `run`, `batch`, `watch`.
  var command: String
  /// What the chain, batch or suite is called.
  var name: String?
  var devices: [String]
  /// `under way`, `ok`, `failed`, `cancelled`, `broken off`.
  package var status: String
  /// RFC 3339.
  var started: String
  var finished: String?
  /// Why it failed.
  var why: String?
  var stepsEnded = 0
  /// Whether this process runs it, and can end it.
  var isOwn: Bool

  var members: DashboardChange.Members {
    [
      ("key", .string("\(key)")), ("command", .string(command)),
      ("name", name.map { .string($0) } ?? .null),
      ("devices", .array(devices.map { .string($0) })), ("status", .string(status)),
      ("started", .string(started)), ("finished", finished.map { .string($0) } ?? .null),
      ("why", why.map { .string($0) } ?? .null), ("steps", JSONValue(stepsEnded)),
      ("own", .boolean(isOwn)), ("page", .boolean(hasPage)),
    ]
  }

  /// Whether the journal has what a page of it is made of.
  private var hasPage: Bool {
    switch key {
    case .recorded: true
    case .unrecorded: false
    }
  }

  /// A run that the journal has.
  init(_ run: RunSummary, isUnderWay: Bool) {
    key = .recorded(run.run)
    command = run.command
    name = run.batch?.origin.name ?? run.chains.first?.name
    var seen: Set<String> = []
    devices = run.chains.map(\.device).filter { seen.insert($0).inserted }
    started = run.started
    finished = run.finished
    stepsEnded = run.chains.map(\.stepsEnded).reduce(0, +)
    isOwn = false
    let failed = run.chains.last { $0.status != "ok" && $0.status != nil }
    switch run.exitStatus {
    case 0?: status = "ok"
    case let ended?:
      status = ended > 128 ? "cancelled" : "failed"
      why = failed?.code
    case nil: status = isUnderWay ? "under way" : "broken off"
    }
  }

  /// A chain of this process that begins.
  init(_ key: RunKey, chain: String, device: String, at time: Duration) {
    self.key = key
    command = "run"
    name = chain
    devices = [device]
    status = "under way"
    started = Timestamp.text(time)
    isOwn = true
  }
}

/// A step of a run.
package struct StepLine: Equatable, Sendable {
  /// Distinguishes it from the other steps of its run.
  let id: String
  let position: String
  let title: String
  let device: String
  /// `running`, `ok`, `failed`, `cancelled`, `skipped`.
  let status: String
  /// What came of it, or why it failed.
  let text: String?

  var members: DashboardChange.Members {
    [
      ("id", .string(id)), ("position", .string(position)), ("title", .string(title)),
      ("device", .string(device)), ("status", .string(status)),
      ("text", text.map { .string($0) } ?? .null),
    ]
  }

  /// A step that begins.
  init(_ step: ReportedStep, of event: RunEvent) {
    self.init(step, of: event, status: "running", text: nil)
  }

  /// A step that ended.
  init(_ result: StepResult, of event: RunEvent) {
    let members = JSONValue.members(of: result.outcome, withOctets: false)
    let value = members.first { $0.key == "value" }.map(\.value.text)
    self.init(
      result.step,
      of: event,
      status: result.status.rawValue,
      text: result.failure.map(\.description) ?? value
    )
  }

  private init(_ step: ReportedStep, of event: RunEvent, status: String, text: String?) {
    id = "\(event.device)/\(event.attempt)/\(step.position)"
    position = "\(step.position)"
    title = step.label ?? step.action
    device = event.device
    self.status = status
    self.text = text
  }

  /// A step that a journal has.
  init(_ step: StepSummary, device: String) {
    id = "\(device)/\(step.attempt)/\(step.position)"
    position = step.position
    title = [step.operation, step.attribute].compactMap { $0 }.joined(separator: " ")
    self.device = device
    status = step.status ?? "running"
    text = step.message ?? step.result
  }
}

/// A run with its steps.
struct RunHistory: Sendable {
  /// How many steps are kept of each run: the last ones.
  static let mostSteps = 100

  var card: RunCard
  private(set) var steps: [StepLine] = []
  private var changed: Set<String> = []
  var isChanged = true

  init(_ card: RunCard) { self.card = card }

  mutating func take(_ step: StepLine) {
    if let index = steps.lastIndex(where: { $0.id == step.id }) {
      guard steps[index] != step else { return }
      steps[index] = step
    } else {
      steps.append(step)
      if steps.count > Self.mostSteps { changed.remove(steps.removeFirst().id) }
    }
    changed.insert(step.id)
  }

  mutating func flush() -> [DashboardChange] {
    defer { (changed, isChanged) = ([], false) }
    return (isChanged ? [.run(card)] : [])
      + steps.filter { changed.contains($0.id) }.map { .step(run: card.key, $0) }
  }

  var snapshot: [DashboardChange] {
    [.run(card)] + steps.map { .step(run: card.key, $0) }
  }
}
