// The end of a fleet's job as the end of a run, for reports.
//
// Pure values. When the end is reported is up to FleetBatch and FleetFollower.

import Bluetooth
import Documents
import Fleet
import Jobs
import Program
import Signals

/// The events of the run of a claim. A chain that was tried again has several runs under its claim; only
/// the last one counts.
struct JobEvents {
  let events: [RunEvent]

  init(_ lines: [String]) {
    var reader = EventLines()
    var events: [RunEvent] = []
    for line in lines {
      guard let event = try? reader.event(in: line) else { continue }
      if case .run(.started) = event.change { events = [] }
      events.append(event)
    }
    self.events = events
  }

  /// The end of the run; nil if its last event is missing.
  var ending: RunEnding? {
    if case .run(.finished(let ending))? = events.last?.change { ending } else { nil }
  }
}

extension RunEnding {
  /// Returns the ending with the number of steps that the events report as done and as warnings.
  func counting(steps events: [RunEvent]) -> RunEnding {
    let results = events.compactMap { event in
      if case .step(.finished(let result)) = event.change { result } else { nil }
    }
    return RunEnding(
      status: status, failure: failure, step: step,
      done: results.count { !$0.step.position.isImplied && $0.status != .failed },
      warnings: results.count { $0.status == .warning }, captured: captured
    )
  }
}

extension EndRecord {
  /// Returns the end as the end of a run, for reports.
  ///
  /// - Parameters:
  ///   - ran: The end of the run by its events; nil if they are missing.
  ///   - patience: The time that the job had to wait and run.
  ///   - events: The events of the run, as far as they are known.
  func ending(
    _ ran: RunEnding?, within patience: Duration, after events: [RunEvent]
  ) -> RunEnding {
    switch state {
    case .ok:
      if let ran, ran.status == .ok || ran.status == .warning { return ran }
      return RunEnding(status: .ok, failure: nil, step: nil, done: 0)
    case .failed:
      if let ran, ran.status == .failed { return ran }
      return failed("failed", .definite, "an operation failed; its events are missing")
    case .cancelled:
      let failure = RunFailure(
        code: .cancelled, class: .definite, what: "running the chain", why: "the job was cancelled"
      )
      return RunEnding(status: .cancelled, failure: failure, step: nil, done: 0)
    case .unknown:
      let why = "a write may or may not have reached the device, because its gateway was lost"
      return failed(
        "unknown", .definite, why + Self.progress(events),
        hint: "look at the device before it is run again"
      )
    case .interrupted:
      let before = step.map { " before operation \($0 + 1)" } ?? ""
      let why =
        "the gateway was stopped\(before), and nothing was written after that"
        + Self.progress(events)
      return failed("interrupted", .definite, why, hint: "run the rest, or all of it, again")
    case .noGateway:
      let why = "no gateway observed the device within \(patience.written)"
      return failed("no-gateway", .passing, why, hint: "blerun fleet devices")
    case .noCapableGateway:
      let why = "no gateway that observed the device is capable of what the job needs"
      return failed("no-capable-gateway", .definite, why, hint: "blerun fleet gateways")
    case .ambiguous:
      return failed("ambiguous", .definite, "several devices have the name")
    case .needsBond:
      let why = "the name belongs only to private addresses, which change"
      return failed("needs-bond", .definite, why, hint: "bond the device with a gateway")
    case .expired:
      let why = "no gateway ran the job within \(patience.written)"
      return failed("expired", .passing, why, hint: "a longer --patience")
    case .held:
      return failed("held", .passing, "the connection was held until the deadline")
    }
  }

  /// Returns how far the chain is known to have come, in the words of the chain: `; step 2 (write led) is the
  /// last whose end is known`. The last second before a gateway was killed is missing.
  private static func progress(_ events: [RunEvent]) -> String {
    var (ended, open): (ReportedStep?, ReportedStep?) = (nil, nil)
    for event in events {
      switch event.change {
      case .step(.started(let step)) where !step.position.isImplied: open = step
      case .step(.finished(let result)) where !result.step.position.isImplied:
        if open?.position == result.step.position { open = nil }
        switch result.status {
        case .ok, .warning, .skipped: ended = result.step
        case .failed, .cancelled: open = result.step
        }
      case .run, .step, .data, .remark: break
      }
    }
    let parts = [
      ended.map { "\($0.place) (\($0.action)) is the last whose end is known" },
      open.map { "\($0.place) (\($0.action)) had begun" },
    ]
    let text = parts.compactMap(\.self).joined(separator: ", and ")
    return text.isEmpty ? "" : "; \(text)"
  }

  private func failed(
    _ code: String, _ class: FailureClass, _ why: String, hint: String = ""
  ) -> RunEnding {
    let failure = RunFailure(
      code: DeviceFailure.Code(rawValue: code), class: `class`, what: "running the job",
      why: detail.isEmpty ? why : "\(why): \(detail)", hint: hint
    )
    return RunEnding(status: .failed, failure: failure, step: nil, done: 0)
  }
}
