// The result builder for chains written in Swift.

public import Bluetooth
import Documents

/// A result builder for the steps of a ``Plan`` or of a step with inner steps.
///
/// A function with this attribute is a building block: its steps are inserted into the chain that
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
  /// Adds a step; one without a ``Step/source`` gets the line of the expression.
  public static func buildExpression(
    _ step: Step, file: String = #fileID, line: Int = #line
  ) -> [Step] {
    var placed = step
    placed.source = step.source ?? Place(file: file, line: line)
    return [placed]
  }

  /// Adds steps built elsewhere; those without a ``Step/source`` get the line of the expression.
  public static func buildExpression(
    _ steps: [Step], file: String = #fileID, line: Int = #line
  ) -> [Step] {
    steps.flatMap { buildExpression($0, file: file, line: line) }
  }

  /// Joins the steps of all expressions, in order.
  public static func buildBlock(_ parts: [Step]...) -> [Step] { parts.flatMap { $0 } }

  /// Adds the steps of an `if` without `else`; none if its condition is false.
  public static func buildOptional(_ steps: [Step]?) -> [Step] { steps ?? [] }

  /// Adds the steps of the first branch.
  public static func buildEither(first steps: [Step]) -> [Step] { steps }

  /// Adds the steps of the other branch.
  public static func buildEither(second steps: [Step]) -> [Step] { steps }

  /// Joins the steps of all passes of a `for` loop.
  public static func buildArray(_ parts: [[Step]]) -> [Step] { parts.flatMap { $0 } }
}

extension Plan {
  /// Creates a chain from steps written in Swift.
  ///
  /// The plan equals that of a chain file with the same steps: it passes the same checks, and
  /// starts nothing.
  ///
  /// ```swift
  /// let chain = try Plan("Take a temperature", on: .name("Thermo*"), timeout: .seconds(10)) {
  ///   try Step.read("battery-level")
  ///   try Step.notify("temperature-measurement", count: 3)
  ///     .expect("celsius", .between(10, 40))
  /// }
  /// ```
  ///
  /// - Throws: The errors of the steps; `Problem` for a chain that exceeds `limits`, has no steps,
  ///   or uses a value that no earlier step captures.
  public init(
    _ name: String? = nil, on device: DeviceTarget? = nil, timeout: Duration = Plan.defaultTimeout,
    retry: RetryRule = RetryRule(), limits: PlanLimits = PlanLimits(),
    @StepsBuilder _ steps: () throws -> [Step]
  ) throws {
    self.init(name: name, device: device, timeout: timeout, retry: retry, steps: try steps())
    try check(limits)
  }
}

extension Problem {
  /// Runs `make`, and rethrows its error as a `Problem` at `file` and `line`.
  static func at<R>(_ file: String, _ line: Int, _ make: () throws -> R) throws(Problem) -> R {
    do {
      return try make()
    } catch {
      throw Problem(of: error).at(Place(file: file, line: line))
    }
  }
}
