// Events of a suite in, runs out: what reports of whole runs are made of, the same as of chains.

import Bluetooth
public import Jobs

/// Collects the tests of a suite from its events: each is a run, each operation a step.
///
/// A failure that was expected is none. A warning counts as ok, with its notes; what this host cannot
/// do and is only warned of was skipped.
public struct SuiteCollector: Sendable {
  /// The tests, in the order in which they began.
  public private(set) var runs: [RecordedRun] = []
  private let devices: SuiteDevices
  private var seed: UInt64 = 0
  /// When the last test began, since the start of the suite.
  private var begun: Duration = .zero

  public init(_ devices: SuiteDevices) {
    self.devices = devices
  }

  /// Takes up what happened.
  public mutating func take(_ event: SuiteEvent) {
    switch event.change {
    case .suiteStarted(_, let seed): self.seed = seed
    case .testStarted(let test, let index):
      begun = event.offset
      runs.append(
        RecordedRun(
          run: event.run,
          device: devices.label(of: test.target),
          label: "\(index)  \(test.name)",
          kind: .test,
          start: RunStart(
            chain: devices.suite.title,
            steps: test.operations.count,
            seed: seed
          ),
          startedAt: event.wallClock
        )
      )
    case .operationFinished(let result):
      guard !runs.isEmpty else { return }
      runs[runs.count - 1].take(RecordedRun.Step(result, endedAt: event.offset - begun))
    case .testFinished(let result):
      guard !runs.isEmpty else { return }
      runs[runs.count - 1].end(RecordedRun.Ending(result), after: event.offset - begun)
    case .operationStarted, .heard, .pairingDisplay, .suiteFinished: break
    }
  }
}

extension RecordedRun.Step {
  fileprivate init(_ result: OperationResult, endedAt: Duration) {
    let isWell = result.status == .ok || result.status == .warning
    var notes = result.notes
    if result.status == .ok, let failure = result.failure {
      notes.insert("failed, as expected: \(failure.why)", at: 0)
    }
    self.init(
      title: result.placed.title,
      status: StepResult.Status(result),
      outcome: result.outcome,
      failure: isWell ? nil : result.failure,
      notes: notes,
      took: result.took,
      endedAt: endedAt
    )
  }
}

extension StepResult.Status {
  fileprivate init(_ result: OperationResult) {
    switch result.status {
    case .ok: self = .ok
    case .warning: self = result.failure?.code == .notSupportedHere ? .skipped : .ok
    case .failed: self = .failed
    case .cancelled: self = .cancelled
    }
  }
}

extension RecordedRun.Ending {
  fileprivate init(_ result: TestResult) {
    let status: RunEnding.Status =
      switch result.status {
      case .ok, .warning: .ok
      case .failed: .failed
      case .cancelled: .cancelled
      }
    self.init(status: status, failure: result.failure, place: result.failedAt?.title)
  }
}

extension PlacedOperation {
  /// `3  How full is it  read battery/battery-level`.
  fileprivate var title: String {
    let title = operation.title == operation.name ? [] : [operation.title]
    return (["\(number)"] + title + [operation.doing]).joined(separator: "  ")
  }
}
