// Values of the Immediate Alert, Link Loss and Tx Power services.

/// - Source: Immediate Alert Service 1.0, §3.1; Link Loss Service 1.0.1, §3.1; Tx Power Service
///   1.0, §3.1; GATT Specification Supplement, "Alert Level", "Tx Power Level".
enum AlertValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a06, level), (0x2a07, power),
  ]

  static let level = ValueLayout(bare: "level", .named(["no alert", "mild alert", "high alert"]))
  static let power = ValueLayout("dbm", .i8, "dBm", in: -100...20)
}
