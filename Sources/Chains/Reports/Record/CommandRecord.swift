// Results outside the runs, for reports: of a round of a batch, or of a run that never began.

import Bluetooth
public import RunEvents

/// The result of the command as a whole: the devices that did not run, and its own failure.
///
/// Failures of runs are in their own records.
public struct CommandRecord: Equatable, Sendable {
  /// The kind of command, and the noun for its own failure in reports.
  public enum Kind: String, Hashable, Sendable {
    case batch
    case run
    /// An nRF Connect suite.
    case suite
    /// Several chain files.
    case files
  }

  public let kind: Kind
  /// The name of the batch; nil if it has none, and for other commands.
  public private(set) var name: String?
  /// The identity of the round; nil if none began.
  public private(set) var identity: RunIdentity?
  /// The end, since 1970-01-01T00:00:00Z; nil if it is unknown.
  public private(set) var endedAt: Duration?
  /// The outcomes of the interrupted run, in a resumed batch.
  public private(set) var before: BatchCounts?
  /// The names of the devices or files that did not begin.
  public var notRun: [String] = []
  /// The failure of the command itself; nil if there is none.
  public var failure: RunFailure?
  /// Whether the devices were simulated.
  public var isSimulated: Bool
  /// The advertised names of devices that are listed by address.
  private var names: [String: String] = [:]
  /// The reason that there is nothing to report, if it is not a failure.
  public var remark: String?

  /// Creates the result of a command that has none yet.
  ///
  /// ```swift
  /// var whole = CommandRecord(.run)
  /// whole.notRun = ["attic.yaml"]
  /// print(SummaryReport().text(on: [try await plan.run(on: sensor)], of: whole))
  /// ```
  public init(_ kind: Kind, name: String? = nil, isSimulated: Bool = false) {
    self.kind = kind
    self.name = name
    self.isSimulated = isSimulated
  }

  /// Restores the result of a batch from a journal, which does not record the batch's own failure.
  ///
  /// - Parameters:
  ///   - runs: The runs of the batch.
  ///   - notRun: The names of the devices that did not begin.
  ///   - status: The exit status; nil if no end was recorded.
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

  /// The failure of a recorded batch that neither its runs nor its waiting devices explain.
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

  /// Adds an event of a batch.
  package mutating func apply(_ event: BatchEvent) {
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
      failure = ending.failure ?? stop(ending) ?? skippedFailure
    }
  }

  /// Stops counting the earlier runs of a resumed batch separately, because they are among the
  /// runs.
  mutating func includeEarlier(_ runs: [RecordedRun]) {
    before = nil
    let begun = Set(runs.map(\.label))
    notRun.removeAll { begun.contains($0) }
  }

  /// Whether the command itself did not fail; its runs may have.
  public var succeeded: Bool { failure == nil && notRun.isEmpty }

  /// The title of its part of a report.
  package var title: String { "the \(kind.rawValue)" }

  /// The reason for a device that did not run.
  var whyNotRun: String { failure.map { "not run: \($0.why)" } ?? "not run" }

  /// The failure of a batch that stopped because devices had failed.
  private func stop(_ ending: BatchEnding) -> RunFailure? {
    guard !ending.notRun.isEmpty else { return nil }
    let failed = counted(ending.counts.failed, "device")
    if ending.isStoppedByFirst {
      return Self.failure(
        "\(failed) failed, and 'first' lets no other begin",
        hint: "find out why; --resume then begins with the first of those that are left"
      )
    }
    let why = "\(failed) failed, and on-failure lets no other begin"
    return Self.failure(why, hint: "run the others: --resume")
  }

  /// The failure of a resumed batch that skipped devices which had failed before.
  private var skippedFailure: RunFailure? {
    guard let failed = before?.failed, failed > 0 else { return nil }
    return Self.failure(
      "\(counted(failed, "device")) \(failed == 1 ? "was" : "were") left out that failed before",
      hint: "run them again with --resume, without --skip-failed"
    )
  }
}
