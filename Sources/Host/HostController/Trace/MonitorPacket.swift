// The packets of the kernel's monitor channel.

import Bluetooth

/// One packet of the monitor channel.
///
/// - Source: Linux `include/net/bluetooth/hci_mon.h`.
struct MonitorPacket: Hashable, Sendable {
  /// The kind of packet: a command, an event, data, or a note by the kernel.
  let opcode: UInt16
  /// The controller; 0xffff for none.
  let index: UInt16
  let payload: [UInt8]

  /// The opcode of a controller's event.
  static let event: UInt16 = 3

  init(opcode: UInt16, index: UInt16, payload: [UInt8]) {
    self.opcode = opcode
    self.index = index
    self.payload = payload
  }

  /// Parses a frame of the channel: opcode, index, length, payload; nil when it is truncated.
  init?(_ frame: [UInt8]) {
    var reader = PacketReader(frame)
    guard let opcode = reader.uint16(), let index = reader.uint16(), let length = reader.uint16(),
      let payload = reader.bytes(Int(length))
    else { return nil }
    self.init(opcode: opcode, index: index, payload: payload)
  }
}
