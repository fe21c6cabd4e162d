// Writes a file of metrics for the textfile collector of Prometheus's node exporter, or a reader of OpenMetrics.
//
// Counting is in RunMetrics.

import ArgumentParser
import Bluetooth
package import Jobs
package import Signals

/// A metrics file that is kept up to date.
///
/// The file is replaced as a whole, so readers never see a partial state. It is written at most
/// once in each ``interval``, but always at the end of a round.
package final class MetricsFile: Sendable {
  private struct State {
    var metrics: RunMetrics
    var written: Instant?
    /// Whether a timer will write the latest counts.
    var isPending = false
  }

  static let interval = Duration.seconds(5)

  private let file: WholeFile
  private let format: MetricsFormat
  private let loop: Loop
  /// The label that tells this file from those of other batches and gateways: what it is about, with its name.
  private let label: (kind: String, name: String)
  private let state: Guarded<State>

  /// Creates a file, with the counts at zero.
  ///
  /// - Parameters:
  ///   - options: Name the file.
  ///   - label: What the file is about, `batch` or `gateway`, with its name.
  /// - Returns: Nil without the option.
  /// - Throws: ``CommandExit`` for a path where no file can be.
  package init?(
    _ options: MetricsOptions, of label: (kind: String, name: String), on loop: Loop
  ) throws(CommandExit) {
    guard let path = options.metrics else { return nil }
    file = try WholeFile(path)
    format = MetricsFormat(fileName: path)
    self.loop = loop
    self.label = label
    state = Guarded(State(metrics: RunMetrics(byDevice: options.metricsByDevice)))
  }

  /// Applies a change to the metrics, and writes the file now or once the interval has passed.
  package func count(_ change: (inout RunMetrics) -> Void) {
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
    count { $0.record(event) }
    if case .finished = event.change { write() }
  }

  /// Writes the current metrics. On the loop: at the end a timer may be writing earlier ones, which must not replace
  /// the last ones.
  package func write() {
    loop.performAndWait { [self] in
      let text = state.withLock { state in
        (state.written, state.isPending) = (loop.now, false)
        return state.metrics.text([label.kind: label.name], as: format)
      }
      file.replace(with: PrintableText(lines: text))
    }
  }

  /// Writes the final metrics.
  ///
  /// - Returns: `status`, or ``ExitStatus/output`` if the file could not be written and no signal
  ///   ended the command.
  package func end(_ status: ExitStatus) -> ExitStatus {
    write()
    guard let failure = file.failure else { return status }
    StandardError.failure(failure)
    return status.isInterruption ? status : .output
  }
}

/// The options for metrics of a batch or a gateway.
package struct MetricsOptions: ParsableArguments {
  @Option(
    file:
      """
      Keep metrics in a file for the textfile collector of Prometheus's node exporter: NAME.prom; or, as \
      OpenMetrics: NAME.openmetrics.
      """
  )
  var metrics: String?

  @Flag(
    help: "Count runs by device, too: the metrics then contain the devices' names or addresses."
  )
  var metricsByDevice = false

  package init() {}

  package func validate() throws {
    guard metricsByDevice, metrics == nil else { return }
    throw ValidationError("--metrics-by-device needs a file: --metrics FILE.")
  }
}
