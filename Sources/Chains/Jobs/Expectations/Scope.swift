// The variables that a step may use: those that earlier steps capture.

import Bluetooth
import Documents

/// The variables captured so far, and the fields that each may have.
struct Scope {
  /// Names that have values before the chain runs: no step may capture under them.
  var variables: [String] = []
  private var captured: [Captured] = []

  /// What may be captured under a name: several steps may use it.
  private struct Captured {
    let name: String
    /// Nil for an invalid step, whose fields are unknown.
    var fields: [String]?
    /// What is known of the values of each step; nil where a step is unknown.
    var steps: [Subjects]?
  }

  /// Adds the captured value of a step.
  ///
  /// - Parameters:
  ///   - fields: Nil for an invalid step, whose fields are unknown.
  ///   - subjects: What is known of the value; nil for nothing.
  mutating func capture(_ name: String, fields: [String]?, _ subjects: Subjects?) {
    let new = Captured(name: name, fields: fields, steps: subjects.map { [$0] })
    guard let index = captured.firstIndex(where: { $0.name == name }) else {
      return captured.append(new)
    }
    captured[index].fields = Self.union(captured[index].fields, new.fields)
    captured[index].steps = Self.union(captured[index].steps, new.steps)
  }

  /// What is in one of the lists; nil where one is unknown.
  private static func union<Element: Equatable>(_ a: [Element]?, _ b: [Element]?) -> [Element]? {
    guard let a, let b else { return nil }
    return a + b.filter { !a.contains($0) }
  }

  /// The error in capturing a value as `name`; nil without one.
  func complaint(aboutCapturing name: String) -> Problem? {
    guard variables.contains(name) else { return nil }
    return Problem("'\(name)' has a value already", expected: "another name")
  }

  /// The error in using `path` here; nil without one.
  func complaint(about path: VariablePath) -> Problem? {
    guard let variable = captured.first(where: { $0.name == path.variable }) else {
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
    guard !fields.isEmpty else {
      return Problem("'\(variable.name)' has no fields", expected: "'\(variable.name)' alone")
    }
    return .unknown("'\(variable.name)' has no field '\(field)'", field, among: fields)
  }

  /// The error about a check that what is captured as `path` never passes; nil where it may.
  func complaint(about check: Check, of path: VariablePath) -> Problem? {
    let steps = captured.first { $0.name == path.variable }?.steps
    return Subjects.complaint(about: check, of: path, capturedBy: steps)
  }
}
