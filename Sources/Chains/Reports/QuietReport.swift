// The lines of another report, restricted to data and failures.

import Bluetooth
public import RunEvents

/// A report with only those lines of another report that have data or a failure.
public struct QuietReport: RunReport {
  private let report: any RunReport

  /// Creates a report with only the lines of `report` about data and failures.
  ///
  /// ```swift
  /// let quiet = QuietReport(TextReport())
  /// _ = try await plan.run(on: sensor) { event in quiet.lines(for: event).forEach { print($0) } }
  /// ```
  public init(_ report: any RunReport) { self.report = report }

  public func lines(for event: RunEvent) -> [String] {
    event.hasDataOrFailure ? report.lines(for: event) : []
  }
}

extension RunEvent {
  /// Whether the event has data from a device, a value that a step computed, or a failure.
  package var hasDataOrFailure: Bool {
    switch change {
    case .data, .remark(.pairingDisplay): true
    case .run(.started), .run(.groupStarted), .step(.started), .remark(.note): false
    case .step(.finished(let result)): result.hasDataOrFailure
    case .run(.finished(let ending)): ending.status != .ok
    case .run(.groupFinished(let ending)): ending.exitStatus != .ok
    }
  }
}

extension StepResult {
  fileprivate var hasDataOrFailure: Bool {
    switch status {
    case .warning, .failed, .cancelled: true
    case .skipped: false
    case .ok: failure == nil && outcome?.isData == true
    }
  }
}

extension StepOutcome {
  fileprivate var isData: Bool {
    switch self {
    case .linked, .left, .paired, .written: false
    case .value, .listened, .polled, .exchanged, .mtu, .services, .scanned, .logged: true
    }
  }
}
