// The shipped device whose firmware can be replaced.

import Bluetooth
import Signals
import Testing

@testable import SimulatedDevices

@Suite("Firmware update")
struct FirmwareUpdateTests {
  /// Sends an image as an updater does.
  struct Updater {
    let bench: DeviceBench
    let control: UInt16
    let packet: UInt16

    init() throws {
      bench = DeviceBench(try ShippedDeviceTests().definition("firmware-update.yaml"))
      control = try bench.handle("nordic-dfu-control-point")
      packet = try bench.handle("nordic-dfu-packet")
      try bench.subscribe(control)
    }

    /// Lets so many milliseconds pass.
    func pass(_ milliseconds: Int) throws {
      try bench.run(to: Int(bench.loop.now.sinceStart / .milliseconds(1)) + milliseconds)
    }

    /// Writes a request, and returns the answer.
    func ask(_ request: [UInt8]) throws -> [UInt8] {
      let before = bench.sent(on: control).count
      try bench.write(control, request)
      try pass(50)
      return bench.sent(on: control).dropFirst(before).last?.value ?? []
    }

    func send(_ octets: [UInt8]) throws {
      try bench.device.write(packet, octets, withResponse: false).get()
    }

    /// Sends an object in packets of 20 octets, each a millisecond after the other.
    ///
    /// - Parameter window: After how many it waits for a receipt; 0: never.
    func object(_ octets: [UInt8], window: Int) throws {
      let size = UInt32(octets.count)
      let length = (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * UInt32($0))) }
      #expect(try ask([1, 2] + length) == [0x60, 1, 1])
      for (index, start) in stride(from: 0, to: octets.count, by: 20).enumerated() {
        try send(Array(octets[start..<min(start + 20, octets.count)]))
        try pass(1)
        if window > 0, (index + 1).isMultiple(of: window) { try pass(4 * window + 10) }
      }
    }

    func initPacket(size: UInt32, crc: UInt32) throws {
      #expect(try ask([1, 1, 8, 0, 0, 0]) == [0x60, 1, 1])
      try send(
        [size, crc].flatMap { word in
          (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) }
        }
      )
      #expect(try ask([4]) == [0x60, 4, 1])
    }

    var revision: String {
      get throws {
        let handle = try bench.handle("firmware-revision-string")
        return String(decoding: try bench.read(handle), as: UTF8.self)
      }
    }
  }

  /// 5000 octets: two objects.
  let image = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  private func crc32(_ image: ArraySlice<UInt8>) -> UInt32 {
    UInt32(CyclicChecksum.crc32.value(of: image))
  }

  @Test("an image in two objects with receipts is installed, and the device restarts with it")
  func whole() throws {
    let updater = try Updater()
    let crc = crc32(image[...])
    try updater.initPacket(size: 5000, crc: crc)
    #expect(try updater.ask([2, 12, 0]) == [0x60, 2, 1])
    let seen = updater.bench.sent(on: updater.control).count
    try updater.object(Array(image[..<4096]), window: 12)
    // 205 packets, an answer to the making of the object, a receipt for every twelve packets.
    let receipts = updater.bench.sent(on: updater.control).dropFirst(seen + 1)
    #expect(receipts.count == 17)
    #expect(receipts.first?.value.prefix(7) == [0x60, 3, 1, 240, 0, 0, 0])
    #expect(try updater.ask([4]) == [0x60, 4, 1])
    #expect(try updater.ask([6, 2]).prefix(11) == [0x60, 6, 1, 0, 0x10, 0, 0, 0, 0x10, 0, 0])
    try updater.object(Array(image[4096...]), window: 12)
    let sum = (0..<4).map { UInt8(truncatingIfNeeded: crc >> (8 * UInt32($0))) }
    #expect(try updater.ask([3]) == [0x60, 3, 1, 0x88, 0x13, 0, 0] + sum)
    #expect(try updater.revision == "1.0.0")
    #expect(try updater.ask([4]) == [0x60, 4, 1])
    try updater.pass(3000)
    #expect(try updater.revision == "2.0.0")
  }

  @Test("a sender that does not wait loses packets, and gets the error for an invalid image")
  func withoutFlowControl() throws {
    let updater = try Updater()
    try updater.initPacket(size: 1000, crc: crc32(image[..<1000]))
    try updater.object(Array(image[..<1000]), window: 0)
    let answer = try updater.ask([3])
    #expect(answer.count == 11)
    let offset = answer.count > 4 ? Int(answer[3]) | Int(answer[4]) << 8 : 0
    #expect(offset < 1000)
    #expect(try updater.ask([4]) == [0x60, 4, 8], "the object is incomplete")
    #expect(try updater.revision == "1.0.0")
  }

  @Test("an image with a wrong checksum is refused, and can be sent again")
  func wrongChecksum() throws {
    let updater = try Updater()
    try updater.initPacket(size: 100, crc: 1)
    try updater.object(Array(image[..<100]), window: 5)
    #expect(try updater.ask([4]) == [0x60, 4, 5])
    try updater.initPacket(size: 100, crc: crc32(image[..<100]))
    try updater.object(Array(image[..<100]), window: 5)
    #expect(try updater.ask([4]) == [0x60, 4, 1])
  }

  @Test("requests out of sequence are answered with an error")
  func outOfOrder() throws {
    let updater = try Updater()
    #expect(try updater.ask([4]) == [0x60, 4, 8])
    #expect(try updater.ask([1, 2, 1, 0, 0, 0]) == [0x60, 1, 4])
    #expect(try updater.ask([1, 1, 9, 0, 0, 0]) == [0x60, 1, 4])
    #expect(try updater.ask([0x77, 1]) == [0x60, 0x77, 2])
    #expect(try updater.ask([6, 1]) == [0x60, 6, 1, 8, 0, 0, 0] + Array(repeating: 0, count: 8))
  }
}
