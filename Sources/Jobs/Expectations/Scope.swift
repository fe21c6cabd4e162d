// The variables that a step may use: those that earlier steps capture.

import Bluetooth

/// The variables captured so far, and the fields that each may have.
struct Scope {
  /// Names that have values before the chain runs: no step may capture under them.
  var variables: [String] = []
  private var captured: [(name: String, fields: [String]?)] = []

  /// Adds the captured value of a step.
  ///
  /// - Parameter fields: Nil for an invalid step, whose fields are unknown.
  mutating func capture(_ name: String, fields: [String]?) {
    guard let index = captured.firstIndex(where: { $0.name == name }) else {
      captured.append((name, fields))
      return
    }
    guard let known = captured[index].fields, let fields else {
      captured[index].fields = nil
      return
    }
    captured[index].fields = known + fields.filter { !known.contains($0) }
  }

  /// The error in capturing a value as `name`; nil without one.
  func complaint(aboutCapturing name: String) -> Complaint? {
    guard variables.contains(name) else { return nil }
    return Complaint("'\(name)' has a value already", expected: "another name")
  }

  /// The error in using `path` here; nil without one.
  func complaint(about path: VariablePath) -> Complaint? {
    guard let variable = captured.first(where: { $0.name == path.variable }) else {
      let message = "no earlier step captures '\(path.variable)'"
      guard !captured.isEmpty || !variables.isEmpty else {
        return Complaint(message, expected: "a step before this one with 'as'")
      }
      return .unknown(message, path.variable, among: captured.map(\.name) + variables)
    }
    guard let field = path.field, let fields = variable.fields, !fields.contains(field) else {
      return nil
    }
    if field == DecodedValue.further { return nil }
    guard !fields.isEmpty else {
      return Complaint("'\(variable.name)' has no fields", expected: "'\(variable.name)' alone")
    }
    return .unknown("'\(variable.name)' has no field '\(field)'", field, among: fields)
  }
}
