// Values for the variables of a chain, from a command line or a row of a table.

/// Names and their values, each with its origin.
///
/// A later value overrides an earlier one. Types are checked when a ``ChainTemplate`` makes a plan.
public struct Bindings: Hashable, Sendable {
  /// A value for one name.
  public struct Binding: Hashable, Sendable {
    /// The name of the variable.
    public let name: String
    /// The text as it was written. It is not YAML, and variables in it are not replaced.
    public let text: String
    /// Its origin, for error messages: `--set`, `devices.csv:3`.
    public let origin: String
    /// Whether it is an error when the chain has no such variable.
    public let mustBeKnown: Bool
  }

  /// At most one for each name, in the order in which the names were first given.
  public private(set) var all: [Binding] = []
  /// The indices of names in ``all``: tables may have thousands of columns.
  private var indices: [String: Int] = [:]
  /// The columns in which a table has nothing for this device.
  private(set) var empty: Set<String> = []

  /// No values.
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
  ///   - text: The value as it is written.
  ///   - origin: The origin of the value, for error messages.
  ///   - mustBeKnown: Whether it is an error when the chain has no such variable: true for values
  ///     of a command line, false for columns of a table, which may have other uses.
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

  /// Leaves a name to its default: the cell is empty.
  mutating func leave(_ name: String) { empty.insert(name) }

  /// The binding of a name; nil without one.
  ///
  /// ```swift
  /// let bindings: Bindings = ["least": "20"]
  /// print(bindings["least"]?.text ?? "not set")
  /// ```
  public subscript(name: String) -> Binding? { indices[name].map { all[$0] } }

  /// These bindings, overridden by those of `other` with the same name.
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
  /// Values in Swift: `["least": "20"]`. A name that the chain does not have is an error.
  public init(dictionaryLiteral values: (String, String)...) {
    self.init()
    for (name, text) in values { bind(name, to: text, from: "Swift", mustBeKnown: true) }
  }
}
