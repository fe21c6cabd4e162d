// `repeat`: runs steps a fixed number of times.

import Bluetooth

/// A step that runs its inner steps a fixed number of times.
public struct RepeatStep: StepKind {
  public var count: Int
  /// The name of the variable that holds the number of the repetition, from 1; nil for none.
  public var index: String?
  public var steps: [Step]

  public init(_ count: Int, index: String? = nil, _ steps: [Step]) {
    self.count = count
    self.index = index
    self.steps = steps
  }

  init() { self.init(0, []) }

  static let verb = "repeat"
  static let synonyms = ["loop", "for", "while"]
  static let documentation = "runs `steps` a number of times"
  static let needsLink = false
  static let bindingKey: String? = "index"
  static let keys: [Key<Self>] = [
    Key("repeat", \.count, .times, line: .target, "how many times"),
    Key(
      "index",
      \.index,
      .variableName,
      "the name under which the steps use the number of the repetition, from 1"
    ),
    Key("steps", \.steps, .steps, line: .steps(after: nil), "the steps to repeat"),
  ]

  var action: Step.Action { .repeat(self) }
  var participle: String { "repeating" }
  var binding: String? { index }
  var turns: Int { count }
  var blocks: [StepBlock] {
    get { [StepBlock(role: .certain, steps: steps)] }
    set { steps = newValue[0].steps }
  }

  func run(_ run: StepRun) async throws {
    for turn in 1...max(1, count) {
      run.chain.capture(.integer(Int128(turn)), as: index)
      try await run.chain.performAll(steps, inside: run.placed.position.repetition(turn))
      // Steps that never suspend would starve the other tasks on the loop, signal handling above
      // all.
      await Task.yield()
    }
  }
}

extension Step {
  /// Runs steps a fixed number of times.
  ///
  /// ```swift
  /// try Step.repeated(3, index: "round") {
  ///   try Step.write("alert-level", "u8:1")
  ///   Step.sleep(.seconds(1))
  ///   try Step.log("round {round}")
  /// }
  /// ```
  public static func repeated(
    _ count: Int, index: String? = nil, @StepsBuilder _ steps: () throws -> [Step]
  ) rethrows -> Step {
    Step(.repeat(RepeatStep(count, index: index, try steps())))
  }
}

extension Shape where Value == Int {
  fileprivate static var times: Self {
    .integer("a number of times", "times") { 1...max(1, $0.repetitions) }
  }
}
