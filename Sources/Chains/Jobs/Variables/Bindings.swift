// Values for the variables of a chain, from a command line or a row of a table.

/// Names and their values, each with its origin.
///
/// A later value overrides an earlier one. Types are checked when a ``ChainTemplate`` creates a
/// plan.
public struct Bindings: Hashable, Sendable {
  public struct Binding: Hashable, Sendable {
    public let name: String
    /// The text as it was written. It is not parsed as YAML, and variables in it are not
    /// substituted.
    public let text: String
    /// The origin, for error messages: `--set`, `devices.csv:3`.
    public let origin: String
    /// Whether the chain must have a variable of this name.
    public let mustBeKnown: Bool
  }

  /// The bindings, at most one for each name, in the order in which the names first appeared.
  public private(set) var all: [Binding] = []
  /// The indices of names in ``all``; a table may have thousands of columns.
  private var indices: [String: Int] = [:]
  /// The columns of a table whose cell for this device is empty.
  private(set) var empty: Set<String> = []

  public init() {}

  /// Binds a name to a value.
  ///
  /// ```swift
  /// var bindings = Bindings()
  /// bindings.bind("least", to: "20", from: "--set", mustBeKnown: true)
  /// let plan = try Plan(file: "soil.yaml", with: bindings)
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the variable.
  ///   - text: The value as it was written.
  ///   - origin: The origin of the value, for error messages.
  ///   - mustBeKnown: Whether the chain must have a variable of this name: true for values of a
  ///     command line, false for columns of a table, which may have other uses.
  public mutating func bind(
    _ name: String, to text: String, from origin: String, mustBeKnown: Bool = false
  ) {
    let binding = Binding(name: name, text: text, origin: origin, mustBeKnown: mustBeKnown)
    if let index = indices[name] {
      all[index] = binding
    } else {
      indices[name] = all.count
      all.append(binding)
    }
  }

  /// Records an empty cell: the variable keeps its default.
  mutating func leave(_ name: String) { empty.insert(name) }

  /// The binding of a name; nil if it has none.
  ///
  /// ```swift
  /// let bindings: Bindings = ["least": "20"]
  /// print(bindings["least"]?.text ?? "not set")
  /// ```
  public subscript(name: String) -> Binding? { indices[name].map { all[$0] } }

  /// Returns these bindings, overridden by those of `other` with the same name.
  ///
  /// ```swift
  /// let usual: Bindings = ["least": "20"]
  /// let plan = try Plan(file: "soil.yaml", with: usual.overridden(by: ["least": "35"]))
  /// ```
  public func overridden(by other: Bindings) -> Bindings {
    var both = self
    for binding in other.all {
      both.bind(
        binding.name, to: binding.text, from: binding.origin, mustBeKnown: binding.mustBeKnown
      )
    }
    both.empty.formUnion(other.empty)
    return both
  }
}

extension Bindings: ExpressibleByDictionaryLiteral {
  /// Creates bindings in Swift: `["least": "20"]`. A name that the chain does not have is an error.
  public init(dictionaryLiteral values: (String, String)...) {
    self.init()
    for (name, text) in values { bind(name, to: text, from: "Swift", mustBeKnown: true) }
  }
}
