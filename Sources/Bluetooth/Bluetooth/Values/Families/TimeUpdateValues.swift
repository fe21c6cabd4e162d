// Values of the Reference Time Update service.

/// - Source: Reference Time Update Service 1.0, §3; GATT Specification Supplement, "Time Update
///   Control Point", "Time Update State".
enum TimeUpdateValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a16, controlPoint), (0x2a17, state),
  ]

  static let controlPoint = ValueLayout(
    bare: "command", .named([1: "get reference update", 2: "cancel reference update"])
  )

  static let state = ValueLayout(
    "time update state",
    [
      .field("state", .named(["idle", "update pending"])),
      .field(
        "result",
        .named([
          "successful", "cancelled", "no connection to reference", "reference answered an error",
          "timeout", "not attempted after reset",
        ])
      ),
    ]
  )
}
