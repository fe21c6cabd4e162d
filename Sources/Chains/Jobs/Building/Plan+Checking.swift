// Checks chains built in Swift by the rules of chain files.

import Bluetooth
import Documents
import RunEvents

extension Plan {
  /// Checks the plan as the readers of chain files do.
  func check(_ limits: PlanLimits) throws(Problem) {
    guard !steps.isEmpty else { throw Problem("there are no steps") }
    if let problem = limits.problem(about: self) {
      throw problem
    }
    var scope = Scope()
    try Self.check(StepPosition.place(steps), &scope, limits, depth: 0)
  }

  private static func check(
    _ steps: [PlacedStep], _ scope: inout Scope, _ limits: PlanLimits, depth: Int
  ) throws(Problem) {
    guard depth <= limits.depth else {
      throw Problem("steps are nested deeper than \(limits.depth) levels")
    }
    for placed in steps {
      let problem = placed.step.problem(limits) ?? placed.step.problem(scope)
      if let problem {
        throw problem.at(placed.step.source, path: "step \(placed.position)")
      }
      if let name = placed.step.kind.binding { scope.capture(name, fields: [], nil) }
      try check(placed.inner, &scope, limits, depth: depth + 1)
      if let name = placed.step.capture {
        scope.capture(name, fields: placed.step.kind.capturedFields, placed.step.kind.subjects)
      }
    }
  }
}

extension Step {
  fileprivate func problem(_ limits: PlanLimits) -> Problem? {
    if let capture, !VariablePath.isName(capture) {
      return Problem(found: "'\(capture)'", expected: VariablePath.shape)
    }
    if onFailure == .warn, type(of: kind).hasInnerSteps {
      return Problem("'\(operation)' does not warn: its steps do")
    }
    return problemWithExpectedFailure ?? kind.problem(limits, timeout: timeout)
  }

  /// The problem of the captured values that the step uses; nil if there is none.
  fileprivate func problem(_ scope: Scope) -> Problem? {
    let paths = kind.mentions + expectations.flatMap(\.check.references)
    return paths.lazy.compactMap { scope.problem(about: $0) }.first
  }
}

extension ValueFormat {
  /// Parses the name of a format; nil for nil.
  init?(written name: String?) throws(Problem) {
    guard let name else { return nil }
    guard let format = ValueFormat(name) else {
      throw Problem.noFormat(name)
    }
    self = format
  }
}

extension WrittenValue {
  /// Parses values in the one-line form: `u8:1`.
  init(written values: [String]) throws {
    guard !values.isEmpty else { throw Problem("the value is missing") }
    var parts: [Part] = []
    for value in values {
      guard let colon = value.firstIndex(of: ":"),
        let format = try ValueFormat(written: String(value[..<colon])),
        let template = MessageTemplate(String(value[value.index(after: colon)...]))
      else { throw Problem("'\(value)' is not a value such as u8:1") }
      parts.append(Part(format, template))
    }
    try self.init(parts)
  }
}
