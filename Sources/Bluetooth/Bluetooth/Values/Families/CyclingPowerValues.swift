// Values of the Cycling Power service.

/// - Source: Cycling Power Service 1.1, §3; GATT Specification Supplement, "Cycling Power
///   Measurement", "Cycling Power Vector", "Cycling Power Feature".
enum CyclingPowerValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a63, measurement), (0x2a64, vector), (0x2a65, feature),
  ]

  /// Field `power` in W (always); the others as the flags indicate.
  ///
  /// The wheel's time wraps around after 32 s, the crank's after 64 s.
  static let measurement = ValueLayout(
    "cycling power measurement",
    [
      .flags(2),
      .field("power", .i16, "W"),
      .field("balance", .unsigned(1, over: 2), "%", .set(0)),
      .choice("balance-reference", 1..<2, ["unknown", "left"]),
      .field("torque", .unsigned(2, over: 32), "N·m", .set(2)),
      .choice("torque-source", 3..<4, ["wheel", "crank"]),
      .field("wheel-revolutions", .u32, nil, .set(4)),
      .field("wheel-time", .unsigned(2, over: 2048), "s", .set(4)),
      .field("crank-revolutions", .u16, nil, .set(5)),
      .field("crank-time", .unsigned(2, over: 1024), "s", .set(5)),
      .field("greatest-force", .i16, "N", .set(6)),
      .field("least-force", .i16, "N", .set(6)),
      .field("greatest-torque", .signed(2, over: 32), "N·m", .set(7)),
      .field("least-torque", .signed(2, over: 32), "N·m", .set(7)),
      .split(
        "extreme angles", octets: 3,
        [.number("greatest-angle", 0..<12, "°"), .number("least-angle", 12..<24, "°")], .set(8)
      ),
      .field("top-dead-spot", .u16, "°", .set(9)),
      .field("bottom-dead-spot", .u16, "°", .set(10)),
      .field("energy", .u16, "kJ", .set(11)),
      .flag("offset-compensation", 12),
    ]
  )

  /// Forces or torques during one crank revolution.
  static let vector = ValueLayout(
    "cycling power vector",
    [
      .flags(1),
      .field("crank-revolutions", .u16, nil, .set(0)),
      .field("crank-time", .unsigned(2, over: 1024), "s", .set(0)),
      .field("first-angle", .u16, "°", .set(1)),
      .field("forces", .list(.i16), "N", .set(2)),
      .field("torques", .list(.signed(2, over: 32)), "N·m", .set(3)),
      .choice("direction", 4..<6, ["unknown", "tangential", "radial", "lateral"]),
    ]
  )

  static let feature = ValueLayout(
    "cycling power feature",
    [
      .split(
        "features", octets: 4,
        BitField.flags([
          "balance", "torque", "wheel-revolutions", "crank-revolutions", "extreme-magnitudes",
          "extreme-angles", "dead-spots", "energy", "offset-compensation-indicator",
          "offset-compensation", "content-masking", "multiple-locations", "crank-length",
          "chain-length", "chain-weight", "span-length",
        ]) + [
          .choice("context", 16..<17, ["force", "torque"]),
          .flag("direction", 17), .flag("factory-calibration-date", 18),
          .flag("enhanced-offset-compensation", 19),
          .choice("distributed-system", 20..<22, ["unspecified", "not for use", "for use"]),
        ]
      )
    ]
  )
}
