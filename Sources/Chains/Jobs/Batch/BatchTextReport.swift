// The text output of a batch: one line for each device that ends.

import Reports
import RunEvents

/// A report with one line for each device that ends. With `showsSteps`, it has all lines of each
/// run, prefixed with the name of the device.
public struct BatchTextReport: RunReport {
  private let showsSteps: Bool

  /// Creates a report, with or without the steps of each device.
  ///
  /// ```swift
  /// let text = BatchTextReport(showsSteps: true)
  /// _ = try await plan.run(on: sensor) { event in text.lines(for: event).forEach { print($0) } }
  /// ```
  public init(showsSteps: Bool = false) {
    self.showsSteps = showsSteps
  }

  public func lines(for event: RunEvent) -> [String] {
    if case .run(.finished) = event.change {} else if !showsSteps { return [] }
    return TextReport().lines(for: event).map { "\(event.deviceTitle.printable)  \($0)" }
  }

  /// The lines for standard error: the batch waits for the next round, or the batch itself failed.
  ///
  /// ```swift
  /// let batches = BatchTextReport()
  /// let report: @Sendable (BatchEvent) -> Void = { event in
  ///   for line in batches.remarks(on: event) { print(line) }
  /// }
  /// ```
  public func remarks(on event: BatchEvent) -> [String] {
    switch event.change {
    case .waiting(let time, let missed):
      let times = "\(missed) \(missed == 1 ? "time was" : "times were")"
      let remark = missed == 0 ? "" : ", \(times) missed while the last run went on"
      return ["waiting until \(Timestamp.text(time).prefix(19))Z\(remark)"]
    case .finished(let ending):
      return ending.failure.map { ["\($0)"] } ?? []
    case .started, .deviceEnded: return []
    }
  }
}

extension TextReport {
  /// The lines at the end of a batch: its own failure, and the devices that did not run.
  public func lines(for event: BatchEvent) -> [String] {
    guard case .finished = event.change else { return [] }
    var whole = CommandRecord(.batch)
    whole.apply(event)
    let failed = whole.failure.map { ["\(whole.title)  failed"] + TextReport.reasons($0) } ?? []
    return failed + SummaryReport.others(whole)
  }
}
