// Chains in Swift.

public import Bluetooth

/// Puts steps in a row: what stands between the braces of a ``Plan`` or of a step with others in it.
@resultBuilder
public enum StepsBuilder {
  public static func buildExpression(_ step: Step) -> [Step] { [step] }

  /// Steps that were made elsewhere.
  public static func buildExpression(_ steps: [Step]) -> [Step] { steps }

  public static func buildBlock(_ parts: [Step]...) -> [Step] { parts.flatMap { $0 } }

  public static func buildOptional(_ steps: [Step]?) -> [Step] { steps ?? [] }

  public static func buildEither(first steps: [Step]) -> [Step] { steps }

  public static func buildEither(second steps: [Step]) -> [Step] { steps }

  public static func buildArray(_ parts: [[Step]]) -> [Step] { parts.flatMap { $0 } }
}

extension Plan {
  /// A chain whose steps are written in Swift.
  ///
  /// It is the same plan as that of a chain file with the same steps: it is checked as such, and
  /// nothing has happened yet.
  ///
  /// ```swift
  /// let chain = try Plan("Take a temperature", on: .name("Thermo*"), timeout: .seconds(10)) {
  ///   try Step.read("battery-level")
  ///   try Step.notify("temperature-measurement", count: 3)
  ///     .expect("celsius", .between(10, 40))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - device: The device it is meant for; nil when whoever runs it says so.
  ///   - timeout: How long each step may take, unless it has a limit of its own.
  ///   - limits: How much the chain may ask for.
  /// - Throws: What the steps throw; ``PlanError`` for a chain that is beyond `limits`, has no steps,
  ///   or looks at a value that no step before captures.
  public init(
    _ name: String? = nil,
    on device: DeviceTarget? = nil,
    timeout: Duration = Plan.usualTimeout,
    retry: RetryRule = RetryRule(),
    limits: PlanLimits = PlanLimits(),
    @StepsBuilder _ steps: () throws -> [Step]
  ) throws {
    self.init(name: name, device: device, timeout: timeout, retry: retry, steps: try steps())
    try check(limits)
  }
}

/// A chain in Swift that cannot be run as it is.
public struct PlanError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The step; nil for the chain as a whole.
  public let step: StepPosition?
  /// What is wrong, and what would be right.
  public let problem: String

  public var description: String { step.map { "step \($0): \(problem)" } ?? problem }
}
