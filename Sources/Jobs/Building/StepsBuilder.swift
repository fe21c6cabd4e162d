// Chains in Swift.

public import Bluetooth

/// Makes a list of steps from the braces of a ``Plan`` or of a step with inner steps.
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
  /// The plan is the same as that of a chain file with the same steps: it is checked in the same
  /// way, and starts nothing.
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
  ///   - device: The device of the chain; nil when the caller chooses it.
  ///   - timeout: The default timeout per step.
  ///   - limits: The limits of the chain.
  /// - Throws: What the steps throw; ``PlanError`` for a chain that is beyond `limits`, has no
  ///   steps, or uses a value that no earlier step captures.
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

/// An error in a chain in Swift.
public struct PlanError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The step; nil for the complete chain.
  public let step: StepPosition?
  /// What is wrong, and what is expected.
  public let problem: String

  public var description: String { step.map { "step \($0): \(problem)" } ?? problem }
}
