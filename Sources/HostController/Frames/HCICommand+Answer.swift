// Which packet answers a command, and with what result.

/// The result of a command.
enum HCIAnswer: Hashable, Sendable {
  /// The parameters after the status.
  case done([UInt8])
  case refused(HCIStatus)
}

extension HCICommand {
  /// The answer to this command in a packet of a raw socket; nil for any other packet.
  ///
  /// - Parameter packet: Starts with the packet type.
  func answer(in packet: [UInt8]) -> HCIAnswer? {
    guard packet.first == HCIPacketType.event else { return nil }
    switch HCIEvent(packet.dropFirst()) {
    case .commandComplete(opcode, let parameters)?:
      guard let status = parameters.first.map({ HCIStatus(rawValue: $0) }) else { return nil }
      return status == .success ? .done(Array(parameters.dropFirst())) : .refused(status)
    case .commandStatus(opcode, let status)? where status != .success:
      return .refused(status)
    case .commandComplete?, .commandStatus?, .connected?, .updated?, .disconnected?, .other?, nil:
      return nil
    }
  }
}
