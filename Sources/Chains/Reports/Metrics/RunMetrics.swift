// Counts events of runs, batches and connections, for Prometheus and readers of OpenMetrics.
//
// It serves and writes nothing: the caller passes events and prints the text.

package import Bluetooth
public import RunEvents

/// Counters of runs, batches and connections, and their text for Prometheus and OpenMetrics.
///
/// A pure value: pass it every event. Its size does not grow with the number of events. No series
/// contains the address or the name of a device, unless `byDevice` is set.
///
/// ```swift
/// var metrics = RunMetrics()
/// let receive: (RunEvent) -> Void = { metrics.record($0) }
/// // When a scraper asks:
/// print(metrics.text())
/// ```
public struct RunMetrics: Equatable, Sendable {
  private var values = MetricValues()
  private let isByDevice: Bool
  private var running = 0
  private var round: Round?

  /// The progress of the current round of a batch.
  private struct Round: Equatable, Sendable {
    let turns: Int
    var waiting: Int
  }

  /// Creates counters that are all zero.
  ///
  /// - Parameter isByDevice: Whether runs are also counted by device: one series for each device
  ///   and result, with the name of the device in output.
  public init(byDevice isByDevice: Bool = false) {
    self.isByDevice = isByDevice
    for result in RunEnding.Status.allCases { values.add(0, to: .runs, result.rawValue) }
    values.set(.runsUnderWay, to: 0)
    values.add(0, to: .notifications)
    values.add(0, to: .missedNotifications)
    for direction in Direction.allCases { values.add(0, to: .bytes, direction.rawValue) }
  }

  /// The direction of a value, as a label.
  private enum Direction: String, CaseIterable { case received, sent }

  /// The text in a format.
  ///
  /// - Parameters:
  ///   - labels: Labels added to every series, to tell this program's file from others that the same
  ///     collector reads.
  ///   - format: The format.
  public func text(
    _ labels: KeyValuePairs<String, String> = [:], as format: MetricsFormat = .prometheus
  ) -> String {
    values.text(as: format, labels)
  }

  // MARK: Runs

  /// Counts an event of a run.
  ///
  /// ```swift
  /// func receive(_ event: RunEvent, into metrics: inout RunMetrics) { metrics.record(event) }
  /// ```
  public mutating func record(_ event: RunEvent) {
    switch event.change {
    case .run(.started): count(running: 1)
    case .data(let step, .value(let value)): count(value, of: step)
    case .data(_, .gap(let gap)): values.add(Double(gap.dropped), to: .missedNotifications)
    case .step(.finished(let result)): count(result)
    case .run(.finished(let ending)):
      count(running: -1)
      values.add(to: .runs, ending.status.rawValue)
      if isByDevice { values.add(to: .deviceRuns, event.device, ending.status.rawValue) }
    case .run(.groupStarted), .run(.groupFinished), .step(.started), .data(_, .advertisement),
      .remark:
      break
    }
  }

  private mutating func count(running change: Int) {
    running += change
    values.set(.runsUnderWay, to: Double(running))
    guard let round else { return }
    if change > 0 { self.round?.waiting = max(0, round.waiting - 1) }
    showRound()
  }

  private mutating func count(_ value: StepValue, of step: ReportedStep) {
    if step.operation == "notify" { values.add(to: .notifications) }
    guard step.hasOctets else { return }
    values.add(Double(value.octets.count), to: .bytes, Direction.received.rawValue)
  }

  private mutating func count(_ result: StepResult) {
    guard result.status != .skipped else { return }
    values.add(to: .operations, result.step.operation, result.status.rawValue)
    guard case .written(let octets) = result.outcome else { return }
    values.add(Double(octets.count), to: .bytes, Direction.sent.rawValue)
  }

  // MARK: Batches

  /// Counts an event of a batch.
  ///
  /// ```swift
  /// func receive(_ event: BatchEvent, into metrics: inout RunMetrics) { metrics.record(event) }
  /// ```
  public mutating func record(_ event: BatchEvent) {
    switch event.change {
    case .started(let start):
      round = Round(turns: start.concurrency, waiting: start.devices.count)
    case .finished(let ending):
      round?.waiting = 0
      values.add(to: .rounds, ending.status.rawValue)
      let now = event.wallClock / .seconds(1)
      values.set(.lastEnd, to: now)
      if ending.status == .ok { values.set(.lastSuccess, to: now) }
    case .waiting, .deviceEnded: break
    }
    showRound()
  }

  private mutating func showRound() {
    guard let round else { return }
    values.set(.devicesWaiting, to: Double(round.waiting))
    values.set(.freeTurns, to: Double(max(0, round.turns - running)))
  }

  // MARK: Connections

  /// Counts an attempt to connect, or the end of a connection.
  package mutating func record(_ news: LinkNews) {
    let adapter = news.adapter ?? "none"
    switch news.change {
    case .connected(let time):
      values.add(to: .connects, adapter, "ok")
      values.observe(time, in: .connectDuration, adapter)
      values.add(to: .connections, adapter)
    case .failed(let code): values.add(to: .connects, adapter, code.rawValue)
    case .ended(let end):
      values.add(to: .disconnects, adapter, end.label)
      values.add(-1, to: .connections, adapter)
    }
  }
}

extension LinkNews.End {
  fileprivate var label: String {
    switch self {
    case .requested: "requested"
    case .dropped(.supervisionTimeout): "supervision-timeout"
    case .dropped(.thisHost): "host"
    case .dropped(.device): "device"
    case .dropped(.authentication): "authentication"
    case .dropped(.suspend): "suspend"
    case .dropped(.unknown): "lost"
    case .deviceRemoved: "device-removed"
    case .daemonLost: "bluetoothd-lost"
    }
  }
}
