// Values that follow others, noise, and responses that answer with what was written.

import Bluetooth
import Signals
import Testing

@testable import SimulatedDevices

@Suite("Values that follow others")
struct FollowerTests {
  @Test("a follower is read as the others are at that moment")
  func read() throws {
    let bench = DeviceBench(
      try DeviceText.characteristics(
        "characteristic: fff1, properties: [read, write], value: { u16: 300 }",
        "characteristic: fff2, properties: read, counter: { format: u8, every: 1s }",
        """
        characteristic: fff3, properties: read, follows: { with: { high: { of: fff1, as: u8, at: 1 },
            count: { of: fff2, as: u8 }, all: fff1 },
            value: [{ hex: aa }, { u16be: $high * 100 + $count }, { octets: $all }] }
        """,
        "characteristic: fff4, properties: read, follows: fff3"
      )
    )
    let (source, last) = (try bench.handle("fff1"), try bench.handle("fff4"))
    #expect(try bench.read(last) == [0xaa, 0, 100, 0x2c, 1])
    try bench.run(to: 2500)
    try bench.write(source, [5, 2])
    #expect(try bench.read(last) == [0xaa, 0, 202, 5, 2])
    try bench.write(source, [5])
    #expect(try bench.read(last) == [0xaa, 0, 2, 5], "what is too short is 0")
  }

  @Test("a subscriber is notified when a value that is followed is written, set or notified")
  func notified() throws {
    let bench = DeviceBench(
      try DeviceText.characteristics(
        "characteristic: fff1, properties: [write], value: { u8: 0 }",
        """
        characteristic: fff2, properties: [write], responses:
            [{ then: { set: { u8: 7 }, on: fff1, after: 50ms } }]
        """,
        "characteristic: fff3, properties: notify, follows: fff1",
        "characteristic: fff4, properties: notify, follows: fff3"
      )
    )
    let followers = [try bench.handle("fff3"), try bench.handle("fff4")]
    for handle in followers { try bench.subscribe(handle) }
    try bench.write(try bench.handle("fff1"), [3])
    try bench.write(try bench.handle("fff2"), [1])
    try bench.run(to: 100)
    for handle in followers { #expect(bench.sent(on: handle) == [Sent(0, [3]), Sent(50, [7])]) }
  }

  @Test("a follower of what moves by itself moves as often, and one of a series with it")
  func moving() throws {
    let bench = DeviceBench(
      try DeviceText.characteristics(
        "characteristic: fff1, properties: read, counter: { format: u8, every: 1s }",
        "characteristic: fff2, properties: notify, follows: fff1",
        "characteristic: fff3, properties: notify, series: { values: [{ u8: 8 }, { u8: 9 }], every: 2s }",
        "characteristic: fff4, properties: notify, follows: fff3"
      )
    )
    let (counted, played) = (try bench.handle("fff2"), try bench.handle("fff4"))
    try bench.subscribe(counted)
    try bench.subscribe(played)
    try bench.run(to: 2500)
    #expect(bench.sent(on: counted) == [Sent(1000, [1]), Sent(2000, [2])])
    #expect(bench.sent(on: played) == [], "a series plays for its subscribers")
    try bench.subscribe(try bench.handle("fff3"))
    try bench.run(to: 6600)
    #expect(bench.sent(on: played) == [Sent(4500, [8]), Sent(6500, [9])])
  }

  @Test("reading a follower does not take a value from a counter of reads")
  func peek() throws {
    let bench = DeviceBench(
      try DeviceText.characteristics(
        "characteristic: fff1, properties: read, counter: { format: u8 }",
        "characteristic: fff2, properties: read, follows: fff1"
      )
    )
    let (source, follower) = (try bench.handle("fff1"), try bench.handle("fff2"))
    #expect(try [bench.read(follower), bench.read(follower)] == [[0], [0]])
    #expect(try bench.read(source) == [0])
    #expect(try bench.read(follower) == [1])
  }

  @Test("a value that follows itself is a mistake, however long the way")
  func circles() {
    let found = DeviceText.complaints(
      ofCharacteristics: "characteristic: fff1, properties: read, follows: fff2",
      "characteristic: fff2, properties: read, follows: fff1"
    )
    #expect(found.count == 1)
    #expect(found.first?.contains("follows itself") == true)
  }

  @Test("noise is drawn anew each time, each number for itself, between its ends")
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

  @Test("noise of the shape of a bell is rarely near its ends")
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

  @Test("a response takes the parts of what was written into its answer")
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
