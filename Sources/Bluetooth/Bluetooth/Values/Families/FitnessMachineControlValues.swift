// Commands to a fitness machine, and its responses.

/// - Source: Fitness Machine Service 1.0, §4.16; GATT Specification Supplement, "Fitness Machine
///   Control Point".
enum FitnessMachineControlValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [(0x2ad9, controlPoint)]

  /// Field `command`, and its parameter; in a response `request`, `result` and, where a command
  /// has one, `parameter`.
  static let controlPoint = ValueLayout(
    "fitness machine control point",
    [
      .selector("command", commands),
      .field("speed", FitnessMachineValues.speed, "km/h", .oneOf([2])),
      .field("inclination", .signed(2, over: 10), "%", .oneOf([3]), in: -3276.8...3276.7),
      .field("resistance", .unsigned(1, over: 10), nil, .oneOf([4])),
      .field("power", .i16, "W", .oneOf([5])),
      .field("heart-rate", .u8, "bpm", .oneOf([6])),
      .field("action", .named([1: "stop", 2: "pause"]), nil, .oneOf([8])),
      .field("energy", .u16, "kcal", .oneOf([9])),
      .field("steps", .u16, nil, .oneOf([10])),
      .field("strides", .u16, nil, .oneOf([11])),
      .field("distance", .u24, "m", .oneOf([12])),
      .field("duration", .u16, "s", .oneOf([13])),
      // From the zone of the least effort on.
      .field("zone-durations", .list(.u16), "s", .oneOf([14, 15, 16])),
      .field("wind-speed", .signed(2, over: 1000), "m/s", .oneOf([17])),
      .field("grade", .signed(2, over: 100), "%", .oneOf([17]), in: -327.68...327.67),
      .field("rolling-resistance", .unsigned(1, over: 10_000), nil, .oneOf([17])),
      .field("wind-resistance", .unsigned(1, over: 100), "kg/m", .oneOf([17])),
      .field("circumference", .unsigned(2, over: 10), "mm", .oneOf([18])),
      .field("spin-down", .named([1: "start", 2: "ignore"]), nil, .oneOf([19])),
      .field("cadence", .unsigned(2, over: 2), "rpm", .oneOf([20])),
      .field("request", .named(commands, isOpen: true), nil, .oneOf([128])),
      .field("result", .named(results, isOpen: true), nil, .oneOf([128])),
      .field("parameter", .rest, nil, .ifMoreFor([128])),
    ]
  )

  private static let commands: KeyValuePairs<UInt64, String> = [
    0: "request control", 1: "reset", 2: "set speed", 3: "set inclination", 4: "set resistance",
    5: "set power", 6: "set heart rate", 7: "start or resume", 8: "stop or pause",
    9: "set energy", 10: "set steps", 11: "set strides", 12: "set distance", 13: "set duration",
    14: "set durations in two zones", 15: "set durations in three zones",
    16: "set durations in five zones", 17: "simulate", 18: "set wheel circumference",
    19: "control spin down", 20: "set cadence", 128: "response",
  ]

  private static let results: KeyValuePairs<UInt64, String> = [
    1: "success", 2: "not supported", 3: "invalid parameter", 4: "failed", 5: "not permitted",
  ]
}
