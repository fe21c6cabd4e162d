// `mtu`: reads the ATT MTU.

struct MTUStep: StepKind {
  static let verb = StepVerb.mtu
  static let documentation = "reads the ATT MTU"
  static let common: [StepKey] = [.as, .expect, .timeout]
  static let keys: [Key<Self>] = []

  var action: Step.Action { .mtu }
  var subjects: Subjects? { .number(in: 23...65535) }
  var doing: String { "reading the MTU" }
}
