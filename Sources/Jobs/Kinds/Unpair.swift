// `unpair`: forgets the device and its bond.

struct UnpairStep: StepKind {
  static let verb = StepVerb.unpair
  static let documentation = "forgets the device and its bond"
  static let common: [StepKey] = [.expectFailure, .timeout]
  static let keys: [Key<Self>] = []

  var action: Step.Action { .unpair }
  var doing: String { "unpairing" }
}
