// The types of characteristics: made of the layouts, complete, and the same after a round trip.

import Foundation
import Testing

@testable import Bluetooth

@Suite("TypedValues")
struct TypedValuesTests {
  private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_GENERATED"] != nil

  /// The project's folder.
  private static let project = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func compare(_ path: String, _ made: String) throws {
    let url = Self.project.appending(path: path)
    if Self.isUpdating {
      try made.write(to: url, atomically: true, encoding: .utf8)
    } else {
      let present = try String(contentsOf: url, encoding: .utf8)
      #expect(present == made, "UPDATE_GENERATED=1 swift test --filter TypedValues writes \(path)")
    }
  }

  @Test("the types are those of the layouts", arguments: TypedValueSource.all.indices)
  func sources(index: Int) throws {
    let source = TypedValueSource.all[index]
    try compare(source.path, source.text)
  }

  @Test("the list of accessors in the tests is complete")
  func table() throws {
    try compare(TypedValueSource.tablePath, TypedValueSource.table)
    let layouts = TypedValueSource.all.flatMap(\.layouts)
    #expect(typedAccessors().count == layouts.count)
    #expect(layouts.count == StandardValues.shortUUIDs.count { !(0x2900...0x29ff).contains($0) })
  }

  @Test("layouts of one name have one type")
  func names() {
    var types: [String: [String]] = [:]
    for (_, layout) in TypedValueSource.all.flatMap(\.layouts) where !layout.isScalar {
      let fields = layout.properties.map { "\($0.name) \($0.type) \($0.isOptional)" }
      #expect(types[layout.typeName, default: fields] == fields, "\(layout.name)")
      types[layout.typeName] = fields
    }
    #expect(types.count > 30)
  }

  @Test("each accessor reads what it writes", arguments: typedAccessors().indices)
  func roundTrip(index: Int) throws {
    let accessor = typedAccessors()[index]
    let short = try #require(accessor.uuid.short)
    var found = 0
    for seed in 0..<256 as Range<UInt64> {
      var generator = RoundTripTests.Generator(state: seed << 16 | UInt64(short))
      let octets = try RoundTripTests().valid(short, first: UInt8(seed), using: &generator)
      guard let octets else { continue }
      found += 1
      let (once, twice) = try accessor.roundTrip(octets)
      #expect(once == twice, "seed \(seed), \(octets)")
      guard once == twice else { return }
    }
    #expect(found >= 20, "too few valid values")
  }

  @Test("known values have their type and their unit")
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
    #expect(try Characteristic.dateTime.encode(time) == [0xea, 7, 1, 31, 23, 59, 0])
    #expect("\(time)" == "2026-01-31 23:59:00")
  }

  @Test("a malformed value names the characteristic, the field, and the reason")
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

  @Test("plain codings of one's own read what they write")
  func ownCodings() throws {
    #expect(try Characteristic.soilMoisture.encode(513) == [1, 2])
    #expect(try Characteristic.soilMoisture.decode([1, 2]) == 513)
    #expect(try Characteristic.depth.encode(-1.25) == [0x83, 0xff])
    #expect(try Characteristic.depth.decode([0x83, 0xff]) == -1.25)
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

/// A characteristic with any type of value.
struct TypedAccessor: Sendable {
  let uuid: BluetoothUUID
  /// What a value is decoded to, and what that is after encoding and decoding.
  let roundTrip: @Sendable ([UInt8]) throws -> (String, String)

  init<Value>(_ characteristic: Characteristic<Value>) {
    uuid = characteristic.selector.characteristic
    roundTrip = { octets in
      let value = try characteristic.decode(octets)
      let again = try characteristic.decode(try characteristic.encode(value))
      return ("\(value)", "\(again)")
    }
  }
}
