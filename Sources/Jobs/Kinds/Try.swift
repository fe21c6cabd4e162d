// `try`: runs steps, then others, whatever the outcome of the first.

struct TryStep: StepKind {
  var steps: [Step] = []
  var last: [Step] = []

  static let verb = StepVerb.try
  static let documentation = "runs `try`, then `finally`, whatever the outcome of `try`"
  static let common: [StepKey] = [.timeout]
  static let needsLink = false
  static let keys: [Key<Self>] = [
    Key("try", \.steps, .steps, .steps(after: nil), documentation: "the steps to run first"),
    Key(
      "finally",
      \.last,
      .steps,
      .steps(after: "finally"),
      documentation: "the steps to run last"
    ),
  ]

  var action: Step.Action { .tried(steps, finally: last) }
  var doing: String { "trying" }
  var blocks: [StepBlock] {
    get { [StepBlock(role: .certain, steps: steps), StepBlock(role: .finally, steps: last)] }
    set { (steps, last) = (newValue[0].steps, newValue[1].steps) }
  }
}
