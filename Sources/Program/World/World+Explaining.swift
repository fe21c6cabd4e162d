// What explains a run: the messages before a failure, and all of them where they are recorded.

import Bluetooth
import HostController
package import Jobs
import Signals

extension World {
  /// What receives the events of runs, for a report that explains failures and has the messages that
  /// are to be recorded.
  ///
  /// - Parameters:
  ///   - limit: How many octets messages and packets may take; nil where none are recorded.
  ///   - trace: Names the part of it that a failed step is in. Its packets are recorded with the
  ///     messages.
  func explaining(
    recordingUpTo limit: Int?,
    trace: HCITrace? = nil,
    _ report: @escaping @Sendable (RunEvent) -> Void
  ) -> @Sendable (RunEvent) -> Void {
    guard let limit else { return TracedReport(trace, traffic, report).receive }
    let isNoticed = Guarded(false)
    let recorded = RecordedTraffic(traffic, limit: limit, on: loop) { event in
      report(event)
      guard case .remark(.recordingStopped) = event.change,
        isNoticed.withLock({ isNoticed in
          defer { isNoticed = true }
          return !isNoticed
        })
      else { return }
      StandardError.notice(
        "no more messages of BlueZ and packets are recorded: they have taken \(limit) bytes "
          + "(--record-limit)"
      )
    }
    traffic.follow { recorded.receive($0) }
    return TracedReport(trace, traffic, recordsPackets: true) { recorded.receive($0) }.receive
  }

  /// What receives the events of runs, for a report that explains failures.
  package func explaining(
    _ report: @escaping @Sendable (RunEvent) -> Void
  ) -> @Sendable (RunEvent) -> Void {
    explaining(recordingUpTo: nil, report)
  }

  /// What receives the outputs of a watch: the same for its journal. What is recorded is also printed.
  ///
  /// - Parameter limit: How many octets the messages may take; nil where none are recorded.
  package func explaining(
    _ plan: WatchPlan,
    recordingUpTo limit: Int? = nil,
    _ receive: @escaping @Sendable (WatchOutput) -> Void
  ) -> @Sendable (WatchOutput) -> Void {
    let names = plan.devices.map(\.target.text)
    let present = Guarded<(output: WatchOutput, begun: Duration?)>((WatchOutput(), nil))
    let explain = explaining(recordingUpTo: limit) { event in
      var output: WatchOutput
      switch event.change {
      case .remark(.message), .remark(.packet), .remark(.recordingStopped):
        output = WatchOutput()
        output.device = names.firstIndex(of: event.device)
        // The run of the journal may have begun after the watch.
        output.printed = event.since(present.withLock { $0.begun } ?? event.wallClock)
      case .remark(.note), .runStarted, .stepStarted, .value, .advertisement, .pairingDisplay, .gap,
        .stepFinished, .runFinished:
        output = present.withLock { $0.output }
      }
      output.recorded = event
      receive(output)
    }
    return { output in
      guard let event = output.recorded else { return receive(output) }
      present.withLock { $0 = (output, $0.begun ?? event.wallClock) }
      explain(event)
    }
  }
}
