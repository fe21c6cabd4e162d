// Run events on standard output. Values that the reader does not read in time are left out.

import Jobs
import Signals

/// Prints run events, and reports values that it left out as gaps.
final class EventOutput: Sendable {
  private let output: StandardOutput
  private let report: any RunReport
  private let isForPeople: Bool
  private let omitted = Guarded(OmittedValues())

  /// - Parameter isForPeople: Whether lines may be coloured, and whether `--quiet` leaves out those with neither data
  ///   nor a failure.
  init(_ output: StandardOutput, as report: any RunReport, isForPeople: Bool) {
    let isQuiet = isForPeople && StandardStreams.ofProcess.presentation.isQuiet
    self.output = output
    self.report = isQuiet ? QuietReport(report) : report
    self.isForPeople = isForPeople
  }

  /// Prints an event, and before it the gaps since the last one. A value of a stream is left out if the queue is
  /// full. Must be called by one thread at a time.
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

  /// The lines of an event. Only the first one is coloured; the others give reasons.
  private func lines(about event: RunEvent) -> [StandardOutput.Line] {
    report.lines(for: event).enumerated().map { index, text in
      (text, isForPeople && index == 0 ? Tone(event) : nil)
    }
  }

  /// Waits until everything is written, or the reader has taken too long.
  ///
  /// - Returns: The failure if not everything was written.
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

  /// Finishes the output at the end of a run, and reports a failure.
  ///
  /// - Returns: The status of the run if not everything was written.
  func finishStatus(in world: World) -> ExitStatus? {
    guard let failure = finish() else { return nil }
    StandardError.failure("\(failure)")
    return world.interruption.status ?? .output
  }

  /// Finishes the output at the end of a command.
  func end(in world: World, after error: (any Error)?) throws(CommandExit) {
    _ = finish()
    try output.end(in: world, after: error)
  }
}
