// What expressions and templates may name.

/// The value of one name.
enum VariableValue: Sendable, Hashable {
  case number(Int64)
  case octets([UInt8])

  var kind: VariableKind {
    switch self {
    case .number: .number
    case .octets: .octets
    }
  }
}

/// What kind of value a name stands for.
enum VariableKind: Sendable, Hashable {
  case number
  case octets
  /// Rows of octets, of which a template takes one.
  case table
}

/// Names with their values.
typealias Variables = [String: VariableValue]

extension Variables {
  /// The number behind a name; 0 for anything else.
  func number(_ name: String) -> Int64 {
    if case .number(let number) = self[name] { number } else { 0 }
  }

  /// The octets behind a name; none for anything else.
  func octets(_ name: String) -> [UInt8] {
    if case .octets(let octets) = self[name] { octets } else { [] }
  }

  /// These, and those of `other` over them.
  func merging(_ other: Variables) -> Variables { merging(other) { _, later in later } }
}

/// What a template is evaluated with.
struct Scope {
  var variables = Variables()
  var tables: [MachineDefinition.Table] = []

  func rows(_ table: String) -> [[UInt8]] { tables.first { $0.name == table }?.rows ?? [] }
}
