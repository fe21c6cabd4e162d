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

/// A change whose command was sent, until its result arrives.
struct PendingProcedure<Procedure: LinkProcedure>: Sendable {
  let procedure: Procedure
  /// Whether the controller has accepted the command. A refusal after that belongs to another
  /// command: the answers to the commands for all connections arrive here, and do not name their
  /// connection.
  private var isAccepted = false

  init(_ procedure: Procedure) { self.procedure = procedure }

  /// The result of the change in the next packet of a raw socket; nil for any other packet.
  ///
  /// - Parameter packet: Starts with the packet type.
  mutating func result(in packet: [UInt8]) -> Result<Procedure.Agreed, HostProblem>? {
    let opcode = procedure.command.opcode
    guard packet.first == HCIPacketType.event else { return nil }
    switch HCIEvent(packet.dropFirst()) {
    case .commandStatus(opcode, .success)?:
      isAccepted = true
      return nil
    case .commandStatus(opcode, _)?, .commandComplete(opcode, _)?:
      return isAccepted ? nil : procedure.result(in: packet)
    case .commandStatus?, .commandComplete?, .connected?, .updated?, .updateFailed?, .phyUpdated?,
      .disconnected?, .other?, nil:
      return procedure.result(in: packet)
    }
  }
}
