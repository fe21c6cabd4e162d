// `connect`: connects; a chain does so by itself before its first step.

struct ConnectStep: StepKind {
  static let verb = StepVerb.connect
  static let documentation = "connects; a chain does so by itself before its first step"
  static let common: [StepKey] = [.expectFailure, .timeout]
  static let keys: [Key<Self>] = []

  var action: Step.Action { .connect }
  var doing: String { "connecting" }
}
