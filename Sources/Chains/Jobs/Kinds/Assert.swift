// `assert`: fails unless captured values meet a condition.
//
// It compares captured values, or calculates with them; it does not access the device.

import Bluetooth
public import Documents
import RunEvents

/// A step that fails unless its condition holds.
public struct AssertStep: StepKind {
  public var condition: Condition

  public init(_ condition: Condition) { self.condition = condition }

  init() { self.init(Condition([])) }

  static let verb = "assert"
  static let synonyms = ["check", "expect", "verify"]
  static let documentation = "fails unless captured values are what they must be"
  static let needsLink = false
  static let keys: [Key<Self>] = [
    Key(
      "assert", \.condition, .condition.asMapping, line: .condition,
      "what captured values must be"
    )
  ]

  var action: Step.Action { .assert(self) }
  var participle: String { "checking captured values" }

  func run(_ run: StepRun) throws {
    if let unmet = try run.unmet(condition) { throw unmet }
  }
}

extension Step {
  /// Fails unless a captured value passes a check.
  ///
  /// ```swift
  /// try Step.read("battery-level").captured(as: "battery")
  /// try Step.assert("battery.percent", .atLeast(20))
  /// ```
  ///
  /// - Throws: `Problem` when `path` is not the name of a captured value or of one of its fields.
  public static func assert(
    _ path: String, _ check: Check, file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    let test = try Problem.at(file, line) { try Condition.Test(path, check) }
    return Step(.assert(AssertStep(Condition([test]))))
  }
}

extension StepRun {
  /// Why a condition does not hold; nil if it does.
  func unmet(_ condition: Condition) throws -> ExpectationFailure? {
    do throws(ExpressionFailure) {
      return try condition.unmet(chain.value)
    } catch {
      throw RunFailure(error, of: step)
    }
  }
}

extension RunFailure {
  /// The failure of a calculation that has no result.
  init(_ failure: ExpressionFailure, of step: Step) {
    self.init(
      code: .invalidValue, class: .definite, what: step.participle, why: "\(failure)",
      hint: "check the result of the earlier step with 'as'"
    )
    source = step.source
    sourceText = step.sourceText
  }
}

extension Step {
  /// Fails unless a calculation with captured values holds.
  ///
  /// ```swift
  /// try Step.read("battery-level").captured(as: "battery")
  /// try Step.assert("battery.percent * 2 >= 40")
  /// ```
  ///
  /// - Throws: `Problem` for a calculation that cannot be parsed.
  public static func assert(
    _ calculation: String, file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    let calculation = try Problem.at(file, line) { try Calculation(calculation) }
    return Step(.assert(AssertStep(Condition(calculation))))
  }
}

extension Condition.Test {
  /// Parses a path such as `battery.percent`: a captured value, or a field of one.
  init(_ path: String, _ check: Check) throws(Problem) {
    guard let path = VariablePath(path) else {
      throw Problem("'\(path)' is not the name of a captured value")
    }
    self.init(path, check)
  }
}
