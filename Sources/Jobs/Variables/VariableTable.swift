// The variables of a chain with their values, when a plan is made.

import Documents

/// Names with values that are known before the chain runs.
struct VariableTable {
  /// A value, and whether it is used like a text in quotes.
  struct Value: Equatable {
    let text: String
    /// Whether it may be read as a number, a boolean or null.
    let isPlain: Bool
  }

  private(set) var names: [String] = []
  /// The columns of a table that have nothing for the device.
  var empty: Set<String> = []
  private var values: [String: Value] = [:]

  subscript(name: String) -> Value? { values[name] }

  mutating func set(_ name: String, to value: Value) {
    if values[name] == nil { names.append(name) }
    values[name] = value
  }

  /// A text as the value of a variable. An empty one is a text, not null.
  static func value(_ text: String, _ type: VariableType?) -> Value {
    let looksLikeNothing = Node(.scalar(text, isPlain: true), at: Place(file: ""), path: "").isNull
    return Value(text: text, isPlain: type?.isPlain ?? !looksLikeNothing)
  }
}
