// The Appearance characteristic.

import Testing

@testable import Bluetooth

@Suite("Appearances")
struct AppearanceTests {
  @Test(
    "an appearance value consists of a category and a subcategory",
    arguments: [
      // The category in the upper ten bits: 13 << 6 is 0x0340, 12 << 6 is 0x0300, 49 << 6 0x0c40.
      (0x0000, "Unknown"), (0x0040, "Phone"), (0x0083, "Computer: Laptop"),
      (0x00c1, "Watch: Sports Watch"),
      (0x0300, "Thermometer"), (0x0301, "Thermometer: Ear Thermometer"),
      (0x0340, "Heart Rate Sensor"), (0x0341, "Heart Rate Sensor: Heart Rate Belt"),
      (0x03c1, "Human Interface Device: Keyboard"), (0x0485, "Cycling: Speed and Cadence Sensor"),
      (0x0543, "Sensor: Temperature Sensor"), (0x0c41, "Pulse Oximeter: Fingertip Pulse Oximeter"),
      (0x0c80, "Weight Scale"), (0x0d48, "Insulin Pump: Insulin Pen"),
      (0x1444, "Outdoor Sports Activity: Location and Navigation Pod"),
    ] as [(UInt16, String)]
  )
  func names(value: UInt16, name: String) throws {
    #expect(Appearance.name(value) == name)
    #expect(Appearance.value(named: name) == value)
    let octets = [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
    let decode = try #require(StandardValues.decoder(for: BluetoothUUID(short: 0x2a01)))
    let encode = try #require(StandardValues.encoder(for: BluetoothUUID(short: 0x2a01)))
    #expect(try decode(octets) == .text(name))
    #expect(try encode(.text(name)) == octets)
  }

  @Test("an unassigned value has no name and keeps its number")
  func reserved() throws {
    // 53 << 6 is 0x0d40; the second kind of insulin pump is not assigned.
    #expect(Appearance.name(0x0d42) == nil)
    #expect(Appearance.name(0xffff) == nil)
    #expect(Appearance.value(named: "Sensor: Sixth") == nil)
    let decode = try #require(StandardValues.decoder(for: BluetoothUUID(short: 0x2a01)))
    #expect(try decode([0x42, 0x0d]) == .text("reserved (3394)"))
  }

  @Test("each line of the table is a value and a name; a subcategory uses the name of its category")
  func table() {
    let lines = Appearance.lines
    #expect(lines.malformed == [])
    let values = lines.entries.map(\.number)
    #expect(values == Array(Set(values)).sorted())
    #expect(values.allSatisfy { UInt16(exactly: $0) != nil })
    #expect(Set(lines.entries.map(\.name)).count == lines.entries.count)
    for (value, name) in lines.entries where value & 0x3f != 0 {
      let category = Appearance.name(UInt16(value & ~0x3f))
      #expect(category.map { name.hasPrefix("\($0): ") } == true, "\(name)")
    }
  }
}
