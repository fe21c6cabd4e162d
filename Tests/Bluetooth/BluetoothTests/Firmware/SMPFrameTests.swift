// Frames of SMP, against bytes that smpclient 7.3 sends.

import Testing

@testable import Bluetooth

@Suite("SMP frames")
struct SMPFrameTests {
  private func octets(_ digits: String) throws -> [UInt8] {
    try #require(ValueFormat("hex")).encode(digits)
  }

  @Test("an echo request is encoded and decoded as smpclient sends it")
  func echo() throws {
    let frame = SMPFrame(.write, .echo, sequence: 0, .map([.init("d", .text("hi"))]))
    #expect(try frame.encoded == octets("0a00000600000000a16164626869"))
    #expect(try SMPFrame(decoding: octets("0a00000600000000a16164626869")) == frame)
  }

  @Test("the first request of an upload is decoded as smpclient sends it")
  func upload() throws {
    let frame = try SMPFrame(
      decoding: octets(
        "0a00002b00010101a6636c656e03636f66660063736861420101"
          + "64646174614361626365696d616765006775706772616465f4"
      )
    )
    #expect(frame.command == .imageUpload)
    #expect(frame.operation == .write)
    #expect(frame.sequence == 1)
    #expect(frame.version == 1)
    #expect(frame.body["len"]?.integer == 3)
    #expect(frame.body["data"]?.octets == Array("abc".utf8))
    #expect(frame.body["upgrade"]?.truth == false)
    #expect(frame.body["missing"] == nil)
  }

  @Test(
    "what is no frame is refused",
    arguments: [
      ("0a0000", "the 3 bytes do not begin with an SMP header"),
      ("0f00000100000000a0", "the 9 bytes do not begin with an SMP header"),
      ("0a00000200000000a0", "the SMP frame has 9 bytes, but its header announces 10"),
      ("0a0000010000000000", "the body of the SMP frame is not a map"),
      ("0a000001000000009f", "the SMP frame has invalid CBOR at byte 1: the data ends early"),
    ]
  )
  func refused(digits: String, message: String) throws {
    let octets = try octets(digits)
    let error = #expect(throws: SMPError.self) { try SMPFrame(decoding: octets) }
    #expect(error?.description == message)
  }

  @Test("packets of any size are collected to the frame", arguments: 1...15)
  func collected(size: Int) throws {
    let frame = SMPFrame(.write, .echo, sequence: 7, .map([.init("d", .text("hello"))])).encoded
    var collector = SMPCollector(limit: 100)
    for _ in 0..<2 {
      var found: [[UInt8]] = []
      for start in stride(from: 0, to: frame.count, by: size) {
        let packet = Array(frame[start..<min(start + size, frame.count)])
        if let whole = try collector.add(packet) { found.append(whole) }
      }
      #expect(found == [frame])
    }
  }

  @Test("after a lost packet, the next frame ends the incomplete one, and the one after it arrives")
  func lost() throws {
    let frame = SMPFrame(.write, .echo, sequence: 7, .map([.init("d", .text("hello"))])).encoded
    var collector = SMPCollector(limit: 100)
    #expect(try collector.add(Array(frame[..<10])) == nil)
    #expect(throws: SMPError.length(announced: frame.count, found: 10 + frame.count)) {
      try collector.add(frame)
    }
    #expect(try collector.add(frame) == frame)
  }

  @Test("a frame that is longer than the buffer is refused by its header")
  func tooLong() {
    var collector = SMPCollector(limit: 100)
    #expect(throws: SMPError.tooLong(bytes: 101, limit: 100)) {
      try collector.add([0x0a, 0, 0, 93, 0, 0, 0, 0])
    }
  }
}
