// The command that changes the parameters of a connection, and the events that end the change.

import Bluetooth

/// LE Connection Update: its result arrives later, in an event of its own.
///
/// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.8.18.
struct ConnectionUpdate: LinkProcedure, Hashable {
  let handle: UInt16
  let wanted: ConnectionParameters

  var command: HCICommand {
    let interval = UInt16(wanted.interval / ConnectionParameters.intervalUnit)
    let timeout = UInt16(
      wanted.supervisionTimeout / ConnectionParameters.supervisionTimeoutUnit
    )
    // The least and the greatest interval are the same one: the controller must not choose. The
    // lengths of connection events at the end are up to it.
    let parameters = [handle, interval, interval, UInt16(wanted.latency), timeout, 0, 0]
    return HCICommand(
      opcode: .leConnectionUpdate, parameters: parameters.flatMap(\.littleEndianOctets)
    )
  }

  /// Whether parameters can be the result of this change, and not of one that the peripheral
  /// requested just before.
  private func fits(_ parameters: ConnectionParameters) -> Bool {
    parameters.interval == wanted.interval && parameters.latency <= wanted.latency
  }

  func result(of event: HCIEvent) -> Result<ConnectionParameters, HostProblem>? {
    switch event {
    case .updated(handle, let parameters): fits(parameters) ? .success(parameters) : nil
    case .updateFailed(handle, let status): .failure(problem(status))
    case .updated, .updateFailed, .phyUpdated, .commandStatus, .commandComplete, .disconnected,
      .connected, .other:
      nil
    }
  }
}
