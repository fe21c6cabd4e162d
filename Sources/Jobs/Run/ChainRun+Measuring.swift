// What a step that measures the link does, and what its value looks like.

import Bluetooth
import Signals

extension ChainRun {
  /// Measures the link, and checks what came.
  func measure(_ placed: PlacedStep, _ outcome: inout StepOutcome?) async throws {
    var measured: LinkStrength?
    try await limited(runner.service.rssi(), placed) { measured = $0 }
    guard let measured else { throw NoValue(operation: placed.step.doing) }
    let decoded = measured.decoded
    let value = StepValue(octets: [], decoded: decoded)
    outcome = .value(value)
    emit(.value(placed, value))
    capture(decoded, as: placed.step.capture)
    try check(decoded, [], of: placed)
  }
}

extension LinkStrength {
  /// The names of the fields of ``decoded``.
  static let fieldNames = ["rssi", "txPower"]

  /// As the value of a step; without the power where the controller does not tell it.
  var decoded: DecodedValue {
    let rssi = DecodedValue.Field("rssi", .integer(Int64(rssi)), unit: "dBm")
    let power = txPower.map {
      DecodedValue.Field("txPower", .integer(Int64($0)), unit: "dBm TX power")
    }
    return .fields([rssi] + (power.map { [$0] } ?? []))
  }
}
