// What reports of whole runs have beside the runs: of a batch's round, or of a run that never began.

import Bluetooth

/// What is known of a command as a whole: which devices did not run, and why it did not succeed.
///
/// Failures of single runs are theirs.
public struct RecordedWhole: Equatable, Sendable {
  /// What it is: the word that its own failure is reported under.
  public enum Kind: String, Hashable, Sendable {
    case batch, run, suite
  }

  public let kind: Kind
  /// What the batch is called; nil when it has no name, and for what is no batch.
  public let name: String?
  /// The identity of the batch's round; nil where none began.
  public private(set) var identity: RunIdentity?
  /// When it ended, since 1970-01-01T00:00:00Z; nil where it is not known.
  public private(set) var endedAt: Duration?
  /// How devices ended before, where a batch went on.
  public private(set) var before: BatchCounts?
  /// The devices that were to run and did not begin, as output names them.
  public private(set) var notRun: [String] = []
  /// Why it did not succeed as a whole; nil when nothing but its runs is to be reported.
  public private(set) var failure: RunFailure?
  /// Why there is nothing to report, where that is no failure.
  public private(set) var remark: String?

  public init(_ kind: Kind, name: String? = nil) {
    self.kind = kind
    self.name = name
  }

  /// Takes up what happened in a batch.
  mutating func take(_ event: BatchEvent) {
    identity = event.batch
    switch event.change {
    case .waiting, .deviceEnded: break
    case .started(let start):
      before = start.past?.counts
      if start.devices.isEmpty { remark = "no device is left to run" }
    case .finished(let ending):
      endedAt = event.wallClock
      notRun = ending.notRun
      failure = ending.failure ?? stop(ending) ?? leftOut
    }
  }

  /// The same with a failure, unless it has one.
  public func failed(_ failure: RunFailure) -> RecordedWhole {
    var whole = self
    whole.failure = self.failure ?? failure
    return whole
  }

  /// The same with a reason why there is nothing to report.
  public func remarking(_ remark: String) -> RecordedWhole {
    var whole = self
    whole.remark = remark
    return whole
  }

  /// Whether nothing is wrong with it; its runs are not asked.
  public var isWell: Bool { failure == nil && notRun.isEmpty }

  /// What its own part of a report is called.
  var title: String { "the \(kind.rawValue)" }

  /// What is said of a device that did not run.
  var whyNotRun: String { failure.map { "not run: \($0.why)" } ?? "not run" }

  /// Devices that did not begin although nothing ended the batch: others had failed.
  private func stop(_ ending: BatchEnding) -> RunFailure? {
    guard !ending.notRun.isEmpty else { return nil }
    let failed = ending.counts.failed
    return RunFailure(
      code: .notRun,
      class: .definite,
      what: "running the batch",
      why: "\(counted(failed, "device")) failed, and on-failure lets no other "
        + "begin",
      hint: "run the others: --resume"
    )
  }

  /// Devices that had failed before and were not tried again.
  private var leftOut: RunFailure? {
    guard let failed = before?.failed, failed > 0 else { return nil }
    return RunFailure(
      code: .notRun,
      class: .definite,
      what: "running the batch",
      why:
        "\(counted(failed, "device")) \(failed == 1 ? "was" : "were") left out that failed before",
      hint: "run them again with --resume, without --skip-failed"
    )
  }
}
