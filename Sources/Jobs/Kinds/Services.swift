// `services`: lists what the device offers.

struct ServicesStep: StepKind {
  static let verb = StepVerb.services
  static let documentation = "lists what the device offers"
  static let common: [StepKey] = [.expectFailure, .timeout]
  static let keys: [Key<Self>] = []

  var action: Step.Action { .services }
  var doing: String { "listing the services" }
}
