// The variables of expressions and templates.

/// The value of a variable.
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

/// The kind of a variable.
enum VariableKind: Sendable, Hashable {
  case number
  case octets
  /// Rows of bytes; templates use one row.
  case table
}

/// Variables by name.
typealias Variables = [String: VariableValue]

extension Variables {
  /// A number variable; 0 if it is missing or of another kind.
  func number(_ name: String) -> Int64 {
    if case .number(let number) = self[name] { number } else { 0 }
  }

  /// A bytes variable; empty if it is missing or of another kind.
  func octets(_ name: String) -> [UInt8] {
    if case .octets(let octets) = self[name] { octets } else { [] }
  }

  /// These variables and those of `other`, which take precedence.
  func merging(_ other: Variables) -> Variables { merging(other) { _, later in later } }
}
