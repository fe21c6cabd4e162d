// `connection-parameters`: reads `interval` and `supervisionTimeout` in ms, and `latency`.
//
// The values come from captured HCI traffic, so the step needs `--trace`.

import Bluetooth
import Signals

struct ConnectionParametersStep: StepKind {
  static let verb = "connection-parameters"
  static let documentation =
    "reads the connection parameters: `interval` and `supervisionTimeout` in ms, and `latency`; needs `--trace`"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let keys: [Key<Self>] = []

  var action: Step.Action { .connectionParameters }
  var subjects: Subjects? { ConnectionParameters.subjects }
  var doing: String { "reading the connection parameters" }
  var privilege: String? { nil }

  func run(_ run: StepRun) async throws {
    try await run.measure(run.service.connectionParameters().map(\.decoded))
  }
}

extension Step {
  /// Reads the interval, latency and supervision timeout of the connection.
  ///
  /// The fields are `interval` in ms, `latency` in connection events, and `supervisionTimeout` in
  /// ms. Fails with `timing-unknown` when no trace recorded the parameters.
  ///
  /// ```swift
  /// try Step.connectionParameters.expect("interval", .atMost(50))
  /// ```
  public static var connectionParameters: Step { Step(.connectionParameters) }
}

extension ConnectionParameters {
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.7.65.1 (LE Connection Complete event).
  fileprivate static let subjects = Subjects(of: [
    ("interval", 0...4000), ("latency", 0...499), ("supervisionTimeout", 100...32_000),
  ])

  fileprivate var decoded: DecodedValue {
    .fields([
      DecodedValue.Field("interval", .real(interval / .milliseconds(1), decimals: 2), unit: "ms"),
      DecodedValue.Field("latency", .integer(Int128(latency))),
      DecodedValue.Field(
        "supervisionTimeout", .integer(Int128((supervisionTimeout / .milliseconds(1)).rounded())),
        unit: "ms timeout"
      ),
    ])
  }
}
