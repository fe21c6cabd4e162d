// `repeat`: runs steps several times.

struct RepeatStep: StepKind {
  var count = 0
  var index: String?
  var steps: [Step] = []

  static let verb = StepVerb.repeat
  static let documentation = "runs `steps` a number of times"
  static let needsLink = false
  static let bindingKey: String? = "index"
  static let keys: [Key<Self>] = [
    Key("repeat", \.count, .times, .target, documentation: "how many times"),
    Key(
      "index",
      \.index,
      .variableName,
      documentation: "the name under which the steps use the number of the repetition, from 1"
    ),
    Key("steps", \.steps, .steps, .steps(after: nil), documentation: "the steps to repeat"),
  ]

  var action: Step.Action { .repeated(count: count, index: index, steps) }
  var doing: String { "repeating" }
  var binding: String? { index }
  var blocks: [StepBlock] {
    get { [StepBlock(role: .certain, steps: steps)] }
    set { steps = newValue[0].steps }
  }
}

extension Shape where Value == Int {
  fileprivate static var times: Self {
    .integer("a number of times", "times") { 1...max(1, $0.repetitions) }
  }
}
