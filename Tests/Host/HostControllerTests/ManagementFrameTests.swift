// Frames of the kernel's management interface, octet by octet.

import Bluetooth
import Testing

@testable import HostController

@Suite("Management frames")
struct ManagementFrameTests {
  @Test("a command has its code, controller and length before its parameters")
  func commands() {
    #expect(ManagementCommand.readIndexList.frame == [0x03, 0x00, 0xff, 0xff, 0x00, 0x00])
    #expect(ManagementCommand.readInformation(of: 1).frame == [0x04, 0x00, 0x01, 0x00, 0x00, 0x00])
  }

  @Test("a completion answers its command only on the same controller")
  func answers() {
    // Command Complete (1), no controller, 7 octets: Read Controller Index List, status 0, one: 2.
    let frame: [UInt8] = [
      0x01, 0x00, 0xff, 0xff, 0x07, 0x00, 0x03, 0x00, 0x00, 0x01, 0x00, 0x02, 0x00,
    ]
    #expect(ManagementCommand.readIndexList.answer(in: frame) == .done([0x01, 0x00, 0x02, 0x00]))
    #expect(ManagementCommand.readInformation(of: 0).answer(in: frame) == nil)
    var ofAnother = frame
    ofAnother[2...3] = [0x00, 0x00]
    #expect(ManagementCommand.readIndexList.answer(in: ofAnother) == nil)
    #expect(ManagementCommand.readIndexList.answer(in: frame.dropLast()) == nil)
  }

  @Test("a command is refused by a Command Status, or by the status in its Command Complete")
  func refused() {
    // Command Status (2), controller 0, 3 octets: Read Controller Information, invalid index.
    let status: [UInt8] = [0x02, 0x00, 0x00, 0x00, 0x03, 0x00, 0x04, 0x00, 0x11]
    #expect(ManagementCommand.readInformation(of: 0).answer(in: status) == .refused(status: 0x11))
    let complete: [UInt8] = [0x01] + status.dropFirst()
    #expect(ManagementCommand.readInformation(of: 0).answer(in: complete) == .refused(status: 0x11))
  }

  @Test("the index list is sorted; a truncated list is invalid")
  func indexes() {
    #expect(ControllerInformation.indexes([0x02, 0x00, 0x01, 0x00, 0x00, 0x00]) == [0, 1])
    #expect(ControllerInformation.indexes([0x00, 0x00]) == [])
    #expect(ControllerInformation.indexes([0x02, 0x00, 0x01, 0x00]) == nil)
  }

  @Test("a controller's information is decoded, and its settings have names")
  func information() throws {
    // 00:AA:01:00:00:23, HCI version 9 (5.0), company 0x05f1, supported bits 0, 9, 13, on bit 0.
    let octets: [UInt8] = [
      0x23, 0x00, 0x00, 0x01, 0xaa, 0x00, 0x09, 0xf1, 0x05, 0x01, 0x22, 0x00, 0x00, 0x01, 0x00,
      0x00, 0x00,
    ]
    let known = try #require(ControllerInformation(octets))
    #expect(known.address == BluetoothAddress("00:AA:01:00:00:23"))
    #expect(known.version == 9)
    #expect(known.manufacturer == 0x05f1)
    #expect(
      ControllerInformation.names(of: known.supportedSettings)
        == ["powered", "low-energy", "privacy"]
    )
    #expect(ControllerInformation.names(of: known.currentSettings) == ["powered"])
    #expect(ControllerInformation.names(of: 1 << 31) == [])
    #expect(ControllerInformation(octets.dropLast()) == nil)
  }
}
