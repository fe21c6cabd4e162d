// `when`: runs steps when captured values meet a condition, and others when they do not.

struct WhenStep: StepKind {
  var condition = Condition([])
  var steps: [Step] = []
  var otherwise: [Step] = []

  static let verb = StepVerb.when
  static let documentation =
    "runs `steps` when captured values meet a condition, and `else` when they do not"
  static let needsLink = false
  static let keys: [Key<Self>] = [
    Key(
      "when",
      \.condition,
      .condition,
      .condition,
      documentation: "what captured values must be"
    ),
    Key("steps", \.steps, .steps, .steps(after: nil), documentation: "the steps to run"),
    Key(
      "else",
      \.otherwise,
      .steps,
      default: [],
      .steps(after: "else"),
      documentation: "the steps to run when the condition does not hold"
    ),
  ]

  var action: Step.Action { .when(condition, steps, otherwise: otherwise) }
  var doing: String { "deciding" }
  var blocks: [StepBlock] {
    get {
      [StepBlock(role: .conditional, steps: steps), StepBlock(role: .otherwise, steps: otherwise)]
    }
    set { (steps, otherwise) = (newValue[0].steps, newValue[1].steps) }
  }
}
