// Limits of one chain, and of a batch.

import Documents

/// Bounds on a chain, and on a batch. Exceeding them is an error in the file, not a failure of a run.
public struct PlanLimits: Hashable, Sendable {
  /// The number of written steps, including inner ones.
  public var writtenSteps = 10_000
  /// The number of steps of a run, with repetitions multiplied.
  public var runSteps = 1_000_000
  /// The maximum count of one `repeat`.
  public var repetitions = 1_000_000
  /// The number of values that a `notify` may wait for.
  public var notifications = 1_000_000
  /// The number of tries of a chain.
  public var attempts = 1_000
  /// The nesting depth of `repeat`, `when` and `try`.
  public var depth = 16
  /// The number of included files; a file that is included twice counts twice.
  public var includedFiles = 100
  /// The number of names for UUIDs in one file.
  public var names = 4_096
  /// The number of devices of a batch, listed or from a scan.
  public var devices = 10_000
  /// The number of chains of a batch at once. A real controller supports only a few connections.
  public var concurrency = 64
  /// The number of errors about single devices of a batch that are reported.
  public var complaints = 20

  /// The limits of chain files: `docs/chains.md` lists them.
  ///
  /// Raise a limit only for chains that you trust.
  ///
  /// ```swift
  /// var limits = PlanLimits()
  /// limits.includedFiles = 500
  /// let plan = try Plan(file: "factory.yaml", limits: limits)
  /// ```
  public init() {}
}

extension PlanLimits {
  /// Bounds on the document of a chain: each level of steps is a list of mappings.
  var document: DocumentLimits {
    DocumentLimits(octets: 1 << 22, depth: 2 * depth + 16, nodes: 32 * writtenSteps)
  }

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
