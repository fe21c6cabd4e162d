// A batch for people: a line a device, as it ends.

/// One line for each device as it ends, with its name before it; with `tellsSteps` all lines of each
/// run, each with the name of its device.
public struct BatchTextReport: RunReport {
  private let tellsSteps: Bool

  public init(tellsSteps: Bool = false) {
    self.tellsSteps = tellsSteps
  }

  public func lines(for event: RunEvent) -> [String] {
    if case .runFinished = event.change {} else if !tellsSteps { return [] }
    return TextReport().lines(for: event).map { "\(TextReport.visible(event.device))  \($0)" }
  }

  /// What is said of a batch that waits, or did not go well as a whole: for standard error.
  public func remarks(on event: BatchEvent) -> [String] {
    switch event.change {
    case .waiting(let next):
      let times = "\(next.missed) \(next.missed == 1 ? "time was" : "times were")"
      let missed = next.missed == 0 ? "" : ", \(times) missed while the last run went on"
      return ["waiting until \(Timestamp.text(next.time).prefix(19))Z\(missed)"]
    case .finished(let ending):
      return ending.failure.map { ["\($0)"] } ?? []
    case .started, .deviceEnded: return []
    }
  }
}

extension TextReport {
  /// What is told of a batch beside its runs, when it is over: what went wrong with it as a whole,
  /// and the devices that did not run.
  public func lines(for event: BatchEvent) -> [String] {
    guard case .finished = event.change else { return [] }
    var whole = RecordedWhole(.batch)
    whole.take(event)
    let failed = whole.failure.map { ["\(whole.title)  failed"] + TextReport.reasons($0) } ?? []
    return failed + SummaryReport.others(whole)
  }
}
