// Results outside the runs, for reports: of a round of a batch, or of a run that never began.

import Bluetooth

/// The result of a command itself: which devices did not run, and why it failed.
///
/// Failures of runs are in their own records.
public struct RecordedWhole: Equatable, Sendable {
  /// Its kind: the word under which its own failure is reported.
  public enum Kind: String, Hashable, Sendable {
    /// A batch.
    case batch
    /// A single run.
    case run
    /// An nRF Connect suite.
    case suite
    /// Several chain files.
    case files
  }

  /// The kind of command that made the runs.
  public let kind: Kind
  /// The name of the batch; nil without one, and for other commands.
  public private(set) var name: String?
  /// The identity of the round; nil when none began.
  public private(set) var identity: RunIdentity?
  /// When it ended, since 1970-01-01T00:00:00Z; nil when it is unknown.
  public private(set) var endedAt: Duration?
  /// The outcomes of an earlier run, for a resumed batch.
  public private(set) var before: BatchCounts?
  /// The names of the devices or files that did not begin.
  public var notRun: [String] = []
  /// Its own failure; nil without one.
  public var failure: RunFailure?
  /// Whether its devices were simulated.
  public var isSimulated: Bool
  /// The names of devices that are listed by their addresses.
  private var names: [String: String] = [:]
  /// Why there is nothing to report, when that is not a failure.
  public var remark: String?

  /// Nothing is known of its results yet.
  ///
  /// ```swift
  /// var whole = RecordedWhole(.run)
  /// whole.notRun = ["attic.yaml"]
  /// print(SummaryReport().text(on: [try await plan.run(on: sensor)], of: whole))
  /// ```
  public init(_ kind: Kind, name: String? = nil, isSimulated: Bool = false) {
    self.kind = kind
    self.name = name
    self.isSimulated = isSimulated
  }

  /// A batch as a journal has it, which does not have its own failure.
  ///
  /// - Parameters:
  ///   - runs: Its runs.
  ///   - notRun: The names of the devices that did not begin.
  ///   - status: What it ended with; nil without a recorded end.
  package init(
    recorded name: String?, _ identity: RunIdentity, _ runs: [RecordedRun], notRun: [String],
    endedAt: Duration?, status: ExitStatus?
  ) {
    self.init(.batch, name: name)
    self.identity = identity
    self.endedAt = endedAt
    self.notRun = notRun
    failure = status.flatMap { Self.failure($0, runs, notRun) }
  }

  /// Why a recorded batch did not succeed, where no run and no device that did not begin shows it.
  private static func failure(
    _ status: ExitStatus, _ runs: [RecordedRun], _ notRun: [String]
  ) -> RunFailure? {
    if status.rawValue > 128 {
      let signal = status.rawValue - 128
      return failure("signal \(signal) ended it", .interrupted, signal: signal)
    }
    guard status != .ok, notRun.isEmpty, runs.allSatisfy(\.succeeded) else { return nil }
    let reason = "the journal does not have the reason"
    return failure("it ended with exit status \(status.rawValue); \(reason)", .unknown)
  }

  private static func failure(
    _ why: String, _ code: DeviceFailure.Code = .notRun, hint: String = "", signal: Int32? = nil
  ) -> RunFailure {
    let what = "running the batch"
    return RunFailure(
      code: code, class: .definite, what: what, why: why, hint: hint, signal: signal
    )
  }

  /// Updates it with an event of a batch.
  mutating func take(_ event: BatchEvent) {
    identity = event.batch
    switch event.change {
    case .waiting, .deviceEnded: break
    case .started(let start):
      name = start.name ?? name
      before = start.past?.counts
      names = Dictionary(
        start.devices.compactMap { device in device.name.map { (device.label, $0) } }
      ) { first, _ in first }
      if start.devices.isEmpty { remark = "no device is left to run" }
    case .finished(let ending):
      endedAt = event.wallClock
      notRun = ending.notRun.map { DeviceTitle.text($0, name: names[$0]) }
      failure = ending.failure ?? stop(ending) ?? leftOut
    }
  }

  /// The earlier runs of a resumed batch are among the runs: they are not counted beside them.
  mutating func includeEarlier(_ runs: [RecordedRun]) {
    before = nil
    let begun = Set(runs.map(\.label))
    notRun.removeAll { begun.contains($0) }
  }

  /// Whether it did not fail itself, whatever its runs.
  public var succeeded: Bool { failure == nil && notRun.isEmpty }

  /// The title of its part of a report.
  var title: String { "the \(kind.rawValue)" }

  /// The reason for a device that did not run.
  var whyNotRun: String { failure.map { "not run: \($0.why)" } ?? "not run" }

  /// Devices did not begin because others had failed.
  private func stop(_ ending: BatchEnding) -> RunFailure? {
    guard !ending.notRun.isEmpty else { return nil }
    let failed = counted(ending.counts.failed, "device")
    let why = "\(failed) failed, and on-failure lets no other begin"
    return Self.failure(why, hint: "run the others: --resume")
  }

  /// Devices that had failed before were not run again.
  private var leftOut: RunFailure? {
    guard let failed = before?.failed, failed > 0 else { return nil }
    return Self.failure(
      "\(counted(failed, "device")) \(failed == 1 ? "was" : "were") left out that failed before",
      hint: "run them again with --resume, without --skip-failed"
    )
  }
}
