// Noise, and responses that contain the written value.

import Bluetooth
import Signals
import Testing

@testable import SimulatedDevices

@Suite("Noise and responses")
struct NoiseTests {
  @Test("noise is drawn each time, independently for each number, within its bounds")
  func noise() throws {
    let text = """
      characteristic: fff1, properties: notify, noise: { every: 1s, shape: even,
          parts: [{ hex: "01" }, { i16: { low: -100, high: 100 } }, { i16: { low: -100, high: 100 } }] }
      """
    let bench = DeviceBench(try DeviceText.characteristics(text))
    let handle = try bench.handle("fff1")
    try bench.subscribe(handle)
    try bench.run(to: 200_000)
    let values = bench.sent(on: handle).map(\.value)
    #expect(values.count == 200)
    let numbers = values.map {
      [
        Int16($0[1]) | Int16(Int8(bitPattern: $0[2])) << 8,
        Int16($0[3]) | Int16(Int8(bitPattern: $0[4])) << 8,
      ]
    }
    #expect(numbers.allSatisfy { $0.allSatisfy { (-100...100).contains($0) } })
    #expect(numbers.count { $0[0] == $0[1] } < 10)
    #expect(numbers.count { $0[0] > 50 } > 25 && numbers.count { $0[0] < -50 } > 25)
  }

  @Test("bell-shaped noise is rarely near its bounds")
  func bell() throws {
    let text = """
      characteristic: fff1, properties: notify,
          noise: { every: 1s, shape: bell, parts: [{ u8: { low: 0, high: 100 } }] }
      """
    let bench = DeviceBench(try DeviceText.characteristics(text))
    let handle = try bench.handle("fff1")
    try bench.subscribe(handle)
    try bench.run(to: 400_000)
    let values = bench.sent(on: handle).map { Int($0.value[0]) }
    #expect(values.count { (30...70).contains($0) } > 300)
    #expect(values.count { $0 < 10 || $0 > 90 } < 20)
  }

  @Test("a response copies parts of the written value into its answer")
  func captures() throws {
    let bench = DeviceBench(
      try DeviceText.characteristics(
        """
        characteristic: fff1, properties: [write, notify], responses:
            [{ when-like: "8? <id:u16> <rest:*>",
               then: { notify: [{ hex: "90" }, { u16be: $id + 1 }, { octets: $rest }] } },
             { when-like: "'echo ' <text:*>", then: { notify: $text } },
             { when-like: "00 *", refuse: value-not-allowed }, { then: { notify: written } }]
        """
      )
    )
    let handle = try bench.handle("fff1")
    try bench.subscribe(handle)
    try bench.write(handle, [0x81, 0xff, 0x00, 5, 6])
    try bench.write(handle, Array("echo on".utf8))
    try bench.write(handle, [0x70])
    #expect(bench.device.write(handle, [0, 1], withResponse: true).error == .valueNotAllowed)
    try bench.run(to: 1)
    let sent = bench.sent(on: handle).map(\.value)
    #expect(sent == [[0x90, 0x01, 0x00, 5, 6], Array("on".utf8), [0x70]])
  }
}
