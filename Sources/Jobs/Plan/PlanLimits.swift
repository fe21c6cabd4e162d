// How much one chain may ask for.

/// Bounds on a chain. What is beyond them is a complaint about the chain, not a failure of a run.
public struct PlanLimits: Hashable, Sendable {
  /// Steps as written, inner ones included.
  public var writtenSteps = 10_000
  /// How many steps a run may take, repetitions multiplied.
  public var runSteps = 1_000_000
  /// How often one `repeat` may repeat.
  public var repetitions = 1_000_000
  /// How many values a `notify` may wait for.
  public var notifications = 1_000_000
  /// How often a chain may be tried.
  public var attempts = 1_000
  /// How deep `repeat`, `when` and `try` may lie in one another.
  public var depth = 16
  /// How many files a chain may include, those that are included twice counted twice.
  public var includedFiles = 100

  public init() {}
}
