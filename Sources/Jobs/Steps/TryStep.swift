// `try`: does steps, then others, however the first ended.

struct TryStep: StepKind {
  var steps: [Step] = []
  var last: [Step] = []

  static let verb = StepVerb.try
  static let documentation = "does steps, then those of `finally`, however the first ended"
  static let common: [StepKey] = [.timeout]
  static let needsLink = false
  static let keys: [Key<Self>] = [
    Key("try", \.steps, .steps, .steps(after: nil), documentation: "what is done first"),
    Key("finally", \.last, .steps, .steps(after: "finally"), documentation: "what is done last"),
  ]

  var action: Step.Action { .tried(steps, finally: last) }
  var doing: String { "trying" }
  var blocks: [StepBlock] {
    get { [StepBlock(role: .certain, steps: steps), StepBlock(role: .finally, steps: last)] }
    set { (steps, last) = (newValue[0].steps, newValue[1].steps) }
  }
}
