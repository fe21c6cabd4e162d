// The types of characteristics: what they decode to, and what they encode.

import Testing

@testable import Bluetooth

@Suite("TypedValues")
struct TypedValuesTests {
  @Test("known values have a type and a unit")
  func known() throws {
    #expect(try Characteristic.batteryLevel.decode([42]) == 42)
    let heart = try Characteristic.heartRateMeasurement.decode([0x16, 60, 0, 4, 0, 2])
    #expect(heart == HeartRateMeasurement(bpm: 60, contact: true, rrIntervals: [1, 0.5]))
    #expect(try Characteristic.heartRateMeasurement.encode(heart) == [0x16, 60, 0, 4, 0, 2])
    let temperature = try Characteristic.temperatureMeasurement.decode([1, 0xda, 3, 0, 0xff])
    #expect(temperature.fahrenheit == 98.6)
    #expect(abs(temperature.celsius - 37) < 0.001)
    #expect(try Characteristic.humidity.decode([0xff, 0xff]) == .special("unknown"))
    #expect(try Characteristic.humidity.decode([0x88, 0x13]).value == 50)
    #expect(try Characteristic.alertLevel.encode("high alert") == [2])
    let time = DateTime(year: 2026, month: 1, day: 31, hour: 23, minute: 59)
    #expect("\(time)" == "2026-01-31 23:59:00")
    let timed = TemperatureMeasurement(celsius: 36.5, timestamp: time, type: "ear")
    let encoded = try Characteristic.temperatureMeasurement.encode(timed)
    #expect(try Characteristic.temperatureMeasurement.decode(encoded) == timed)
    #expect(encoded.dropFirst(5) == [0xea, 7, 1, 31, 23, 59, 0, 3])
  }

  @Test("the error for a malformed value names the characteristic, the field and the reason")
  func malformed() {
    let short = #expect(throws: MalformedValue.self) {
      try Characteristic.heartRateMeasurement.decode([0])
    }
    #expect(
      short.map { "\($0)" }
        == "0x00 is not in the format of heart-rate-measurement: bpm, byte 1: "
        + "expected 1 byte, found 0"
    )
    #expect(short?.kind == .invalidValue(short?.error))
    let wrong = #expect(throws: MalformedValue.self) {
      try Characteristic.alertLevel.encode("loud")
    }
    #expect(wrong.map { "\($0)" } == "level of alert-level: 'loud' is not a known name")
    #expect(throws: MalformedValue.self) { try Characteristic.batteryLevel.encode(300) }
  }

  @Test("custom value types decode what they encode")
  func ownCodings() throws {
    #expect(try Characteristic.soilMoisture.encode(513) == [1, 2])
    #expect(try Characteristic.soilMoisture.decode([1, 2]) == 513)
    #expect(try Characteristic.depth.encode(-1.25) == [0x83, 0xff])
    #expect(try Characteristic.depth.decode([0x83, 0xff]) == -1.25)
    #expect(try Characteristic.depth.decode([57, 0]) == 0.57)
    #expect(throws: MalformedValue.self) { try Characteristic.depth.encode(.infinity) }
    #expect(throws: MalformedValue.self) { try Characteristic.depth.encode(400) }
    #expect(try Characteristic.label.decode(Array("ab".utf8)) == "ab")
    for coding in [ValueCoding<Int>.i8, .i16, .i24, .i32, .i64, .i16be, .i24be, .i32be, .i64be] {
      #expect(try coding.decode(try coding.encode(-77)) == -77)
    }
    for coding in [ValueCoding<Int>.u8, .u16, .u24, .u32, .u16be, .u24be, .u32be] {
      #expect(try coding.decode(try coding.encode(200)) == 200)
    }
    for coding in [ValueCoding<Double>.f32, .f64] {
      #expect(try coding.decode(try coding.encode(-0.1015625)) == -0.1015625)
    }
    #expect(try ValueCoding<Bool>.boolean.encode(true) == [1])
    #expect(try ValueCoding.bytes.decode([3, 4]) == [3, 4])
    #expect(throws: ValueError.self) { try ValueCoding<Int>.u16.decode([1]) }
  }
}

extension Characteristic where Value == Int {
  fileprivate static var soilMoisture: Self { Self("3f0e0001-4b1d-4d5e-9a57-0b3c2f1a9d77", .u16) }
}

extension Characteristic where Value == Double {
  fileprivate static var depth: Self { Self("0x2af0", .steps(of: 0.01, in: .i16)) }
}

extension Characteristic where Value == String {
  fileprivate static var label: Self { Self("battery/2af1", .utf8) }
}
