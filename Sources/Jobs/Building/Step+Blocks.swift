// Steps that run other steps, in Swift: `repeat`, `when` and `try` of chain files.

import Documents

extension Step {
  /// Runs steps several times.
  ///
  /// ```swift
  /// try Step.repeated(3, index: "round") {
  ///   try Step.write("alert-level", "u8:1")
  ///   Step.sleep(.seconds(1))
  ///   try Step.log("round {round}")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - count: How often.
  ///   - index: The name under which the steps use the number of the repetition, from 1.
  ///   - steps: The inner steps.
  public static func repeated(
    _ count: Int,
    index: String? = nil,
    @StepsBuilder _ steps: () throws -> [Step]
  ) rethrows -> Step {
    Step(.repeated(count: count, index: index, try steps()))
  }

  /// Runs steps when a captured value passes a check, and others when it does not.
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
  /// - Parameters:
  ///   - path: `reading`, `reading.celsius`.
  ///   - check: What the captured value must be.
  ///   - file: The file of the call, for errors.
  ///   - line: The line of the call, for errors.
  ///   - steps: The steps when it passes.
  ///   - otherwise: The steps when it does not.
  /// - Throws: What `steps` and `otherwise` throw; `Problem` for an invalid path.
  public static func when(
    _ path: String,
    _ check: Check,
    file: String = #fileID,
    line: Int = #line,
    @StepsBuilder _ steps: () throws -> [Step],
    @StepsBuilder otherwise: () throws -> [Step] = { [] }
  ) throws -> Step {
    let test = try Problem.at(file, line) { try Condition.Test(path, check) }
    return Step(.when(Condition([test]), try steps(), otherwise: try otherwise()))
  }

  /// Runs steps, then others, whatever the outcome of the first: failure, cancellation, deadline.
  ///
  /// The failure of the first steps is then the failure of this step.
  ///
  /// ```swift
  /// try Step.attempt {
  ///   try Step.write("alert-level", "u8:2")
  ///   Step.sleep(.seconds(2))
  /// } finally: {
  ///   try Step.write("alert-level", "u8:0")
  /// }
  /// ```
  public static func attempt(
    @StepsBuilder _ steps: () throws -> [Step],
    @StepsBuilder finally last: () throws -> [Step]
  ) rethrows -> Step {
    Step(.tried(try steps(), finally: try last()))
  }
}

extension Condition.Test {
  /// A check of the captured value, or field of one, that a text names.
  init(_ path: String, _ check: Check) throws(Problem) {
    guard let path = VariablePath(path) else {
      throw Problem("'\(path)' is not the name of a captured value")
    }
    self.init(path, check)
  }
}
