// `when`: runs steps when captured values meet a condition.

struct WhenStep: StepKind {
  var condition = Condition([])
  var steps: [Step] = []

  static let verb = StepVerb.when
  static let documentation = "runs `steps` when captured values meet a condition"
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
  ]

  var action: Step.Action { .when(condition, steps) }
  var doing: String { "deciding" }
  var blocks: [StepBlock] {
    get { [StepBlock(role: .conditional, steps: steps)] }
    set { steps = newValue[0].steps }
  }
}
