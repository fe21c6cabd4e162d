// The trace of a run: asked for on the command line, begun before anything else, told of at the end.

import ArgumentParser
import Bluetooth
import HostController
import Jobs
import Signals

/// Whether and where a run is traced.
struct TraceOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Record the traffic of all controllers to a btsnoop file (needs CAP_NET_RAW; ends at 64 MiB).",
      valueName: "file"
    )
  )
  var trace: String?

  /// Begins to record, if that was asked for.
  ///
  /// - Throws: ``Ending`` where it cannot be; nothing was touched.
  func begin() throws(Ending) -> HCITrace? {
    guard let trace else { return nil }
    do {
      return try HCITrace(to: trace)
    } catch let failure as TraceFailure {
      throw Ending(.output, "\(failure)")
    } catch {
      let failure = RunFailure(error)
      throw Ending(ExitStatus(after: failure), "\(failure)")
    }
  }

  /// Says why a simulated run has no trace.
  func check(isSimulated: Bool) throws {
    guard trace != nil, isSimulated else { return }
    throw ValidationError(
      "--trace records controllers, and simulated devices have none: use --bus-log."
    )
  }
}

extension HCITrace {
  /// Ends the recording, and says what is in the file.
  ///
  /// The last packets of a link come a moment after bluetoothd has said that it is down.
  ///
  /// - Returns: The status of the run with this trace: a trace that is not whole is told by it.
  func end(_ status: ExitStatus, on loop: Loop) -> ExitStatus {
    try? loop.run { try await loop.sleep(for: .milliseconds(100)) }
    close()
    if let failure {
      StandardError.line("blerun: \(failure)")
      return [.ok, .failed, .passing].contains(status) ? .output : status
    }
    let rest = leftOut == 0 ? "" : "; it is full, \(leftOut) later ones are not in it"
    StandardError.line("blerun: trace \(file): \(packetCount) packets\(rest)")
    for link in links {
      let timing = link.parameters
      StandardError.line(
        "blerun: link to \(link.address): interval \(timing.interval / .milliseconds(1)) ms, "
          + "latency \(timing.latency), "
          + "supervision timeout \(timing.supervisionTimeout / .milliseconds(1)) ms"
      )
    }
    return status
  }
}
