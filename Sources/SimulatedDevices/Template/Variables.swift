// What expressions and templates may name.

/// The value of one name.
public enum VariableValue: Sendable, Hashable {
  /// A whole number.
  case number(Int64)
  /// Bytes.
  case octets([UInt8])

  /// What kind of value it is.
  public var kind: VariableKind {
    switch self {
    case .number: .number
    case .octets: .octets
    }
  }
}

/// What kind of value a name stands for.
public enum VariableKind: Sendable, Hashable {
  /// A whole number.
  case number
  /// Bytes.
  case octets
  /// Rows of octets, of which a template takes one.
  case table
}

/// Names with their values. A later value of a name replaces the one before.
public struct Variables: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  private var names: [String] = []
  private var values: [VariableValue] = []

  /// No names.
  public init() {}

  public init(dictionaryLiteral entries: (String, VariableValue)...) {
    for (name, value) in entries { self[name] = value }
  }

  /// The value of a name; nil for a name that has none. Setting nil removes the name.
  public subscript(name: String) -> VariableValue? {
    get { names.firstIndex(of: name).map { values[$0] } }
    set {
      let index = names.firstIndex(of: name)
      switch (index, newValue) {
      case (let index?, let value?): values[index] = value
      case (nil, let value?):
        names.append(name)
        values.append(value)
      case (let index?, nil):
        names.remove(at: index)
        values.remove(at: index)
      case (nil, nil): break
      }
    }
  }

  /// The number behind a name; 0 for anything else.
  func number(_ name: String) -> Int64 {
    if case .number(let number) = self[name] { number } else { 0 }
  }

  /// The octets behind a name; none for anything else.
  func octets(_ name: String) -> [UInt8] {
    if case .octets(let octets) = self[name] { octets } else { [] }
  }

  /// These, and those of `other` over them.
  func merging(_ other: Variables) -> Variables {
    var result = self
    for (name, value) in zip(other.names, other.values) { result[name] = value }
    return result
  }
}

/// What a template is evaluated with.
struct Scope {
  /// Rows of octets under one name.
  typealias Table = (name: String, rows: [[UInt8]])

  var variables = Variables()
  var tables: [Table] = []

  func rows(_ table: String) -> [[UInt8]] { tables.first { $0.name == table }?.rows ?? [] }
}
