// Values of the Cycling Speed and Cadence service, and of sensors on bicycles and shoes.

/// - Source: Cycling Speed and Cadence Service 1.0, §3; GATT Specification Supplement, "CSC
///   Measurement", "CSC Feature", "Sensor Location", "SC Control Point".
enum CyclingValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a5b, measurement), (0x2a5c, feature), (0x2a5d, location), (0x2a55, controlPoint),
  ]

  /// Cumulative revolutions, and when the last one ended; times wrap around after 64 s.
  static let measurement = ValueLayout(
    "CSC measurement",
    [
      .flags(1),
      .field("wheel-revolutions", .u32, nil, .set(0)),
      .field("wheel-time", .unsigned(2, over: 1024), "s", .set(0)),
      .field("crank-revolutions", .u16, nil, .set(1)),
      .field("crank-time", .unsigned(2, over: 1024), "s", .set(1)),
    ]
  )

  static let feature = ValueLayout(
    "CSC feature",
    [
      .split(
        "features", octets: 2,
        BitField.flags(["wheel-revolutions", "crank-revolutions", "multiple-locations"])
      )
    ]
  )

  static let location = ValueLayout(bare: "location", .named(locations))

  /// Fields `command`, and its parameters: `revolutions`, `location`; in a response `request`,
  /// `result` and `locations`.
  static let controlPoint = ValueLayout(
    "SC control point",
    [
      .selector("command", commands),
      .field("revolutions", .u32, nil, .oneOf([1])),
      .field("location", .named(locations), nil, .oneOf([3])),
      .field("request", .named(commands, isOpen: true), nil, .oneOf([16])),
      .field("result", .named(results, isOpen: true), nil, .oneOf([16])),
      .field("locations", .list(.named(locations)), nil, .ifMoreFor([16])),
      .field("parameter", .rest, nil, .noneOf([1, 2, 3, 4, 16])),
    ]
  )

  private static let commands: KeyValuePairs<UInt64, String> = [
    1: "set cumulative value", 2: "start calibration", 3: "update location",
    4: "request locations", 16: "response",
  ]

  static let results: KeyValuePairs<UInt64, String> = [
    1: "success", 2: "not supported", 3: "invalid parameter", 4: "failed",
  ]

  static let locations = [
    "other", "top of shoe", "in shoe", "hip", "front wheel", "left crank", "right crank",
    "left pedal", "right pedal", "front hub", "rear dropout", "chainstay", "rear wheel",
    "rear hub", "chest", "spider", "chain ring",
  ]
}
