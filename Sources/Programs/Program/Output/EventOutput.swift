// The events of runs on standard output, without those values that nobody reads in time.

import Jobs
import Signals

/// Prints the events of runs, and reports the values that it had to leave out as gaps.
final class EventOutput: Sendable {
  private let output: StandardOutput
  private let report: any RunReport
  private let isForPeople: Bool
  private let omitted = Guarded(OmittedValues())

  /// - Parameter isForPeople: Whether lines may be coloured, and left out with `--quiet` where they
  ///   have neither data nor a failure.
  init(_ output: StandardOutput, as report: any RunReport, isForPeople: Bool) {
    let isQuiet = isForPeople && StandardStreams.ofProcess.presentation.isQuiet
    self.output = output
    self.report = isQuiet ? QuietReport(report) : report
    self.isForPeople = isForPeople
  }

  /// Prints an event. A value of a stream is left out when too much waits for the reader; what is
  /// printed next has the gaps before it. One thread at a time may call it.
  @Sendable func receive(_ event: RunEvent) {
    let step = event.stepOfStream
    var gaps: [RunEvent] = []
    let isPut = output.put(isDroppable: step != nil) {
      let lines = lines(about: event)
      gaps = lines.isEmpty ? [] : omitted.withLock { $0.gaps }
      return gaps.flatMap { self.lines(about: $0) } + lines
    }
    if !isPut, let step { omitted.withLock { $0.add(event, of: step) } }
    if isPut, !gaps.isEmpty { omitted.withLock { $0 = OmittedValues() } }
  }

  /// Only the first line about an event has its colour: the others give reasons.
  private func lines(about event: RunEvent) -> [StandardOutput.Line] {
    report.lines(for: event).enumerated().map { index, text in
      (text, isForPeople && index == 0 ? Tone(event) : nil)
    }
  }

  /// Waits until everything is written, as long as the reader may take.
  ///
  /// - Returns: Why not everything was.
  func finish() -> OutputFailure? {
    let gaps = omitted.withLock { $0.gaps }
    if !gaps.isEmpty { _ = output.put { gaps.flatMap { self.lines(about: $0) } } }
    let failure = output.finish()
    let count = output.dropped.values
    if failure == nil, count > 0 {
      StandardError.failure(
        "\(counted(count, "value")) \(count == 1 ? "is" : "are") missing in the output: its "
          + "reader was too slow"
      )
    }
    return failure
  }

  /// The same, where a run in a world is over.
  ///
  /// - Returns: The status of the run where not everything was written, which is reported then.
  func failed(in world: World) -> ExitStatus? {
    guard let failure = finish() else { return nil }
    StandardError.failure("\(failure)")
    return world.interruption.status ?? .output
  }

  /// The same, where a command in a world is over.
  func end(in world: World, after error: (any Error)?) throws(Ending) {
    _ = finish()
    try output.end(in: world, after: error)
  }
}
