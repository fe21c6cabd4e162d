// The values of steps that read parameters of the connection.

import Bluetooth

extension LinkStrength: LinkFact {
  static let subjects = Subjects(of: [
    ("rssi", Scanning.rssiRange), ("txPower", Scanning.rssiRange),
  ])

  /// The value of a step; without TX power if the controller does not report it.
  var decoded: DecodedValue {
    let rssi = DecodedValue.Field("rssi", .integer(Int128(rssi)), unit: "dBm")
    let power = txPower.map {
      DecodedValue.Field("txPower", .integer(Int128($0)), unit: "dBm TX power")
    }
    return .fields([rssi] + (power.map { [$0] } ?? []))
  }
}

extension ConnectionParameters: LinkFact {
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.7.65.1 (LE Connection Complete event).
  static let subjects = Subjects(of: [
    ("interval", 0...4000), ("latency", 0...499), ("supervisionTimeout", 100...32_000),
  ])

  /// The value of a step, in ms and connection events.
  var decoded: DecodedValue {
    .fields([
      DecodedValue.Field("interval", .real(interval / .milliseconds(1), decimals: 2), unit: "ms"),
      DecodedValue.Field("latency", .integer(Int128(latency))),
      DecodedValue.Field(
        "supervisionTimeout",
        .integer(Int128((supervisionTimeout / .milliseconds(1)).rounded())),
        unit: "ms timeout"
      ),
    ])
  }
}
