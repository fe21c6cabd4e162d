// `when`: does steps when captured values are as they have to be.

struct WhenStep: StepKind {
  var condition = Condition([])
  var steps: [Step] = []

  static let verb = StepVerb.when
  static let documentation = "does `steps` when captured values are as they have to be"
  static let needsLink = false
  static let keys: [Key<Self>] = [
    Key(
      "when",
      \.condition,
      .condition,
      .condition,
      documentation: "what has to hold of captured values"
    ),
    Key("steps", \.steps, .steps, .steps(after: nil), documentation: "what is done then"),
  ]

  var action: Step.Action { .when(condition, steps) }
  var doing: String { "deciding" }
  var blocks: [StepBlock] {
    get { [StepBlock(role: .conditional, steps: steps)] }
    set { steps = newValue[0].steps }
  }
}
