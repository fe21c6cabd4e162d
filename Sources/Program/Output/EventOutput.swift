// The events of runs on standard output, without those values that nobody reads in time.

import Jobs
import Signals

/// Prints the events of runs, and reports the values that it had to leave out as gaps.
final class EventOutput: Sendable {
  private let output: StandardOutput
  private let report: any RunReport
  private let isForPeople: Bool
  private struct State {
    var omitted = OmittedValues()
    /// How long the lines of the last printed value were; nil before the first.
    var length: Int?
  }

  private let state = Guarded(State())

  /// - Parameter isForPeople: Whether lines may be coloured, and left out with `--quiet` where they
  ///   have neither data nor a failure.
  init(_ output: StandardOutput, as report: any RunReport, isForPeople: Bool) {
    let isQuiet = isForPeople && StandardStreams.ofProcess.presentation.isQuiet
    self.output = output
    self.report = isQuiet ? QuietReport(report) : report
    self.isForPeople = isForPeople
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
    write(lines, about: event)
  }

  /// Only the first line about an event has its colour: the others give reasons.
  private func write(_ lines: [String], about event: RunEvent) {
    for (index, line) in lines.enumerated() {
      output.line(line, tone: isForPeople && index == 0 ? Tone(event) : nil)
    }
  }

  private func printGaps() {
    for gap in state.withLock({ $0.omitted.takeGaps() }) {
      write(report.lines(for: gap), about: gap)
    }
  }

  /// Waits until everything is written, as long as the reader may take.
  ///
  /// - Returns: Why not everything was.
  func finish() -> OutputFailure? {
    printGaps()
    let total = state.withLock { $0.omitted.total }
    if total > 0 {
      StandardError.failure(
        "\(counted(total, "value")) \(total == 1 ? "is" : "are") missing in the output: its "
          + "reader was too slow"
      )
    }
    return output.finish()
  }
}
