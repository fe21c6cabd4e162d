// Decoding of described values: records of 20 fields.

import Bluetooth
import Jobs

struct DescribedRecords {
  static let count = 100_000

  let milliseconds: Double

  var line: String {
    "decoding \(Self.count) described records of 20 fields: \(decimal(milliseconds)) ms"
  }

  /// Numbers with and without a scale, a unit and special values, an enumeration of 32 names, bits,
  /// an optional field, a list, and a checksum.
  private static let names = """
    names:
      record:
        fields:
          - { sequence: u16 }
          - { time: u32, unit: s }
          - { co2: u16, unit: ppm, special: { 0x8000..0xffff: invalid } }
          - { temperature: i16be, scale: 0.05, unit: °C, unknown: 0x7fff }
          - { pressure: u16, scale: 0.1, unit: hPa }
          - { humidity: u8, unit: "%", unknown: 0xff }
          - { battery: u8, unit: "%" }
          - { status: u8, names: { \((0..<32).map { "\($0): status-\($0)" }.joined(separator: ", ")) } }
          - { flags: u8, bits: { low: 0, tamper: 1, state: 4..5 } }
          - { light: u24, unit: lx, when: flags.tamper }
          - { x: i16, scale: 1/1024 }
          - { y: i16, scale: 1/1024 }
          - { z: i16, scale: 1/1024 }
          - { gain: f32 }
          - { offset-1: i16, scale: 0.01, offset: -40 }
          - { length: u8 }
          - { cells: u16, scale: 0.001, unit: V, repeat: length }
          - { kind: u8, names: { 0: idle, 1..9: busy } }
          - { serial: bytes, size: 6 }
          - { crc: u16, checksum: crc16/modbus }
    steps: [{ sleep: 1s }]
    """

  /// The best of five runs, as others may use the machine at the same time.
  static func measured() throws -> DescribedRecords {
    let plan = try Plan.parse(names, file: "record.yaml")
    guard let description = plan.names.descriptions.first else {
      throw SerialReads.Failure(description: "the record is not described")
    }
    let record = try description.encode(
      .fields([
        .init("sequence", .integer(7)), .init("time", .integer(3600)),
        .init("co2", .integer(904)), .init("temperature", .text("21.5")),
        .init("pressure", .text("997.1")), .init("humidity", .integer(51)),
        .init("battery", .integer(96)), .init("status", .text("status-31")),
        .init("flags", .fields([.init("tamper", .boolean(true)), .init("state", .integer(2))])),
        .init("light", .integer(70_000)), .init("x", .text("0.5")), .init("y", .text("-0.25")),
        .init("z", .text("1.0")), .init("gain", .text("1.25")), .init("offset-1", .text("-12.5")),
        .init("length", .integer(4)),
        .init("cells", .list(["3.301", "3.302", "3.299", "3.305"].map { .text($0) })),
        .init("kind", .text("busy")), .init("serial", .text("010203040506")),
      ])
    )
    var best = Double.infinity
    for _ in 0..<5 {
      let start = nanoseconds()
      for _ in 0..<count {
        guard case .fields(let fields) = try description.decode(record), fields.count == 19 else {
          throw SerialReads.Failure(description: "a record was decoded as something else")
        }
      }
      best = min(best, nanoseconds() - start)
    }
    return DescribedRecords(milliseconds: best / 1e6)
  }
}
