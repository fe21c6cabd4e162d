// `assert`: fails unless captured values are as they have to be.

struct AssertStep: StepKind {
  var condition = Condition([])

  static let verb = StepVerb.assert
  static let documentation = "fails unless captured values are what they must be"
  static let needsLink = false
  static let keys: [Key<Self>] = [
    Key(
      "assert",
      \.condition,
      .condition,
      .condition,
      documentation: "what captured values must be"
    )
  ]

  var action: Step.Action { .assert(condition) }
  var doing: String { "checking captured values" }
}

extension Step {
  /// Fails unless a captured value is as it has to be.
  ///
  /// ```swift
  /// try Step.read("battery-level").captured(as: "battery")
  /// try Step.assert("battery.percent", .atLeast(20))
  /// ```
  ///
  /// - Parameters:
  ///   - path: `reading`, `reading.celsius`.
  ///   - check: What the captured value must be.
  ///   - file: The file of the call, for errors.
  ///   - line: The line of the call, for errors.
  /// - Throws: ``PlanError`` for a path that names no captured value.
  public static func assert(
    _ path: String,
    _ check: Check,
    file: String = #fileID,
    line: Int = #line
  ) throws(PlanError) -> Step {
    let test = try PlanError.at(file, line) { try Condition.Test(path, check) }
    return Step(.assert(Condition([test])))
  }
}
