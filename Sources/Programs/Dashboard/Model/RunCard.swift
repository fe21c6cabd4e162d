// The state of a run on the page, with its latest steps.
//
// It comes from events for runs of this process, and from the journal for those of other processes.

import Bluetooth
import Documents
import Journal
import Reports
import RunEvents

/// A run of one chain, of a batch, of a suite, or of a watch.
package struct RunCard: Equatable, Sendable {
  package let key: RunKey
  /// `run`, `batch`, `watch`.
  var command: String
  /// The name of the chain, batch or suite.
  var name: String?
  /// The first devices; `deviceCount` counts all.
  var devices: [String]
  var deviceCount: Int
  /// The progress; nil if the number of steps or devices is not known.
  var progress: RunProgress?
  /// `under way`, `ok`, `failed`, `cancelled`, `broken off`.
  package var status: String
  /// RFC 3339.
  var started: String
  var finished: String?
  /// The reason of a failure.
  var why: String?
  var stepsEnded = 0
  /// Whether this process runs it and can end it.
  var isOwn: Bool

  var members: DashboardChange.Members {
    [
      "key": "\(key)", "command": command, "name": name, "devices": devices,
      "deviceCount": deviceCount, "progress": progress?.json, "status": status, "started": started,
      "finished": finished, "why": why, "steps": stepsEnded, "own": isOwn, "page": hasPage,
    ]
  }

  /// Whether the run is in the journal, from which its page is made.
  private var hasPage: Bool {
    switch key {
    case .recorded: true
    case .unrecorded: false
    }
  }

  /// Creates the card of a run in the journal.
  init(_ run: FollowedRun) {
    key = .recorded(run.run)
    command = run.command
    name = run.name
    devices = run.devices
    deviceCount = run.deviceCount
    progress = run.progress
    started = run.started
    finished = run.finished
    stepsEnded = run.stepsEnded
    isOwn = false
    switch run.exitStatus {
    case 0?: status = "ok"
    case let ended?: status = ended > 128 ? "cancelled" : "failed"
    case nil: status = run.isUnderWay ? "under way" : "broken off"
    }
    why = status == "ok" ? nil : run.failure
  }

  /// Creates the card of a batch of this process that begins.
  init(_ key: RunKey, batch: String, at time: Duration) {
    self.key = key
    command = "batch"
    name = batch
    devices = []
    deviceCount = 0
    status = "under way"
    started = Timestamp.text(time)
    isOwn = true
  }

  /// Creates the card of a chain of this process that begins.
  init(_ key: RunKey, chain: String, device: String, at time: Duration) {
    self.key = key
    command = "run"
    name = chain
    devices = [device]
    deviceCount = 1
    status = "under way"
    started = Timestamp.text(time)
    isOwn = true
  }
}

extension RunCard {
  mutating func end(_ status: String, why: String?, at time: Duration) {
    self.status = status
    self.why = why
    finished = Timestamp.text(time)
  }
}

/// A step of a run.
package struct StepLine: Equatable, Sendable {
  /// The identity among the steps of its run.
  let id: String
  let position: String
  let title: String
  let device: String
  /// `running`, `ok`, `warning`, `failed`, `cancelled`, `skipped`.
  let status: String
  /// The outcome, or the reason of a failure.
  let text: String?

  var members: DashboardChange.Members {
    [
      "id": id, "position": position, "title": title, "device": device, "status": status,
      "text": text,
    ]
  }

  /// Creates the line of a step that begins.
  init(_ step: ReportedStep, of event: RunEvent) {
    self.init(step, of: event, status: "running", text: nil)
  }

  /// Creates the line of a step that has ended.
  init(_ result: StepResult, of event: RunEvent) {
    let outcome = result.outcome.map { TextReport.text($0) }
    self.init(
      result.step, of: event, status: result.status.rawValue,
      text: result.failure.map(\.description) ?? Self.shown(outcome)
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

  /// Creates the line of a step in the journal.
  init(_ step: FollowedStep) {
    id = "\(step.chain)/\(step.attempt)/\(step.position)"
    position = step.position
    title = [step.operation, step.attribute].compactMap { $0 }.joined(separator: " ")
    device = step.device
    status = step.status ?? "running"
    text = step.message ?? Self.shown(step.outcome)
  }

  /// Returns the outcome of a step as text; nil if it says no more than that it succeeded.
  private static func shown(_ outcome: String?) -> String? {
    outcome == StepResult.Status.ok.rawValue ? nil : outcome?.printable
  }
}

extension RunProgress {
  var json: JSONValue {
    JSONValue(["unit": unit.rawValue, "ended": ended, "failed": failed, "total": total])
  }
}

/// A run with its latest steps.
struct RunHistory: Sendable {
  /// The most steps that are kept of each run.
  static let mostSteps = 100
  /// The most devices that are named.
  private static let mostDevices = 16

  var card: RunCard
  private(set) var steps: [StepLine] = []
  private var changed: Set<String> = []
  /// The steps of the chain's text that have ended in the current attempt.
  private var ended: (attempt: Int, positions: Set<String>) = (1, [])
  var isChanged = true

  init(_ card: RunCard) { self.card = card }

  /// Handles the beginning of the chain.
  mutating func begin(steps: Int) {
    card.progress = steps > 0 ? RunProgress(.steps, ended: 0, total: steps) : nil
    isChanged = true
  }

  /// Handles the end of a step of the chain.
  mutating func end(_ result: StepResult, attempt: Int) {
    isChanged = true
    card.stepsEnded += 1
    if attempt != ended.attempt {
      ended = (attempt, [])
      card.progress?.failed = 0
    }
    let position = "\(result.step.position)"
    guard RunProgress.counts(position), ended.positions.insert(position).inserted else { return }
    guard var progress = card.progress else { return }
    progress.ended = min(ended.positions.count, progress.total)
    if result.status == .failed { progress.failed += 1 }
    card.progress = progress
  }

  /// Applies an event of the batch.
  mutating func apply(_ event: BatchEvent) {
    isChanged = true
    switch event.change {
    case .waiting: break
    case .started(let start):
      card.name = start.name ?? card.name
      card.devices = start.devices.prefix(Self.mostDevices).map(\.label)
      card.deviceCount = start.devices.count
      card.progress = RunProgress(.devices, ended: 0, total: start.devices.count)
    case .deviceEnded(_, _, let counts):
      card.progress?.ended = counts.done
      card.progress?.failed = counts.failed
    case .finished(let ending):
      card.end(ending.status.rawValue, why: ending.failure?.description, at: event.wallClock)
    }
  }

  /// Applies an event of a chain in the batch.
  mutating func apply(_ event: RunEvent) {
    switch event.change {
    case .step(.started(let step)): apply(StepLine(step, of: event))
    case .step(.finished(let result)):
      apply(StepLine(result, of: event))
      card.stepsEnded += 1
      isChanged = true
    case .run, .data, .remark: break
    }
  }

  mutating func apply(_ step: StepLine) {
    if let index = steps.lastIndex(where: { $0.id == step.id }) {
      guard steps[index] != step else { return }
      steps[index] = step
    } else {
      steps.append(step)
      if steps.count > Self.mostSteps {
        // Remove an ended step first: a batch may have one long step older than many short ones.
        let ended = steps.firstIndex { $0.status != "running" } ?? 0
        changed.remove(steps.remove(at: ended).id)
      }
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
