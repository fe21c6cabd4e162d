// `rssi`: measures the RSSI of the connection: `rssi` and `txPower` in dBm.

import Bluetooth
import Signals

struct RSSIStep: StepKind {
  static let verb = "rssi"
  static let documentation = "measures the RSSI of the connection: `rssi` and `txPower` in dBm"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let keys: [Key<Self>] = []

  var action: Step.Action { .rssi }
  var subjects: Subjects? { LinkStrength.subjects }
  var doing: String { "measuring the RSSI" }
  var privilege: String? { nil }

  func run(_ run: StepRun) async throws { try await run.measure(run.service.rssi().map(\.decoded)) }
}

extension Step {
  /// Measures the RSSI of the connection.
  ///
  /// The fields, in dBm, are `rssi` and, if the controller reports it, `txPower`.
  ///
  /// ```swift
  /// try Step.rssi.expect("rssi", .atLeast(-80))
  /// ```
  public static var rssi: Step { Step(.rssi) }
}

extension LinkStrength {
  fileprivate static let subjects = Subjects(of: [
    ("rssi", Scanning.rssiRange), ("txPower", Scanning.rssiRange),
  ])

  /// The captured value, without `txPower` if the controller does not report it.
  fileprivate var decoded: DecodedValue {
    let rssi = DecodedValue.Field("rssi", .integer(Int128(rssi)), unit: "dBm")
    let power = txPower.map {
      DecodedValue.Field("txPower", .integer(Int128($0)), unit: "dBm TX power")
    }
    return .fields([rssi] + (power.map { [$0] } ?? []))
  }
}
