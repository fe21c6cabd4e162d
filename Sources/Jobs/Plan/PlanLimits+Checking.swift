// Checks a chain against its limits.

import Documents

extension PlanLimits {
  /// The limit that a chain exceeds; nil when it exceeds none.
  func complaint(about plan: Plan) -> Problem? {
    let written = plan.writtenStepCount
    guard written <= writtenSteps else {
      return Problem("\(written) steps", expected: "at most \(writtenSteps)")
    }
    guard let count = Self.runCount(plan.steps), count <= runSteps else {
      let message = "a run would take more than \(runSteps) steps, repetitions multiplied"
      return Problem(message, expected: "fewer repetitions")
    }
    return nil
  }

  /// The maximum number of steps of a run; nil on overflow.
  private static func runCount(_ steps: [Step]) -> Int? {
    var sum = 0
    for step in steps {
      guard let inner = runCount(step.innerSteps) else { return nil }
      let (own, isTooMuch) = inner.multipliedReportingOverflow(by: step.kind.turns)
      let (total, overflow) = sum.addingReportingOverflow(own)
      guard !isTooMuch, !overflow, total < Int.max else { return nil }
      sum = total + 1
    }
    return sum
  }
}

extension Plan {
  /// The number of written steps, including inner ones.
  public var writtenStepCount: Int { allSteps.count }
}
