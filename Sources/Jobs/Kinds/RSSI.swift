// `rssi`: measures the RSSI of the connection: `rssi` and `txPower` in dBm.

import Bluetooth

struct RSSIStep: StepKind {
  static let verb = StepVerb.rssi
  static let documentation = "measures the RSSI of the connection: `rssi` and `txPower` in dBm"
  static let common: [StepKey] = [.as, .expect, .timeout]
  static let keys: [Key<Self>] = []

  var action: Step.Action { .rssi }
  var subjects: Subjects? { LinkStrength.subjects }
  var doing: String { "measuring the RSSI" }
}
