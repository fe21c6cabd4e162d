// The current activity of a run, as one line.
//
// A pure state machine: events and times in, text out. StatusLine shows the text.

import BlueZ
import Jobs
import Signals

/// The current step: its wait, the elapsed time and the timeout.
///
/// `step 2: listening to temperature-measurement, 3 of 5 values, 3.1 s of 20 s`
struct RunStatus: Sendable {
  private var wait: RunWait?
  private var phase: ServiceNotice?
  /// The number of values that the step has received.
  private var values = 0
  /// How far the upload of the step is, in percent; nil for steps without one.
  private var uploaded: Int?

  mutating func apply(_ wait: RunWait) {
    self.wait = wait
    phase = nil
  }

  mutating func apply(_ notice: ServiceNotice) { phase = notice }

  /// Clears the phase of connecting, when the connection is up.
  mutating func connected() { phase = nil }

  /// Applies an event of the run. A step is shown from its start on, also without a reported wait.
  mutating func apply(_ event: RunEvent, at now: Instant) {
    switch event.change {
    case .step(.started(let step)):
      let position = step.position.isImplied ? nil : step.position
      apply(RunWait(position: position, what: step.title, begun: now))
      (values, uploaded) = (0, nil)
    case .data(_, .value):
      if let percent = event.uploadedPercent { uploaded = percent } else { values += 1 }
    case .data(_, .advertisement): values += 1
    case .step(.finished), .run(.finished): wait = nil
    case .run, .data(_, .gap), .remark: break
    }
  }

  /// The line; empty while the run does not wait.
  ///
  /// - Parameter columns: The maximum width. The times are cut last.
  func line(at now: Instant, columns: Int) -> String {
    guard let wait else { return "" }
    var start = repeated(wait.attempt).map { "chain attempt \($0), " } ?? ""
    start += wait.position.map { "step \($0): " } ?? ""
    start += wait.what
    let details = [counted(wait), repeated(wait.stepTry).map { "try \($0)" }, doing]
    let limit = wait.limit.map { " of \(Self.exactSeconds($0))" } ?? ""
    return ColumnText.line(
      start, details: details.compactMap { $0.map { ", \($0)" } }.joined(),
      end: ", \(Self.seconds(now - wait.begun))\(limit)", columns: columns
    )
  }

  /// `2 of 3`; nil for the first one.
  private func repeated(_ attempt: RunWait.Try?) -> String? {
    attempt.flatMap { $0.ordinal > 1 ? "\($0.ordinal) of \($0.most)" : nil }
  }

  private func counted(_ wait: RunWait) -> String? {
    if let uploaded { return "\(uploaded) %" }
    if let wanted = wait.values { return "\(values) of \(wanted) values" }
    return values == 0 ? nil : Jobs.counted(values, "value")
  }

  private var doing: String? {
    switch phase {
    case .finding: "scanning"
    case .connecting(let attempt, let most): "attempt \(attempt) of \(most)"
    case .trying(let attempt, let most, _): "waiting for attempt \(attempt) of \(most)"
    case .awaiting(let run): "waiting for \(run)"
    case nil, .choosing, .takingOver, .endingStale, .losingBond: nil
    }
  }

  /// `3.1 s`
  private static func seconds(_ duration: Duration) -> String {
    "\(TextReport.milliseconds(max(.zero, duration)).dropLast(2)) s"
  }

  /// `20 s`, `0.25 s`
  private static func exactSeconds(_ duration: Duration) -> String {
    var text = TextReport.milliseconds(duration)
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return "\(text) s"
  }
}
