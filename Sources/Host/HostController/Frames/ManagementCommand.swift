// Commands of the kernel's Bluetooth Management interface, and their answers.

import Bluetooth

/// A command on the control channel.
///
/// - Source: BlueZ `doc/mgmt-api.txt`, "Packet Structures".
struct ManagementCommand: Hashable, Sendable {
  let code: UInt16
  /// The controller that the command is for.
  let index: UInt16
  let parameters: [UInt8]

  /// The index for commands that concern no controller.
  static let nonController: UInt16 = 0xffff

  /// Lists the controllers. Needs no privilege.
  static let readIndexList = ManagementCommand(code: 0x0003, index: nonController, parameters: [])

  /// Reads the properties of a controller. Needs no privilege.
  static func readInformation(of index: UInt16) -> ManagementCommand {
    ManagementCommand(code: 0x0004, index: index, parameters: [])
  }

  var frame: [UInt8] {
    code.littleEndianOctets + index.littleEndianOctets
      + UInt16(parameters.count).littleEndianOctets + parameters
  }

  private enum Event {
    static let commandComplete: UInt16 = 0x0001
    static let commandStatus: UInt16 = 0x0002
  }

  /// The answer to this command in a frame; nil for any other frame.
  func answer(in frame: [UInt8]) -> ManagementAnswer? {
    var reader = PacketReader(frame)
    guard let event = reader.uint16(), reader.uint16() == index, let length = reader.uint16(),
      let parameters = reader.bytes(Int(length))
    else { return nil }
    var inner = PacketReader(parameters)
    guard inner.uint16() == code, let status = inner.uint8() else { return nil }
    switch event {
    case Event.commandComplete where status == 0: return .done(inner.remainingBytes())
    case Event.commandComplete, Event.commandStatus: return .refused(status: status)
    default: return nil
    }
  }
}

/// The result of a management command.
enum ManagementAnswer: Hashable, Sendable {
  /// The return parameters.
  case done([UInt8])
  /// - Source: BlueZ `doc/mgmt-api.txt`, "Error Codes".
  case refused(status: UInt8)
}
