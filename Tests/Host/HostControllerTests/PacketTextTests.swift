// Text descriptions of the packets of a trace.

import Testing

@testable import HostController

@Suite("Packet descriptions")
struct PacketTextTests {
  @Test(
    "commands, events and attribute packets are printed with their names",
    arguments: [
      (2, [0x0d, 0x20, 0x19, 0x00], "< command LE Create Connection"),
      (2, [0xff, 0xfc, 0x00], "< command 0xfcff"),
      (3, [0x05, 0x04, 0x00, 0x40, 0x00, 0x08], "> event Disconnection Complete, reason 0x08"),
      (
        3, [0x0e, 0x04, 0x01, 0x0c, 0x20, 0x00],
        "> event Command Complete, LE Set Scan Enable, status 0x00"
      ),
      (
        3, [0x0f, 0x04, 0x0c, 0x01, 0x0d, 0x20],
        "> event Command Status, LE Create Connection, status 0x0c"
      ),
      (3, [0x3e, 0x13, 0x01], "> event LE Connection Complete"),
      (
        5, [0x40, 0x20, 0x09, 0x00, 0x05, 0x00, 0x04, 0x00, 0x01, 0x12, 0x17, 0x00, 0x03],
        "> ATT Error Response, Write Request to 0x0017: 0x03"
      ),
      (
        4, [0x40, 0x00, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x0a, 0x18, 0x00],
        "< ATT Read Request 0x0018"
      ),
      (5, [0x40, 0x20, 0x05, 0x00, 0x11, 0x00, 0x06, 0x00, 0x03, 0xaa], "> SMP Pairing Confirm"),
      (4, [0x40, 0x10, 0x05, 0x00, 0x01], "< data, continued"),
      (5, [0x40], "> data (cut off)"), (12, [0x61], "= note of kind 12"),
    ] as [(UInt16, [UInt8], String)]
  )
  func texts(opcode: UInt16, payload: [UInt8], text: String) {
    #expect(PacketText.text(of: MonitorPacket(opcode: opcode, index: 0, payload: payload)) == text)
  }
}
