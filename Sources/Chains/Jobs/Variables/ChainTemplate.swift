// A chain before its variables have values.

public import Bluetooth
public import Documents
import Glibc

/// A chain file that makes a plan for each set of values.
///
/// It is read once; ``plan(with:names:environment:)`` does not access files. A run on many devices makes
/// a plan for each row of its table.
public struct ChainTemplate: Sendable {
  private let root: Node
  private let inclusions: Inclusions
  private let limits: PlanLimits

  /// Reads a chain file.
  ///
  /// Included files are read, too. Whether the steps are valid shows in
  /// ``plan(with:names:environment:)``.
  ///
  /// ```swift
  /// let template = try ChainTemplate.load(path: "soil.yaml")
  /// let plans = try ["20", "35"].map { try template.plan(with: ["least": $0]) }
  /// ```
  ///
  /// - Throws: `DocumentErrors` when it is missing, cannot be read, or is invalid YAML.
  public static func load(
    path: String, limits: PlanLimits = PlanLimits()
  ) throws(DocumentErrors) -> ChainTemplate {
    let text = try TextFile.read(path, limit: limits.document.octets)
    let root = try Document.parse(text, file: path, limits: limits.document)
    return of(root, in: path, limits)
  }

  /// The chain of a document in a file, whose folder is that of its includes.
  static func of(_ root: Node, in path: String, _ limits: PlanLimits) -> ChainTemplate {
    let inclusions = Inclusions.load(root.names(under: "include"), in: path, limits)
    return ChainTemplate(root: root, inclusions: inclusions, limits: limits)
  }

  /// Reads the text of a chain file. It cannot include other files.
  ///
  /// ```swift
  /// let text = "steps: [{ read: battery-level }]"
  /// let template = try ChainTemplate.parse(text, file: "the request")
  /// ```
  ///
  /// - Throws: `DocumentErrors` for invalid YAML.
  public static func parse(
    _ text: String, file: String, limits: PlanLimits = PlanLimits()
  ) throws(DocumentErrors) -> ChainTemplate {
    let root = try Document.parse(text, file: file, limits: limits.document)
    return ChainTemplate(root: root, inclusions: .none(limits), limits: limits)
  }

  /// The plan with the values of its variables.
  ///
  /// ```swift
  /// let template = try ChainTemplate.load(path: "soil.yaml")
  /// let plan = try template.plan(with: ["least": "20"]) { _ in nil }  // without the environment
  /// ```
  ///
  /// - Parameters:
  ///   - bindings: Values, which override the environment; that overrides defaults.
  ///   - names: Names for UUIDs; those of the file override them.
  ///   - environment: Returns an environment variable; called only for those that the file names
  ///     under `environment`.
  /// - Throws: `DocumentErrors` with all errors and their positions, including variables that are
  ///   unknown, have no value, or have a value of another type.
  public func plan(
    with bindings: Bindings = Bindings(), names: AttributeNames = .assigned,
    environment: (String) -> String? = ChainTemplate.environment
  ) throws(DocumentErrors) -> Plan {
    var declarations = Declarations()
    let captured = root.names(under: "as") + inclusions.names(under: "as")
    let body = declarations.body(of: root, bindings, captured, limits, environment: environment)
    // An error in a variable is not reported again for each of its uses.
    guard declarations.problems.isEmpty else { throw DocumentErrors(declarations.problems) }
    let surroundings = IncludedSurroundings(
      inclusions: inclusions, names: names, table: declarations.table, captured: captured,
      stack: inclusions.ownPath.map { [$0] } ?? []
    )
    var reader = StepReader(limits: limits, surroundings)
    reader.scope.variables = declarations.table.names
    let plan = reader.plan(body)
    guard reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
    return plan
  }

  /// The document of a chain that includes no files; nil for any other.
  var wholeDocument: Node? { inclusions.isEmpty ? root : nil }

  /// The value of an environment variable of this process.
  public static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}

extension StepReader {
  /// A complete chain, whose keys are described in Plan+Keys.swift.
  fileprivate mutating func plan(_ root: Node) -> Plan {
    var mapping = MappingReader(root)
    // They are read before this; here they are candidates for misspelt keys.
    for key in Declarations.keys { _ = mapping.optional(key) }
    var plan = Plan.take(from: &mapping, &self) ?? Plan(steps: [])
    plan.names = surroundings.allNames
    finish(&mapping)
    if problems.isEmpty, let steps = root.value(of: "steps"),
      let complaint = limits.complaint(about: plan)
    {
      complain(steps, complaint)
    }
    return plan
  }
}

extension Plan {
  /// Reads a chain from a file.
  ///
  /// ```swift
  /// let plan = try Plan(file: "soil.yaml", with: ["least": "20"])
  /// ```
  ///
  /// - Throws: `DocumentErrors` with all errors, also for a file that is missing or cannot be read.
  public init(
    file path: String, with bindings: Bindings = Bindings(), names: AttributeNames = .assigned,
    limits: PlanLimits = PlanLimits()
  ) throws(DocumentErrors) {
    self = try ChainTemplate.load(path: path, limits: limits).plan(with: bindings, names: names)
  }

  /// Reads a chain from the text of a file, in YAML or JSON.
  ///
  /// ```swift
  /// let plan = try Plan.parse("steps: [{ read: battery-level }]", file: "the request")
  /// ```
  ///
  /// - Throws: `DocumentErrors` with all errors.
  public static func parse(
    _ text: String, file: String, with bindings: Bindings = Bindings(),
    names: AttributeNames = .assigned, limits: PlanLimits = PlanLimits()
  ) throws(DocumentErrors) -> Plan {
    try ChainTemplate.parse(text, file: file, limits: limits).plan(with: bindings, names: names)
  }
}
