// What explains a failure of a run: its part of the trace, and the messages before it.

package import Bluetooth
package import Jobs
import Signals

extension World {
  /// What receives the events of runs, for a report that explains failures.
  ///
  /// - Parameter trace: Names the part of it that a failed step is in.
  package func explaining(
    trace: (any RunTrace)? = nil,
    _ report: @escaping @Sendable (RunEvent) -> Void
  ) -> @Sendable (RunEvent) -> Void {
    TracedReport(trace, traffic, report).receive
  }

  /// What receives the outputs of a watch: the same for its journal.
  package func explainingWatch(
    _ receive: @escaping @Sendable (WatchOutput) -> Void
  ) -> @Sendable (WatchOutput) -> Void {
    let present = Guarded(WatchOutput())
    let explain = explaining { event in
      var output = present.withLock { $0 }
      output.recorded = event
      receive(output)
    }
    return { output in
      guard let event = output.recorded else { return receive(output) }
      present.withLock { $0 = output }
      explain(event)
    }
  }
}
