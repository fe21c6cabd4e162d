// Trace files, octet by octet, and their bounds.

import Bluetooth
import Testing

@testable import HostController

@Suite("Trace files")
struct SnoopFormatTests {
  /// An event of controller 1: HCI Reset was done.
  private let packet = MonitorPacket(
    opcode: 3, index: 1, payload: [0x0e, 0x04, 0x01, 0x03, 0x0c, 0x00]
  )

  @Test("a file begins with btsnoop, version 1, data link type 2001")
  func header() {
    #expect(
      SnoopFormat.header == [
        0x62, 0x74, 0x73, 0x6e, 0x6f, 0x6f, 0x70, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x07,
        0xd1,
      ]
    )
  }

  @Test("a record has its lengths, its controller and packet type, zero drops and its time")
  func record() {
    // 2000-01-01T00:00:00Z is 946 684 800 s after 1970, and 0x00e03ab44a676000 in the file's count.
    #expect(
      SnoopFormat.record(packet, at: 946_684_800_000_001) == [
        0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x06, 0x00, 0x01, 0x00, 0x03, 0x00, 0x00, 0x00,
        0x00, 0x00, 0xe0, 0x3a, 0xb4, 0x4a, 0x67, 0x60, 0x01, 0x0e, 0x04, 0x01, 0x03, 0x0c, 0x00,
      ]
    )
  }

  @Test("a monitor frame is parsed into type, controller, length and payload, or is rejected")
  func frames() {
    let frame: [UInt8] = [0x03, 0x00, 0x01, 0x00, 0x06, 0x00] + packet.payload
    #expect(MonitorPacket(frame) == packet)
    #expect(MonitorPacket(frame.dropLast()) == nil)
    #expect(MonitorPacket(Array(frame.prefix(5))) == nil)
  }

  /// The packet as a slice shows it.
  private func recorded(_ number: Int, at time: Duration) -> TracePacket {
    TracePacket(number: number, time: time, text: "> event Command Complete, Reset, status 0x00")
  }

  @Test("a slice has the packets since a mark, numbered from 1, between its times")
  func slices() {
    var content = TraceContent(limit: 1000, hasMoreFiles: false)
    #expect(content.slice(since: 0, of: "a") == nil)
    for time in [10, 30, 20] { _ = content.add(packet, at: time) }
    #expect(
      content.slice(since: 1, of: "a")
        == TraceSlice(
          file: "a", packets: 2...3, times: .microseconds(20) ... .microseconds(30),
          last: [recorded(2, at: .microseconds(30)), recorded(3, at: .microseconds(20))]
        )
    )
    #expect(content.slice(since: 3, of: "a") == nil)
  }

  @Test("a slice of many packets keeps the last ones")
  func lastPackets() {
    var content = TraceContent(limit: 64 << 20, hasMoreFiles: true)
    for time in 1...1000 { _ = content.add(packet, at: time) }
    let slice = content.slice(since: 10, of: "a")
    #expect(slice?.packets == 11...1000)
    #expect(slice?.last.map(\.number) == Array(969...1000))
    #expect(slice?.last.last == recorded(1000, at: .microseconds(1000)))
    #expect(content.slice(since: 998, of: "a")?.last.map(\.number) == [999, 1000])
  }

  @Test("a file ends at its size limit and accepts no further packet, however small")
  func limit() {
    var content = TraceContent(limit: 16 + 30 + 29, hasMoreFiles: false)
    #expect(content.add(packet, at: 1).octets.count == 30)
    #expect(content.add(packet, at: 2) == TraceContent.Writing())
    let small = MonitorPacket(opcode: 5, index: 1, payload: [])
    #expect(content.add(small, at: 3) == TraceContent.Writing())
    #expect(content.files == [TraceContent.File(number: 0, packets: 1)])
    #expect(content.left == 2)
    #expect(content.octets == 46)
  }

  /// A trace of which three files may have two packets each.
  private func small() -> TraceContent { TraceContent(limit: 3 * (16 + 60), hasMoreFiles: true) }

  @Test("a long trace keeps its beginning and its end, and counts the packets between them")
  func long() {
    var content = small()
    let writings = (1...9).map { content.add(packet, at: $0) }
    #expect(writings.map(\.begins) == [nil, nil, 1, nil, 2, nil, 3, nil, 4])
    #expect(writings.map(\.removes) == [nil, nil, nil, nil, nil, nil, 1, nil, 2])
    #expect(writings.allSatisfy { $0.octets.count == 30 })
    let files = [(0, 2), (3, 2), (4, 1)].map { TraceContent.File(number: $0.0, packets: $0.1) }
    #expect(content.files == files)
    #expect(content.left == 4)
    #expect(content.total == 9)
    #expect(content.octets == 46)
  }

  @Test("a packet larger than the file limit gets a file of its own")
  func longPacket() {
    var content = TraceContent(limit: 3 * 40, hasMoreFiles: true)
    #expect(content.add(packet, at: 1).begins == nil)
    #expect(content.add(packet, at: 2).begins == 1)
    #expect(content.left == 0)
  }

  @Test("a slice has the packets in the current file, and the number of packets before them")
  func laterSlices() {
    var content = small()
    var marks: [Int] = []
    for time in 1...7 {
      marks.append(content.total)
      _ = content.add(packet, at: time * 10)
    }
    #expect(marks == Array(0...6))
    #expect(content.present == 3)
    let time = Duration.microseconds(70)
    let last = [recorded(1, at: time)]
    let whole = TraceSlice(file: "a.3", packets: 1...1, times: time...time, last: last)
    #expect(content.slice(since: 6, of: "a.3") == whole)
    let rest = TraceSlice(file: "a.3", packets: 1...1, times: time...time, before: 3, last: last)
    #expect(content.slice(since: 3, of: "a.3") == rest)
    #expect(content.slice(since: 7, of: "a.3") == nil)
  }
}
