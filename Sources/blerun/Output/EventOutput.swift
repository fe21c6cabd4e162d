// The events of runs on standard output, without those values that nobody reads in time.

import Jobs
import Signals

/// Prints the events of runs, and reports the values that it had to leave out as gaps.
final class EventOutput: Sendable {
  private let output: StandardOutput
  private let report: any RunReport
  private struct State {
    var omitted = OmittedValues()
    /// How long the lines of the last printed value were; nil before the first.
    var length: Int?
  }

  private let state = Guarded(State())

  init(_ output: StandardOutput, as report: any RunReport) {
    self.output = output
    self.report = report
  }

  /// Prints an event. A value of a stream is left out when too much waits for the reader.
  @Sendable func receive(_ event: RunEvent) {
    let step = event.stepOfStream
    // A value that is left out need not even be formatted.
    if let step, let length = state.withLock({ $0.length }), !output.admits(octets: length) {
      return state.withLock { $0.omitted.add(event, of: step) }
    }
    let lines = report.lines(for: event)
    guard !lines.isEmpty else { return }
    if step != nil {
      let length = lines.reduce(0) { $0 + $1.utf8.count + 1 }
      state.withLock { $0.length = length }
    }
    printGaps()
    for line in lines { output.line(line) }
  }

  private func printGaps() {
    for gap in state.withLock({ $0.omitted.takeGaps() }) {
      for line in report.lines(for: gap) { output.line(line) }
    }
  }

  /// Waits until everything is written, as long as the reader may take.
  ///
  /// - Returns: Why not everything was.
  func finish() -> OutputFailure? {
    printGaps()
    let total = state.withLock { $0.omitted.total }
    if total > 0 {
      StandardError.line(
        "blerun: \(counted(total, "value")) \(total == 1 ? "is" : "are") missing in the output: its "
          + "reader was too slow"
      )
    }
    return output.finish()
  }
}
