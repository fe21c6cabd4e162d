// Values of the Battery service.

/// - Source: Battery Service 1.1, §3; GATT Specification Supplement, "Battery Level", "Battery
///   Level Status".
enum BatteryValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a19, level), (0x2bed, status),
  ]

  static let level = ValueLayout("percent", .u8, "%")

  /// The power sources, the charge state and the level of a battery.
  static let status = ValueLayout(
    "battery level status",
    [
      .flags(1),
      .split(
        "power state", octets: 2,
        [
          .flag("present", 0),
          .choice("wired-power", 1..<3, powerSources),
          .choice("wireless-power", 3..<5, powerSources),
          .choice(
            "charge-state",
            5..<7,
            ["unknown", "charging", "discharging: active", "discharging: inactive"]
          ),
          .choice("charge-level", 7..<9, ["unknown", "good", "low", "critical"]),
          .choice(
            "charging-type",
            9..<12,
            ["unknown or not charging", "constant current", "constant voltage", "trickle", "float"]
          ),
          .choice(
            "charging-fault",
            12..<15,
            [
              "none", "battery", "external power source", "battery and external power source",
              "other", "battery and other", "external power source and other",
              "battery, external power source and other",
            ]
          ),
        ]
      ),
      .field("identifier", .u16, nil, .set(0)),
      .field("percent", .u8, "%", .set(1)),
      .split(
        "additional status", octets: 1,
        [
          .choice("service-required", 0..<2, ["no", "yes", "unknown"]),
          .flag("battery-fault", 2),
        ],
        .set(2)
      ),
    ]
  )

  private static let powerSources = ["not connected", "connected", "unknown"]
}
