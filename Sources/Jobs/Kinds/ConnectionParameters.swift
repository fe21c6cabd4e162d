// `connection-parameters`: reads the connection parameters: `interval` and `supervisionTimeout` in
// ms, and `latency`; needs `--trace`.

import Bluetooth

struct ConnectionParametersStep: StepKind {
  static let verb = StepVerb.connectionParameters
  static let documentation =
    "reads the connection parameters: `interval` and `supervisionTimeout` in ms, and `latency`; needs `--trace`"
  static let common: [StepKey] = [.as, .expect, .timeout]
  static let keys: [Key<Self>] = []

  var action: Step.Action { .connectionParameters }
  var subjects: Subjects? { ConnectionParameters.subjects }
  var doing: String { "reading the connection parameters" }
}
