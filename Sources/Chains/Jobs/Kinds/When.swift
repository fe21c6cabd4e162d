// `when`: runs steps if captured values meet a condition, and other steps if they do not.

import Documents

/// A step that chooses between two lists of steps by a condition.
public struct WhenStep: StepKind {
  /// The condition on captured values.
  public var condition: Condition
  /// The steps to run if the condition holds.
  public var steps: [Step]
  /// The steps to run if it does not.
  public var otherwise: [Step]

  public init(_ condition: Condition, _ steps: [Step], otherwise: [Step] = []) {
    self.condition = condition
    self.steps = steps
    self.otherwise = otherwise
  }

  init() { self.init(Condition([]), []) }

  static let verb = "when"
  static let synonyms = ["if"]
  static let documentation =
    "runs `steps` when captured values meet a condition, and `else` when they do not"
  static let needsLink = false
  static let keys: [Key<Self>] = [
    Key(
      "when", \.condition, .condition.asMapping, line: .condition, "what captured values must be"
    ),
    Key("steps", \.steps, .steps, line: .steps(after: nil), "the steps to run"),
    Key(
      "else", \.otherwise, .steps, default: [], line: .steps(after: "else"),
      "the steps to run when the condition does not hold"
    ),
  ]

  var action: Step.Action { .when(self) }
  var participle: String { "deciding" }
  var blocks: [StepBlock] {
    get {
      [StepBlock(role: .conditional, steps: steps), StepBlock(role: .otherwise, steps: otherwise)]
    }
    set { (steps, otherwise) = (newValue[0].steps, newValue[1].steps) }
  }

  func run(_ run: StepRun) async throws {
    let position = run.placed.position
    if try run.unmet(condition) == nil {
      try await run.chain.performAll(steps, inside: position)
    } else if !otherwise.isEmpty {
      try await run.chain.performAll(otherwise, inside: position.otherwise)
    } else {
      run.isSkipped = true
    }
  }
}

extension Step {
  /// Runs steps if a captured value passes a check, and other steps if it does not.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.read("battery-level").captured(as: "battery")
  ///   try Step.when("battery.percent", .below(20)) {
  ///     try Step.write("alert-level", "u8:2")
  ///   } otherwise: {
  ///     try Step.log("enough is left")
  ///   }
  /// }
  /// ```
  ///
  /// - Throws: The errors of `steps` and `otherwise`; `Problem` for an invalid path.
  public static func when(
    _ path: String, _ check: Check, file: String = #fileID, line: Int = #line,
    @StepsBuilder _ steps: () throws -> [Step],
    @StepsBuilder otherwise: () throws -> [Step] = { [] }
  ) throws -> Step {
    let test = try Problem.at(file, line) { try Condition.Test(path, check) }
    return Step(.when(WhenStep(Condition([test]), try steps(), otherwise: try otherwise())))
  }
}
