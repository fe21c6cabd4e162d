// What a step that asks for the timing of the link does, and what its value looks like.

import Bluetooth
import Signals

extension ChainRun {
  /// Asks for the timing of the link, and checks what came.
  func askTiming(_ placed: PlacedStep, _ outcome: inout StepOutcome?) async throws {
    var told: ConnectionParameters?
    try await limited(runner.service.connectionParameters(), placed) { told = $0 }
    guard let told else { throw NoValue(operation: placed.step.doing) }
    let decoded = told.decoded
    let value = StepValue(octets: [], decoded: decoded)
    outcome = .value(value)
    emit(.value(placed, value))
    capture(decoded, as: placed.step.capture)
    try check(decoded, [], of: placed)
  }
}

extension ConnectionParameters {
  /// The names of the fields of ``decoded``.
  static let fieldNames = ["interval", "latency", "supervisionTimeout"]

  /// As the value of a step, in ms and connection events.
  var decoded: DecodedValue {
    .fields([
      DecodedValue.Field("interval", .real(interval / .milliseconds(1), decimals: 2), unit: "ms"),
      DecodedValue.Field("latency", .integer(Int64(latency))),
      DecodedValue.Field(
        "supervisionTimeout",
        .integer(Int64((supervisionTimeout / .milliseconds(1)).rounded())),
        unit: "ms timeout"
      ),
    ])
  }
}
