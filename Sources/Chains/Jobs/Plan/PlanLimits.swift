// Limits on the size of a chain and of a batch.
//
// They are checked when a file is read, not while it runs.

import Documents

/// Limits on a chain and on a batch. Exceeding one is an error in the file, not a failure of a run.
public struct PlanLimits: Hashable, Sendable {
  /// The number of steps as written, including inner ones.
  public var writtenSteps = 10_000
  /// The number of steps that a run executes, repetitions multiplied.
  public var runSteps = 1_000_000
  /// The maximum count of one `repeat`.
  public var repetitions = 1_000_000
  /// The number of values that a `notify` may wait for.
  public var notifications = 1_000_000
  /// The number of attempts of a chain.
  public var attempts = 1_000
  /// The nesting depth of `repeat`, `when` and `try`.
  public var depth = 16
  /// The number of included files; a file that is included twice counts twice.
  public var includedFiles = 100
  /// The number of names for UUIDs in one file.
  public var names = 4_096
  /// The number of devices in a batch, listed or found by a scan.
  public var devices = 10_000
  /// The number of chains that a batch runs at once. A real controller supports only a few
  /// connections.
  public var concurrency = 64
  /// The number of invalid devices that a batch reports one by one.
  public var reportedDevices = 20

  /// Creates the default limits, which `docs/chains.md` lists.
  ///
  /// Raise a limit only for trusted chains.
  ///
  /// ```swift
  /// var limits = PlanLimits()
  /// limits.includedFiles = 500
  /// let plan = try Plan(file: "factory.yaml", limits: limits)
  /// ```
  public init() {}
}

extension PlanLimits {
  /// The limits on the document of a chain. Each level of steps adds two levels of YAML: a list and
  /// its mappings.
  var document: DocumentLimits {
    DocumentLimits(octets: 1 << 22, depth: 2 * depth + 16, nodes: 32 * writtenSteps)
  }

  /// The first exceeded limit; nil if there is none.
  func problem(about plan: Plan) -> Problem? {
    let written = plan.writtenStepCount
    guard written <= writtenSteps else {
      return Problem("\(written) steps", expected: "at most \(writtenSteps)")
    }
    guard let count = Self.runCount(plan.steps), count <= runSteps else {
      let message = "a run would have more than \(runSteps) steps, counting repetitions"
      return Problem(message, expected: "fewer repetitions")
    }
    return nil
  }

  /// The maximum number of steps that a run executes; nil on overflow.
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
  /// The number of steps as written, including inner ones.
  public var writtenStepCount: Int { allSteps.count }
}
