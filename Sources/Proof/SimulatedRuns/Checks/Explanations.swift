// Errors explain the failure.

import Bluetooth
import Signals

/// Checks the errors that chains end with.
struct Explanations: Check {
  private(set) var problems: [BrokenRule] = []
  private var cancelled: Set<ChainID> = []
  /// Chains with a scan: their deadline is their normal end, and names no operation.
  private var scanning: Set<ChainID> = []

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .stepBegan(let id, _, let step):
      if case .scan = step.bare { scanning.insert(id) }
    case .cancelled(let id): cancelled.insert(id)
    case .ended(let id, let ending):
      guard let error = ending.error else { return }
      if let problem = problem(with: error, id) {
        problems.append(
          BrokenRule(rule: "Errors explain", detail: "\(id): \(problem): \(error)", at: now)
        )
      }
    case .message, .treated, .device, .disturbance, .healed, .joined, .requested, .turnBegan,
      .turnEnded, .stepValue, .stepEnded:
      break
    }
  }

  mutating func finish(at now: Instant) {}

  private func problem(with error: any Error, _ id: ChainID) -> String? {
    switch error {
    case let failure as DeviceFailure: return Self.problem(with: failure)
    case let failed as FailedWithCleanUp:
      if let cause = failed.cause, let problem = problem(with: cause, id) { return problem }
      for cleanUp in failed.cleanUp {
        if let problem = problem(with: cleanUp.error, id) { return problem }
      }
      return nil
    case is CancellationError:
      return cancelled.contains(id) ? nil : "cancelled without a request"
    case let timedOut as TimedOut:
      // The error must name the operation, not the wait for its value.
      let waits = ["waiting for a value", "handing on a value", "the signal"]
      let isUnnamed = waits.contains(timedOut.operation) && !scanning.contains(id)
      return isUnnamed ? "it does not name the operation that took so long" : nil
    default: return "an error of another kind"
    }
  }

  private static func problem(with failure: DeviceFailure) -> String? {
    if failure.code == .unknown { return "its meaning is not known" }
    if failure.operation.isEmpty || failure.meaning.isEmpty || failure.hint.isEmpty {
      return "a part is empty"
    }
    if failure.code == .timedOut, failure.timedOut == nil, failure.bluez == nil {
      return "it does not name the deadline that has passed"
    }
    if failure.device == nil, failure.operation != "scanning" { return "it names no device" }
    let text = failure.description
    if text.contains("/org/bluez") { return "it names an object path" }
    if text.contains("Optional(") || text.contains("Error(") { return "it shows Swift code" }
    return nil
  }
}
