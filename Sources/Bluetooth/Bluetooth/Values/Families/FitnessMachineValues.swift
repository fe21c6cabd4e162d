// Measurements of fitness machines. Commands to them are in FitnessMachineControlValues.swift.

/// The first flag is clear when the first fields are sent: a machine that has more than fits into
/// one notification sends several, and these fields with the last one.
///
/// - Source: Fitness Machine Service 1.0, §4; GATT Specification Supplement, "Treadmill Data",
///   "Rower Data", "Indoor Bike Data".
enum FitnessMachineValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2acd, treadmill), (0x2ad1, rower), (0x2ad2, indoorBike),
  ]

  static let treadmill = ValueLayout(
    "treadmill data",
    [
      .flags(2),
      .field("speed", speed, "km/h", .unless(0)),
      .field("average-speed", speed, "km/h", .set(1)),
      .field("distance", .u24, "m", .set(2)),
      .field("inclination", angle, "%", .set(3), in: -3276.8...3276.7),
      .field("ramp-angle", angle, "°", .set(3)),
      .field("elevation-gain", .unsigned(2, over: 10), "m", .set(4)),
      .field("elevation-loss", .unsigned(2, over: 10), "m", .set(4)),
      .field("pace", .unsigned(1, over: 10), "km/min", .set(5)),
      .field("average-pace", .unsigned(1, over: 10), "km/min", .set(6)),
    ] + effort(from: 7) + [
      .field("force", .signed(2, unavailable), "N", .set(12)),
      .field("power", .signed(2, unavailable), "W", .set(12)),
    ]
  )

  static let rower = ValueLayout(
    "rower data",
    [
      .flags(2),
      .field("stroke-rate", .unsigned(1, over: 2), "1/min", .unless(0)),
      .field("strokes", .u16, nil, .unless(0)),
      .field("average-stroke-rate", .unsigned(1, over: 2), "1/min", .set(1)),
      .field("distance", .u24, "m", .set(2)),
      .field("pace", .u16, "s/500m", .set(3)),
      .field("average-pace", .u16, "s/500m", .set(4)),
      .field("power", .i16, "W", .set(5)),
      .field("average-power", .i16, "W", .set(6)),
      .field("resistance", .i16, nil, .set(7)),
    ] + effort(from: 8)
  )

  static let indoorBike = ValueLayout(
    "indoor bike data",
    [
      .flags(2),
      .field("speed", speed, "km/h", .unless(0)),
      .field("average-speed", speed, "km/h", .set(1)),
      .field("cadence", .unsigned(2, over: 2), "rpm", .set(2)),
      .field("average-cadence", .unsigned(2, over: 2), "rpm", .set(3)),
      .field("distance", .u24, "m", .set(4)),
      .field("resistance", .i16, nil, .set(5)),
      .field("power", .i16, "W", .set(6)),
      .field("average-power", .i16, "W", .set(7)),
    ] + effort(from: 8)
  )

  /// The fields at the end of all machines, each with the next flag.
  private static func effort(from bit: UInt64) -> [ValuePart] {
    [
      .field("energy", energy, "kcal", .set(bit)),
      .field("energy-per-hour", energy, "kcal/h", .set(bit)),
      .field("energy-per-minute", .unsigned(1, [0xff: "unknown"]), "kcal/min", .set(bit)),
      .field("heart-rate", .u8, "bpm", .set(bit + 1)),
      .field("metabolic-equivalent", .unsigned(1, over: 10), "MET", .set(bit + 2)),
      .field("elapsed", .u16, "s", .set(bit + 3)),
      .field("remaining", .u16, "s", .set(bit + 4)),
    ]
  }

  static let speed = FieldFormat.unsigned(2, over: 100)
  private static let energy = FieldFormat.unsigned(2, [0xffff: "unknown"])
  private static let unavailable: KeyValuePairs<Int64, String> = [0x7fff: "unknown"]
  private static let angle = FieldFormat.signed(2, over: 10, unavailable)
}
