// Chains in Swift.

public import Bluetooth
import Documents

/// Makes a list of steps from the braces of a ``Plan`` or of a step with inner steps.
///
/// A function with this attribute is a building block: its steps become part of the chain that
/// calls it.
///
/// ```swift
/// @StepsBuilder func charged(atLeast percent: Int) throws -> [Step] {
///   try Step.read("battery-level").captured(as: "battery")
///   try Step.assert("battery.percent", .atLeast(Bound(percent)))
/// }
/// let plan = try Plan {
///   try charged(atLeast: 20)
///   try Step.notify("temperature-measurement", count: 3)
/// }
/// ```
@resultBuilder
public enum StepsBuilder {
  /// A step, with the line of its expression as its ``Step/source``.
  public static func buildExpression(
    _ step: Step, file: String = #fileID, line: Int = #line
  ) -> [Step] {
    var placed = step
    placed.source = step.source ?? Place(file: file, line: line)
    return [placed]
  }

  /// Steps that were made elsewhere; those without a source get the line of the expression.
  public static func buildExpression(
    _ steps: [Step], file: String = #fileID, line: Int = #line
  ) -> [Step] {
    steps.flatMap { buildExpression($0, file: file, line: line) }
  }

  /// The steps of all expressions, in order.
  public static func buildBlock(_ parts: [Step]...) -> [Step] { parts.flatMap { $0 } }

  /// The steps of an `if` without `else`; none when its condition is false.
  public static func buildOptional(_ steps: [Step]?) -> [Step] { steps ?? [] }

  /// The steps of the first branch.
  public static func buildEither(first steps: [Step]) -> [Step] { steps }

  /// The steps of the other branch.
  public static func buildEither(second steps: [Step]) -> [Step] { steps }

  /// The steps of all passes of a `for` loop.
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
  /// - Throws: What the steps throw; `Problem` for a chain that is beyond `limits`, has no
  ///   steps, or uses a value that no earlier step captures.
  public init(
    _ name: String? = nil, on device: DeviceTarget? = nil, timeout: Duration = Plan.usualTimeout,
    retry: RetryRule = RetryRule(), limits: PlanLimits = PlanLimits(),
    @StepsBuilder _ steps: () throws -> [Step]
  ) throws {
    self.init(name: name, device: device, timeout: timeout, retry: retry, steps: try steps())
    try check(limits)
  }
}

extension Problem {
  /// Runs `make`; what it throws becomes an error in the call at `file` and `line`.
  static func at<R>(_ file: String, _ line: Int, _ make: () throws -> R) throws(Problem) -> R {
    do {
      return try make()
    } catch {
      throw Problem(of: error).at(Place(file: file, line: line))
    }
  }
}
