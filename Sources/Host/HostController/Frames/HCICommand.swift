// HCI commands, encoded as bytes, and the parsing of their replies.

/// The opcode of an HCI command.
///
/// - Source: Bluetooth Core 5.4, Vol 4, Part E §5.4.1.
struct HCIOpcode: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt16

  static let readTransmitPowerLevel = HCIOpcode(rawValue: 0x0c2d)
  static let readRSSI = HCIOpcode(rawValue: 0x1405)
  static let leConnectionUpdate = HCIOpcode(rawValue: 0x2013)
  static let leReadPHY = HCIOpcode(rawValue: 0x2030)
  static let leSetPHY = HCIOpcode(rawValue: 0x2032)
}

/// A command with its parameters.
struct HCICommand: Hashable, Sendable {
  let opcode: HCIOpcode
  let parameters: [UInt8]

  /// Reads the RSSI of a connection.
  static func readRSSI(_ handle: UInt16) -> HCICommand {
    HCICommand(opcode: .readRSSI, parameters: handle.littleEndianOctets)
  }

  /// Reads the current TX power of a connection.
  static func readTransmitPower(_ handle: UInt16) -> HCICommand {
    let present: UInt8 = 0
    return HCICommand(
      opcode: .readTransmitPowerLevel, parameters: handle.littleEndianOctets + [present]
    )
  }

  /// Reads the PHYs of a connection.
  static func readPHY(_ handle: UInt16) -> HCICommand {
    HCICommand(opcode: .leReadPHY, parameters: handle.littleEndianOctets)
  }

  /// The packet for a raw socket. It begins with the packet type, as on the UART transport.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 4, Part A §2, Part E §5.4.1.
  var packet: [UInt8] {
    [HCIPacketType.command] + opcode.rawValue.littleEndianOctets + [UInt8(parameters.count)]
      + parameters
  }
}

/// The octet before a packet on the UART transport, also used by raw sockets.
enum HCIPacketType {
  static let command: UInt8 = 0x01
  static let event: UInt8 = 0x04
}

/// The result of a command.
enum HCIAnswer: Hashable, Sendable {
  /// The parameters after the status.
  case done([UInt8])
  case refused(HCIStatus)
}

extension HCICommand {
  /// The answer to this command in a packet of a raw socket; nil for any other packet, such as the
  /// answer about another connection of the same controller.
  ///
  /// - Parameter packet: Starts with the packet type.
  func answer(in packet: [UInt8]) -> HCIAnswer? {
    guard packet.first == HCIPacketType.event else { return nil }
    switch HCIEvent(packet.dropFirst()) {
    case .commandComplete(opcode, let parameters)?:
      guard let status = parameters.first.map({ HCIStatus(rawValue: $0) }) else { return nil }
      // Each raw socket receives the answers to all programs. A refusal may consist of its status.
      let handle = parameters.dropFirst().prefix(2)
      guard handle.count < 2 || handle.elementsEqual(self.parameters.prefix(2)) else { return nil }
      return status == .success ? .done(Array(parameters.dropFirst())) : .refused(status)
    case .commandStatus(opcode, let status)? where status != .success:
      return .refused(status)
    case .commandComplete?, .commandStatus?, .connected?, .updated?, .updateFailed?, .phyUpdated?,
      .disconnected?, .other?, nil:
      return nil
    }
  }
}

extension UInt16 {
  /// The two octets, least significant first.
  var littleEndianOctets: [UInt8] {
    [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)]
  }
}
