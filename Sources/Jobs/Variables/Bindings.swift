// Values for the variables of a chain, given from outside: a command line, a row of a table.

/// Names and the values that they are bound to, each with where it comes from.
///
/// What is given later wins. Nothing is known of types here: that is said when a plan is made of a
/// ``ChainTemplate``, with complaints.
public struct Bindings: Hashable, Sendable {
  /// A value for one name.
  public struct Binding: Hashable, Sendable {
    public let name: String
    /// As it was written; it is no YAML, and nothing in it is looked up again.
    public let text: String
    /// Where it comes from, as complaints say it: `--set`, `devices.csv:3`.
    public let origin: String
    /// Whether it is a mistake when the chain has no such variable.
    public let mustBeKnown: Bool
  }

  /// At most one for each name, in the order in which the names were first given.
  public private(set) var all: [Binding] = []
  /// Where the binding of a name stands in ``all``: tables have thousands of columns.
  private var indices: [String: Int] = [:]

  public init() {}

  /// Binds a name to a value.
  ///
  /// - Parameters:
  ///   - origin: Where the value comes from, as complaints say it.
  ///   - mustBeKnown: Whether a chain without such a variable is to be complained of. Columns of a
  ///     table may be there for other uses; what was asked for on a command line is meant.
  public mutating func bind(
    _ name: String,
    to text: String,
    from origin: String,
    mustBeKnown: Bool = false
  ) {
    let binding = Binding(name: name, text: text, origin: origin, mustBeKnown: mustBeKnown)
    if let index = indices[name] {
      all[index] = binding
    } else {
      indices[name] = all.count
      all.append(binding)
    }
  }

  /// What a name is bound to.
  public subscript(name: String) -> Binding? { indices[name].map { all[$0] } }

  /// These, with those of `other` in place of the ones of the same name.
  public func overridden(by other: Bindings) -> Bindings {
    var both = self
    for binding in other.all {
      both.bind(
        binding.name,
        to: binding.text,
        from: binding.origin,
        mustBeKnown: binding.mustBeKnown
      )
    }
    return both
  }
}
