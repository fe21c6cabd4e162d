// Commands that change a connection, and whose result arrives later, in an event of its own.

/// A change of a connection by its controller.
protocol LinkProcedure: Sendable {
  /// The properties of the connection that the two sides agree on.
  associatedtype Agreed: Sendable

  /// The connection.
  var handle: UInt16 { get }
  var command: HCICommand { get }

  /// The result that an event reports; nil for an event that is about something else.
  func result(of event: HCIEvent) -> Result<Agreed, HostProblem>?

  /// The problem of a command that the controller refused.
  func problem(_ status: HCIStatus) -> HostProblem
}

extension LinkProcedure {
  func problem(_ status: HCIStatus) -> HostProblem { HostProblem(status) }

  /// The result of this change in a packet of a raw socket; nil for any other packet.
  ///
  /// - Parameter packet: Starts with the packet type.
  func result(in packet: [UInt8]) -> Result<Agreed, HostProblem>? {
    guard packet.first == HCIPacketType.event, let event = HCIEvent(packet.dropFirst()) else {
      return nil
    }
    let opcode = command.opcode
    switch event {
    case .commandStatus(opcode, let status) where status != .success:
      return .failure(problem(status))
    // A controller that lacks the command may refuse it with a Command Complete.
    case .commandComplete(opcode, let parameters):
      return parameters.first.map { .failure(problem(HCIStatus(rawValue: $0))) }
    case .disconnected(handle): return .failure(.noLink)
    case .updated, .updateFailed, .phyUpdated: return result(of: event)
    case .commandStatus, .commandComplete, .disconnected, .connected, .other: return nil
    }
  }
}
