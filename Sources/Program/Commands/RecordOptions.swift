// What is recorded of a run beside its steps.

import ArgumentParser
import Bluetooth
import HostController
import Jobs
import Signals

/// Whether what BlueZ is asked and answers is part of the results.
struct RecordOptions: ParsableArguments {
  /// What can be recorded.
  enum Content: String, ExpressibleByArgument, CaseIterable {
    /// Calls to BlueZ, their answers, and its signals.
    case calls
  }

  /// 16 MiB: some 50 000 messages.
  private static let usualLimit = 16 << 20

  @Option(
    help: """
      Record the calls to BlueZ, their answers and its signals, in JSON lines and in the journal. \
      Failures have the last of them without it.
      """
  )
  var record: Content?

  @Option(
    help: ArgumentHelp(
      """
      How much --record may record: 500K, 16M. Later messages are only counted. \
      (default: \(SizeArgument(usualLimit)))
      """,
      valueName: "size"
    ),
    transform: SizeArgument.reading
  )
  var recordLimit = SizeArgument(usualLimit)

  /// How many octets messages may take; nil where none are recorded.
  var limit: Int? {
    switch record {
    case .calls: recordLimit.octets
    case nil: nil
    }
  }
}

extension World {
  /// What receives the events of runs, for a report that explains failures and has the messages that
  /// are to be recorded.
  ///
  /// - Parameters:
  ///   - limit: How many octets the messages may take; nil where none are recorded.
  ///   - trace: Names the part of it that a failed step is in.
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
        "no more messages of BlueZ are recorded: they have taken \(limit) bytes (--record-limit)"
      )
    }
    traffic.follow { recorded.receive($0) }
    return TracedReport(trace, traffic) { recorded.receive($0) }.receive
  }
}
