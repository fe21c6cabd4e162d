// Values of the Heart Rate service.

/// - Source: Heart Rate Service 1.0, §3; GATT Specification Supplement, "Heart Rate Measurement",
///   "Body Sensor Location", "Heart Rate Control Point".
enum HeartRateValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a37, measurement), (0x2a38, location), (0x2a39, controlPoint),
  ]

  /// Fields `bpm`, `contact` when supported, `energy-expended` in kJ, `rr-intervals` in s.
  static let measurement = ValueLayout(
    "heart rate measurement",
    [
      .flags(1),
      .field("bpm", .u8, "bpm", .clear(0)),
      .field("bpm", .u16, "bpm", .set(0)),
      // Bit 2: sensor contact is supported; bit 1: its status.
      .flag("contact", 1, .set(2)),
      .field("energy-expended", .u16, "kJ", .set(3)),
      .field("rr-intervals", .list(.unsigned(2, step: 1, over: 1024)), "s", .set(4)),
    ]
  )

  static let location = ValueLayout(
    bare: "location", .named(["other", "chest", "wrist", "finger", "hand", "ear lobe", "foot"])
  )

  static let controlPoint = ValueLayout(bare: "command", .named([1: "reset energy expended"]))
}
