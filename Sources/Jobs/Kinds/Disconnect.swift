// `disconnect`: disconnects; a chain does so by itself at its end.

struct DisconnectStep: StepKind {
  static let verb = StepVerb.disconnect
  static let documentation = "disconnects; a chain does so by itself at its end"
  static let common: [StepKey] = [.expectFailure, .timeout]
  static let keys: [Key<Self>] = []

  var action: Step.Action { .disconnect }
  var doing: String { "disconnecting" }
}
