// The captured values that a step may use: those of earlier steps.
//
// It is used while a chain is read; it holds names, not values.

import Bluetooth
import Documents

/// The values captured so far, and the possible fields of each.
struct Scope {
  /// Names that have values before the chain runs; no step may capture under them.
  var variables: [String] = []
  private var captured: [Captured] = []
  /// Whether steps are missing, which is reported already, so that any name may be theirs.
  var lacksSteps = false

  /// A name under which one or more steps capture.
  private struct Captured {
    let name: String
    /// The possible fields; nil if a capturing step is invalid.
    var fields: [String]?
    /// The subjects of each capturing step; nil if one of them is unknown.
    var steps: [Subjects]?
  }

  /// Adds the captured value of a step.
  ///
  /// - Parameters:
  ///   - fields: The possible fields; nil for an invalid step.
  ///   - subjects: The subjects of the value; nil if they are unknown.
  mutating func capture(_ name: String, fields: [String]?, _ subjects: Subjects?) {
    let new = Captured(name: name, fields: fields, steps: subjects.map { [$0] })
    guard let index = captured.firstIndex(where: { $0.name == name }) else {
      return captured.append(new)
    }
    captured[index].fields = Self.union(captured[index].fields, new.fields)
    captured[index].steps = Self.union(captured[index].steps, new.steps)
  }

  /// The elements of both lists; nil if one is unknown.
  private static func union<Element: Equatable>(_ a: [Element]?, _ b: [Element]?) -> [Element]? {
    guard let a, let b else { return nil }
    return a + b.filter { !a.contains($0) }
  }

  /// The problem of capturing a value as `name`; nil if it is allowed.
  func problem(capturing name: String) -> Problem? {
    guard variables.contains(name) else { return nil }
    return Problem("'\(name)' is already the name of a variable", expected: "another name")
  }

  /// The problem of using `path` here; nil if it is valid.
  func problem(about path: VariablePath) -> Problem? {
    guard let variable = captured.first(where: { $0.name == path.variable }) else {
      if lacksSteps { return nil }
      let message = "no earlier step captures '\(path.variable)'"
      guard !captured.isEmpty || !variables.isEmpty else {
        return Problem(message, expected: "a step before this one with 'as'")
      }
      return .unknown(message, path.variable, among: captured.map(\.name) + variables)
    }
    guard let field = path.field, let fields = variable.fields, !fields.contains(field) else {
      return nil
    }
    if field == DecodedValue.further { return nil }
    if let part = KeptPart(field), variable.steps?.contains(where: { $0.has(part) }) ?? true {
      guard let inner = part.field, inner != DecodedValue.further,
        let known = variable.steps.map({ $0.flatMap(\.fields) }), !known.contains(inner)
      else { return nil }
      let name = "\(variable.name).\(part.word.rawValue)"
      guard part.word != .bytes, !known.isEmpty else { return Problem("'\(name)' has no fields") }
      return .unknown("'\(name)' has no field '\(inner)'", inner, among: known)
    }
    guard !fields.isEmpty else {
      return Problem("'\(variable.name)' has no fields", expected: "'\(variable.name)' alone")
    }
    return .unknown("'\(variable.name)' has no field '\(field)'", field, among: fields)
  }

  /// The problem of calculating with `path` here; nil if it is valid.
  func problem(calculatingWith path: VariablePath) -> Problem? {
    guard variables.contains(path.variable), !isCaptured(path.variable) else {
      return problem(about: path)
    }
    let message = "'\(path.variable)' has its value before the chain runs"
    return Problem(message, expected: "{\(path.variable)}")
  }

  /// Whether an earlier step captures under a name.
  func isCaptured(_ name: String) -> Bool { captured.contains { $0.name == name } }

  /// The kind of a captured value for calculations; nil if it is unknown.
  func kind(of path: VariablePath) -> Expression.Kind? {
    guard let steps = captured.first(where: { $0.name == path.variable })?.steps else { return nil }
    let kinds = Set(steps.map { $0.calculatedKind(of: path) })
    return kinds.count == 1 ? kinds.first ?? nil : nil
  }

  /// The problem of a check that no value captured as `path` can pass; nil if one may.
  func problem(about check: Check, of path: VariablePath) -> Problem? {
    let steps = captured.first { $0.name == path.variable }?.steps
    return Subjects.problem(about: check, of: path, capturedBy: steps)
  }
}
