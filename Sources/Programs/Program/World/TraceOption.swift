// The trace of a run: requested on the command line, started first, reported at the end.

import ArgumentParser
import Bluetooth
import HostController
import Jobs
import Signals

struct TraceOption: ParsableArguments {
  @Option(file: "Record the traffic of all controllers to a btsnoop file (needs CAP_NET_RAW).")
  var trace: String?

  @Option(
    help: .value(
      "size",
      """
      How much a trace may take: 64K, 64M, 1G. When FILE has a third of it, it goes on in \
      FILE.1, FILE.2 and so on, of which the last two are kept. (default: \
      \(HCITrace.defaultLimit >> 20)M)
      """,
      visibility: RareOptions.visibility
    ),
    transform: sizeArgument
  )
  var traceLimit = HCITrace.defaultLimit

  /// Starts the trace; nil if none was requested.
  func begin() throws(CommandExit) -> HCITrace? {
    guard let trace else { return nil }
    do {
      return try HCITrace(to: trace, limit: traceLimit)
    } catch let failure as TraceFailure {
      throw CommandExit(.output, failure.text)
    } catch {
      throw CommandExit(RunFailure(error))
    }
  }

  /// - Throws: The usage error for a trace of a simulated run.
  func check(isSimulated: Bool) throws {
    guard trace != nil, isSimulated else { return }
    throw ValidationError(
      "--trace records controllers, and simulated devices have none: use --bus-log."
    )
  }
}

extension TraceFailure {
  /// The failure, with advice.
  fileprivate var text: String {
    "the trace \(FileFailure(file, "could not be written", errorNumber))"
  }
}

extension HCITrace {
  /// Ends the trace, and reports the content of the file.
  ///
  /// Waits a moment first: the last packets of a connection come after bluetoothd has reported its end.
  ///
  /// - Returns: The status of the run with this trace: an incomplete trace changes it.
  func end(_ status: ExitStatus, on loop: Loop) -> ExitStatus {
    try? loop.run { try await loop.sleep(for: .milliseconds(100)) }
    close()
    if let failure {
      StandardError.failure(failure.text)
      return [.ok, .failed, .passing].contains(status) ? .output : status
    }
    let parts = files.map { "\($0.name): \(counted($0.packets, "packet"))" }.joined(separator: "; ")
    StandardError.notice("trace \(parts)\(missing)")
    for link in links {
      let timing = link.parameters
      StandardError.notice(
        "link to \(link.address): interval \(timing.interval / .milliseconds(1)) ms, "
          + "latency \(timing.latency), "
          + "supervision timeout \(timing.supervisionTimeout / .milliseconds(1)) ms"
      )
    }
    return status
  }

  /// The message about packets that are missing in the file.
  private var missing: String {
    switch leftOut {
    case 0: ""
    case let count where files.count > 1: "; \(count) after the first file are left out"
    case let count: "; it is full, \(count) later ones are not in it"
    }
  }
}
