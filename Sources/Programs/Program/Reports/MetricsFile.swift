// Writes a file of metrics for the textfile collector of Prometheus's node exporter.
//
// Counting is in RunMetrics.

import ArgumentParser
import Bluetooth
import Jobs
import Signals

/// A metrics file that is kept up to date.
///
/// The file is replaced as a whole, so readers never see a partial state. It is written at most
/// once in each ``interval``, but always at the end of a round.
final class MetricsFile: Sendable {
  private struct State {
    var metrics: RunMetrics
    var written: Instant?
    /// Whether a timer will write the latest counts.
    var isPending = false
  }

  static let interval = Duration.seconds(5)

  private let file: WholeFile
  private let loop: Loop
  /// The name of the batch, a label that tells this file from those of other batches.
  private let batch: String
  private let state: Guarded<State>

  init(_ options: MetricsOptions, path: String, of batch: String, on loop: Loop) throws(Ending) {
    file = try WholeFile(path)
    self.loop = loop
    self.batch = batch
    state = Guarded(State(metrics: RunMetrics(byDevice: options.metricsByDevice)))
  }

  /// Applies a change to the metrics, and writes the file now or once the interval has passed.
  func count(_ change: (inout RunMetrics) -> Void) {
    let now = loop.now
    let wait = state.withLock { state -> Duration? in
      change(&state.metrics)
      guard !state.isPending else { return nil }
      let wait = state.written.map { Self.interval - (now - $0) } ?? .zero
      state.isPending = wait > .zero
      return wait
    }
    guard let wait else { return }
    guard wait > .zero else { return write() }
    loop.after(wait) { [weak self] in
      if let self, state.withLock({ $0.isPending }) { write() }
    }
  }

  /// Counts an event of the batch. The end of a round is written at once, because the next event
  /// may be hours away.
  func count(_ event: BatchEvent) {
    count { $0.take(event) }
    if case .finished = event.change { write() }
  }

  func write() {
    let text = state.withLock { state in
      (state.written, state.isPending) = (loop.now, false)
      return state.metrics.text(["batch": batch])
    }
    file.replace(with: PrintableText(lines: text))
  }

  /// Writes the final metrics.
  ///
  /// - Returns: `status`, or ``ExitStatus/output`` if the file could not be written and no signal
  ///   ended the command.
  func end(_ status: ExitStatus) -> ExitStatus {
    write()
    guard let failure = file.failure else { return status }
    StandardError.failure(failure)
    return status.isInterruption ? status : .output
  }
}

/// The options for metrics of a batch.
struct MetricsOptions: ParsableArguments {
  @Option(
    file:
      "Keep metrics in a file for the textfile collector of Prometheus's node exporter: NAME.prom."
  )
  var metrics: String?

  @Flag(
    help: "Count runs by device, too: the metrics then contain the devices' names or addresses."
  )
  var metricsByDevice = false

  func validate() throws {
    guard metricsByDevice, metrics == nil else { return }
    throw ValidationError("--metrics-by-device needs a file: --metrics FILE.")
  }
}
