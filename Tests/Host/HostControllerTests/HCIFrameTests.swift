// Commands and events of a controller, octet by octet.

import Bluetooth
import Testing

@testable import HostController

@Suite("HCI frames")
struct HCIFrameTests {
  @Test("Read RSSI and Read Transmit Power Level are encoded as packets of the UART transport")
  func commands() {
    // Packet type, opcode 0x1405 (group 5, command 5), two octets, handle 0x0040.
    #expect(HCICommand.readRSSI(0x0040).packet == [0x01, 0x05, 0x14, 0x02, 0x40, 0x00])
    // Opcode 0x0c2d (group 3, command 0x2d), handle 0x0e01, type 0: the present level.
    #expect(
      HCICommand.readTransmitPower(0x0e01).packet == [0x01, 0x2d, 0x0c, 0x03, 0x01, 0x0e, 0x00]
    )
  }

  @Test("a Command Complete answers only the command with its opcode")
  func complete() {
    // Event 0x0e, 7 octets: 1 command allowed, opcode 0x1405, status 0, handle 0x0040, -50 dBm.
    let packet: [UInt8] = [0x04, 0x0e, 0x07, 0x01, 0x05, 0x14, 0x00, 0x40, 0x00, 0xce]
    #expect(HCICommand.readRSSI(0x0040).answer(in: packet) == .done([0x40, 0x00, 0xce]))
    #expect(HCICommand.readTransmitPower(0x0040).answer(in: packet) == nil)
    // Truncated by an octet it is not an event, and as a command packet it is not an answer.
    #expect(HCICommand.readRSSI(0x0040).answer(in: packet.dropLast()) == nil)
    #expect(HCICommand.readRSSI(0x0040).answer(in: [0x01] + packet.dropFirst()) == nil)
  }

  @Test("a command is refused by the status in its Command Complete, or by a Command Status")
  func refused() {
    let completed: [UInt8] = [0x04, 0x0e, 0x07, 0x01, 0x05, 0x14, 0x02, 0x40, 0x00, 0x00]
    #expect(HCICommand.readRSSI(0x0040).answer(in: completed) == .refused(.unknownConnection))
    let refused: [UInt8] = [0x04, 0x0f, 0x04, 0x01, 0x01, 0x05, 0x14]
    #expect(HCICommand.readRSSI(0x0040).answer(in: refused) == .refused(.unknownCommand))
    let begun: [UInt8] = [0x04, 0x0f, 0x04, 0x00, 0x01, 0x05, 0x14]
    #expect(HCICommand.readRSSI(0x0040).answer(in: begun) == nil)
  }

  @Test("the answer about another connection is not the answer to a command")
  func otherConnection() {
    let measured: [UInt8] = [0x04, 0x0e, 0x07, 0x01, 0x05, 0x14, 0x00, 0x41, 0x00, 0xce]
    let refused: [UInt8] = [0x04, 0x0e, 0x07, 0x01, 0x05, 0x14, 0x02, 0x40, 0x01, 0x00]
    let power: [UInt8] = [0x04, 0x0e, 0x07, 0x01, 0x2d, 0x0c, 0x00, 0x41, 0x00, 0x04]
    for packet in [measured, refused] {
      #expect(HCICommand.readRSSI(0x0040).answer(in: packet) == nil)
    }
    #expect(HCICommand.readTransmitPower(0x0040).answer(in: power) == nil)
    #expect(HCICommand.readTransmitPower(0x0041).answer(in: power) == .done([0x41, 0x00, 0x04]))
    // A controller may refuse with nothing but the status.
    let brief: [UInt8] = [0x04, 0x0e, 0x04, 0x01, 0x05, 0x14, 0x02]
    #expect(HCICommand.readRSSI(0x0040).answer(in: brief) == .refused(.unknownConnection))
  }

  /// LE Connection Complete: status 0, handle 0x0040, central, random address C0:FF:EE:00:00:01,
  /// interval 24, latency 0, supervision timeout 72, clock accuracy 0.
  private let connection: [UInt8] = [
    0x3e, 0x13, 0x01, 0x00, 0x40, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0xee, 0xff, 0xc0, 0x18, 0x00,
    0x00, 0x00, 0x48, 0x00, 0x00,
  ]

  private let timing = ConnectionParameters(
    interval: .milliseconds(30), latency: 0, supervisionTimeout: .milliseconds(720)
  )

  @Test("an LE Connection Complete reports the handle, the address and the timing")
  func connected() throws {
    guard case .connected(let made)? = HCIEvent(connection) else {
      Issue.record("no connection")
      return
    }
    #expect(made.status == .success)
    #expect(made.handle == 0x0040)
    #expect(made.address == BluetoothAddress("C0:FF:EE:00:00:01"))
    #expect(made.parameters == timing)
    #expect(HCIEvent(connection.dropLast(2)) == nil)
  }

  @Test("an LE Enhanced Connection Complete has two resolvable addresses before its timing")
  func enhanced() {
    let octets =
      [0x3e, 0x1f, 0x0a] + connection[3..<14] + [UInt8](repeating: 0xaa, count: 12)
      + connection[14...]
    guard case .connected(let made)? = HCIEvent(octets) else {
      Issue.record("no connection")
      return
    }
    #expect(made.address == BluetoothAddress("C0:FF:EE:00:00:01"))
    #expect(made.parameters == timing)
  }

  @Test("an LE Connection Update Complete reports the new parameters")
  func updated() {
    // Status 0, handle 0x0040, interval 6 (7.5 ms), latency 4, supervision timeout 500 (5 s).
    let octets: [UInt8] = [
      0x3e, 0x0a, 0x03, 0x00, 0x40, 0x00, 0x06, 0x00, 0x04, 0x00, 0xf4, 0x01,
    ]
    let timing = ConnectionParameters(
      interval: .microseconds(7500), latency: 4, supervisionTimeout: .seconds(5)
    )
    #expect(HCIEvent(octets) == .updated(handle: 0x0040, timing))
    var failed = octets
    failed[3] = 0x3b
    #expect(
      HCIEvent(failed) == .updateFailed(handle: 0x0040, HCIStatus(rawValue: 0x3b))
    )
  }

  private let update = ConnectionUpdate(
    handle: 0x0040,
    wanted: ConnectionParameters(
      interval: .milliseconds(15), latency: 4, supervisionTimeout: .seconds(5)
    )
  )

  @Test("an LE Connection Update wants one interval, in units of 1.25 ms, and a timeout in 10 ms")
  func updateCommand() {
    // Opcode 0x2013, 14 octets: handle 0x0040, interval 12 to 12, latency 4, timeout 500, any length
    // of connection events.
    #expect(
      update.command.packet == [
        0x01, 0x13, 0x20, 0x0e, 0x40, 0x00, 0x0c, 0x00, 0x0c, 0x00, 0x04, 0x00, 0xf4, 0x01, 0x00,
        0x00, 0x00, 0x00,
      ]
    )
  }

  @Test("the result of an update is its event, which may have a lower latency, or a refusal")
  func updateResult() {
    let done: [UInt8] = [
      0x04, 0x3e, 0x0a, 0x03, 0x00, 0x40, 0x00, 0x0c, 0x00, 0x03, 0x00, 0xf4, 0x01,
    ]
    let got = ConnectionParameters(
      interval: .milliseconds(15), latency: 3, supervisionTimeout: .seconds(5)
    )
    #expect(update.result(in: done) == .success(got))
    var refused = done
    refused[4] = 0x3b
    let unacceptable = HostProblem.refused(HCIStatus(rawValue: 0x3b))
    #expect(update.result(in: refused) == .failure(unacceptable))
    // Command Status: 0x0f, 4 octets, status, 1 command allowed, opcode 0x2013.
    let pending: [UInt8] = [0x04, 0x0f, 0x04, 0x00, 0x01, 0x13, 0x20]
    #expect(update.result(in: pending) == nil)
    var unknown = pending
    unknown[3] = 0x02
    #expect(update.result(in: unknown) == .failure(.noLink))
    // Command Complete: status 0x01.
    let complete: [UInt8] = [0x04, 0x0e, 0x04, 0x01, 0x13, 0x20, 0x01]
    #expect(update.result(in: complete) == .failure(.refused(.unknownCommand)))
    let gone: [UInt8] = [0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x08]
    #expect(update.result(in: gone) == .failure(.noLink))
  }

  @Test("events of another connection or change, and answers to another command, are no result")
  func otherUpdate() {
    let packets: [[UInt8]] = [
      // A change that the peripheral requested: another interval, a higher latency.
      [0x04, 0x3e, 0x0a, 0x03, 0x00, 0x40, 0x00, 0x0d, 0x00, 0x04, 0x00, 0xf4, 0x01],
      [0x04, 0x3e, 0x0a, 0x03, 0x00, 0x40, 0x00, 0x0c, 0x00, 0x05, 0x00, 0xf4, 0x01],
      [0x04, 0x3e, 0x0a, 0x03, 0x00, 0x41, 0x00, 0x0d, 0x00, 0x04, 0x00, 0xf4, 0x01],
      [0x04, 0x3e, 0x0a, 0x03, 0x3b, 0x41, 0x00, 0x0d, 0x00, 0x04, 0x00, 0xf4, 0x01],
      [0x04, 0x05, 0x04, 0x00, 0x41, 0x00, 0x08], [0x04, 0x0f, 0x04, 0x02, 0x01, 0x05, 0x14],
      [0x02, 0x3e, 0x0a, 0x03, 0x00, 0x40, 0x00, 0x0d, 0x00, 0x04, 0x00, 0xf4, 0x01],
      [0x04, 0x3e, 0x09, 0x03, 0x00, 0x40, 0x00, 0x0d, 0x00, 0x04, 0x00, 0xf4], [],
    ]
    for packet in packets { #expect(update.result(in: packet) == nil, "\(packet)") }
  }

  private let phyUpdate = PHYUpdate(handle: 0x0040, wanted: .twoMegabit)

  @Test(
    "an LE Set PHY permits one PHY, in both directions",
    arguments: [(PHY.oneMegabit, 0x01), (.twoMegabit, 0x02), (.coded, 0x04)] as [(PHY, UInt8)]
  )
  func phyCommand(phy: PHY, mask: UInt8) {
    // Opcode 0x2032, 7 octets: handle 0x0040, both directions have a preference, one PHY to transmit
    // and the same to receive, no preferred coding.
    #expect(
      PHYUpdate(handle: 0x0040, wanted: phy).command.packet
        == [0x01, 0x32, 0x20, 0x07, 0x40, 0x00, 0x00, mask, mask, 0x00, 0x00]
    )
    // Opcode 0x2030: only the handle.
    #expect(HCICommand.readPHY(0x0040).packet == [0x01, 0x30, 0x20, 0x02, 0x40, 0x00])
  }

  @Test("an LE PHY Update Complete reports both PHYs, and whatever they are, is the result")
  func phyUpdated() {
    // Subevent 0x0c, status 0, handle 0x0040, transmits on 2M, receives on coded.
    let octets: [UInt8] = [0x3e, 0x06, 0x0c, 0x00, 0x40, 0x00, 0x02, 0x03]
    let mixed = LinkPHY(transmit: .twoMegabit, receive: .coded)
    #expect(HCIEvent(octets) == .phyUpdated(handle: 0x0040, .success, mixed))
    #expect(HCIEvent(octets.dropLast()) == nil)
    #expect(HCIEvent([0x3e, 0x05] + octets[2..<7]) == nil)
    #expect(phyUpdate.result(in: [0x04] + octets) == .success(mixed))
    var unknown = octets
    unknown[7] = 0x04
    #expect(phyUpdate.result(in: [0x04] + unknown) == .failure(.phyUnknown))
    var failed = octets
    failed[3] = 0x1a
    #expect(phyUpdate.result(in: [0x04] + failed) == .failure(.noRemotePHY))
  }

  @Test("a refused LE Set PHY and the end of its connection are results, too")
  func phyRefused() {
    let unsupported: [UInt8] = [0x04, 0x0f, 0x04, 0x11, 0x01, 0x32, 0x20]
    #expect(phyUpdate.result(in: unsupported) == .failure(.noPHY(.twoMegabit)))
    let complete: [UInt8] = [0x04, 0x0e, 0x04, 0x01, 0x32, 0x20, 0x01]
    #expect(phyUpdate.result(in: complete) == .failure(.noPHYCommand))
    let gone: [UInt8] = [0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x08]
    #expect(phyUpdate.result(in: gone) == .failure(.noLink))
  }

  @Test("a PHY of another connection, and changes of parameters, are no result of an LE Set PHY")
  func otherPHY() {
    let packets: [[UInt8]] = [
      [0x04, 0x0f, 0x04, 0x00, 0x01, 0x32, 0x20],
      [0x04, 0x3e, 0x06, 0x0c, 0x00, 0x41, 0x00, 0x02, 0x02],
      [0x04, 0x3e, 0x06, 0x0c, 0x1a, 0x41, 0x00, 0x01, 0x01],
      [0x04, 0x3e, 0x0a, 0x03, 0x00, 0x40, 0x00, 0x0c, 0x00, 0x04, 0x00, 0xf4, 0x01],
      [0x04, 0x0f, 0x04, 0x11, 0x01, 0x13, 0x20], [0x04, 0x05, 0x04, 0x00, 0x41, 0x00, 0x08],
    ]
    for packet in packets { #expect(phyUpdate.result(in: packet) == nil, "\(packet)") }
    #expect(update.result(in: [0x04, 0x3e, 0x06, 0x0c, 0x00, 0x40, 0x00, 0x02, 0x02]) == nil)
  }

  @Test("a Disconnection Complete reports its handle, other events their code")
  func others() {
    #expect(HCIEvent([0x05, 0x04, 0x00, 0x40, 0x00, 0x13]) == .disconnected(handle: 0x0040))
    #expect(HCIEvent([0x13, 0x05, 0x01, 0x40, 0x00, 0x01, 0x00]) == .other(code: 0x13))
    #expect(HCIEvent([0x3e, 0x02, 0x02, 0x00]) == .other(code: 0x3e))
    #expect(HCIEvent([]) == nil)
  }

  @Test("a status is printed as number and name, an unknown status as its number")
  func statuses() {
    #expect("\(HCIStatus.unknownConnection)" == "0x02 Unknown Connection Identifier")
    #expect("\(HCIStatus(rawValue: 0x3f))" == "0x3f")
    #expect("\(HCIStatus.commandDisallowed)" == "0x0c Command Disallowed")
  }
}
