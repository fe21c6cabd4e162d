// What the kernel's monitor channel tells, packet by packet.

/// One packet of the monitor channel.
///
/// - Source: Linux `include/net/bluetooth/hci_mon.h`.
struct MonitorPacket: Hashable, Sendable {
  /// What it is: a command, an event, data, a note of the kernel.
  let opcode: UInt16
  /// The controller, 0xffff for none.
  let index: UInt16
  let payload: [UInt8]

  /// The kinds that carry an event of a controller.
  static let event: UInt16 = 3

  init(opcode: UInt16, index: UInt16, payload: [UInt8]) {
    self.opcode = opcode
    self.index = index
    self.payload = payload
  }

  /// Reads a frame of the channel: opcode, index, length, payload; nil when it ends too early.
  init?(_ frame: [UInt8]) {
    var reader = FrameReader(frame)
    guard let opcode = reader.uint16(), let index = reader.uint16(), let length = reader.uint16(),
      let payload = reader.take(Int(length))
    else { return nil }
    self.init(opcode: opcode, index: index, payload: payload)
  }
}
