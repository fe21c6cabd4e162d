// A chain whose variables do not have values yet.
//
// It has no typed steps: those exist once ``plan(with:names:environment:)`` has substituted the
// variables.

public import Bluetooth
public import Documents
import Glibc

/// A chain file that creates a plan for each set of values.
///
/// Files are read only once, by ``load(path:limits:)``. A batch creates a plan for each of its
/// devices.
public struct ChainTemplate: Sendable {
  private let root: Node
  private let inclusions: Inclusions
  private let limits: PlanLimits

  /// Reads a chain file and the files that it includes.
  ///
  /// Steps are not checked yet: ``plan(with:names:environment:)`` does that.
  ///
  /// ```swift
  /// let template = try ChainTemplate.load(path: "soil.yaml")
  /// let plans = try ["20", "35"].map { try template.plan(with: ["least": $0]) }
  /// ```
  ///
  /// - Throws: `DocumentErrors` for a file that is missing, unreadable or invalid YAML.
  public static func load(
    path: String, limits: PlanLimits = PlanLimits()
  ) throws(DocumentErrors) -> ChainTemplate {
    let text = try TextFile.read(path, limit: limits.document.octets)
    let root = try Document.parse(text, file: path, limits: limits.document)
    return of(root, in: path, limits)
  }

  /// Creates a template from a parsed document; includes are resolved from the folder of `path`.
  static func of(_ root: Node, in path: String, _ limits: PlanLimits) -> ChainTemplate {
    let inclusions = Inclusions.load(root.names(under: "include"), in: path, limits)
    return ChainTemplate(root: root, inclusions: inclusions, limits: limits)
  }

  /// Parses the text of a chain file, which cannot include other files.
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

  /// Creates the plan for one set of values.
  ///
  /// ```swift
  /// let template = try ChainTemplate.load(path: "soil.yaml")
  /// let plan = try template.plan(with: ["least": "20"]) { _ in nil }  // without the environment
  /// ```
  ///
  /// - Parameters:
  ///   - bindings: Values, which override the environment; the environment overrides defaults.
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
    // Reading the steps now would repeat an error in a variable for each of its uses.
    guard declarations.problems.isEmpty else { throw DocumentErrors(declarations.problems) }
    let includeContext = IncludeContext(
      inclusions: inclusions, names: names, table: declarations.table, captured: captured,
      stack: inclusions.ownPath.map { [$0] } ?? []
    )
    var reader = StepReader(limits: limits, includeContext)
    reader.scope.variables = declarations.table.names
    let plan = reader.plan(body)
    guard reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
    return plan
  }

  /// The document, if the chain includes no files; otherwise nil.
  var wholeDocument: Node? { inclusions.isEmpty ? root : nil }

  public static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}

extension StepReader {
  /// Reads a complete chain, whose keys are described in Plan+Keys.swift.
  fileprivate mutating func plan(_ root: Node) -> Plan {
    var mapping = MappingReader(root)
    // These keys were read before; marking them as known makes them candidates for misspelled keys.
    for key in Declarations.keys { _ = mapping.optional(key) }
    namesAreOfOneFile = true
    var plan = Plan.readKeys(from: &mapping, &self) ?? Plan(steps: [])
    plan.names = includeContext.allNames
    finish(&mapping)
    if problems.isEmpty, let steps = root.value(of: "steps"),
      let problem = limits.problem(about: plan)
    {
      complain(steps, problem)
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
  /// - Throws: `DocumentErrors` with all errors, including a missing or unreadable file.
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
