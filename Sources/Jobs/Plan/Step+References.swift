// Which captured values a step takes.

extension Step {
  /// The captured values that the step itself needs before it can run, other than to say them.
  var references: [VariablePath] {
    let own: [VariablePath] =
      switch action {
      case .write(let write): write.value.references
      case .notify(let listening):
        (listening.trigger?.value.references ?? []) + listening.enough.references
      case .poll(let polling): polling.enough.references
      case .combine(let combining): combining.enough.references
      case .exchange(let exchanging):
        exchanging.write.value.references + exchanging.conditions.flatMap(\.check.references)
      case .attribute(.writeDescriptor(_, let value)): value.references
      case .when(let condition, _): condition.tests.flatMap(\.check.references)
      default: []
      }
    return own + expectations.flatMap(\.check.references)
  }
}

extension WrittenValue {
  /// The captured values in it.
  var references: [VariablePath] { parts.flatMap(\.template.variables) }
}

extension Enough {
  /// The captured values that its conditions compare with.
  var references: [VariablePath] { conditions.flatMap(\.check.references) }
}

extension Check {
  /// The captured value that it compares with.
  var references: [VariablePath] {
    if case .captured(_, let path) = self { [path] } else { [] }
  }
}
