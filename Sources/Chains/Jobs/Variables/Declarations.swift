// The keys `variables` and `environment` of a chain file: declarations of variables, and their
// values.
//
// Substituting the values in the document is in Substitution.swift.

import Documents

/// A reader of declarations, which assigns the given values.
struct Declarations {
  /// The keys of a chain file that declare variables.
  static let descriptions = [
    KeyDescription(
      name: "variables",
      documentation: "names with their defaults; `{name}` is replaced by the value",
      shape: ShapeDescription(
        "names with their defaults such as { level: 5 }",
        schema: [
          "type": "object", "propertyNames": .reference("variableName"),
          "additionalProperties": .anyOf([
            .type("string", "number", "integer", "boolean", "null"), .reference("declaration"),
          ]),
        ]
      )
    ),
    KeyDescription(
      name: "environment", documentation: "the environment variables that the chain may use",
      shape: ShapeDescription(
        "a list of names of environment variables",
        schema: ["type": "array", "items": .reference("variableName")]
      )
    ),
  ]
  static let keys = descriptions.map(\.name)

  /// A given value, and its description for errors, with its origin and without secrets.
  private typealias Given = (text: String, shown: String)

  private(set) var table: VariableTable
  private(set) var problems: [Problem] = []
  private var declared: [String] = []
  private let isIncluded: Bool

  /// - Parameter table: The existing variables: in an included file, those of the including file.
  init(_ table: VariableTable? = nil) {
    self.table = table ?? VariableTable()
    isIncluded = table != nil
  }

  /// Reads the declarations of a document, and substitutes its variables.
  ///
  /// - Parameters:
  ///   - captured: The names under which steps capture.
  ///   - environment: Returns an environment variable; called only for those that the file names.
  /// - Returns: The document without the declarations.
  mutating func body(
    of root: Node, _ bindings: Bindings, _ captured: [String], _ limits: PlanLimits,
    environment: (String) -> String?
  ) -> Node {
    read(root, bindings, environment: environment)
    var substitution = Substitution(table, captured: captured, limit: limits.document.octets)
    let body = substitution.applied(to: root, leaving: Self.keys)
    problems += substitution.problems + unknown(in: bindings, used: substitution.used, of: root)
    return body
  }

  /// Reads the declarations of `root`. A value comes from `bindings`; otherwise from the
  /// environment, if the file names the variable; otherwise from the default.
  private mutating func read(_ root: Node, _ bindings: Bindings, environment: (String) -> String?) {
    table.empty.formUnion(bindings.empty)
    var given: [String: Given] = [:]
    for binding in bindings.all {
      given[binding.name] = (binding.text, "'\(binding.text)' from \(binding.origin)")
      table.set(binding.name, to: VariableTable.value(binding.text, nil))
    }
    let variables = root.value(of: "variables")
    for node in environmentNames(root.value(of: "environment")) {
      guard let name = node.text else { continue }
      declared.append(name)
      guard given[name] == nil else { continue }
      let text = environment(name)
      let value = variables?.value(of: name)
      if text == nil, value == nil {
        let message = "the environment variable \(name) is not set"
        problems.append(node.problem(message, expected: "a value, or a default under 'variables'"))
      }
      // Errors do not quote the value, which may be a secret.
      given[name] = text.map { ($0, "another value in the environment") }
      table.set(name, to: VariableTable.value(text ?? "", nil))
    }
    declare(variables, given)
  }

  /// The errors for values whose names the file neither declares nor uses.
  private func unknown(in bindings: Bindings, used: Set<String>, of root: Node) -> [Problem] {
    bindings.all.compactMap { binding in
      let isKnown = declared.contains(binding.name) || used.contains(binding.name)
      guard binding.mustBeKnown, !isKnown else { return nil }
      let known = declared
      let message = "unknown variable '\(binding.name)', given by \(binding.origin)"
      let problem =
        known.isEmpty
        ? Problem(message, expected: "a declaration under 'variables'")
        : Problem.unknown(message, binding.name, among: known)
      return problem.at(root.value(of: "variables") ?? root)
    }
  }

  // MARK: environment: [NAME, …]

  private mutating func environmentNames(_ node: Node?) -> [Node] {
    guard let node else { return [] }
    guard let nodes = node.sequence else {
      complain(node, Self.descriptions[1].shape.file(PlanLimits()))
      return []
    }
    return nodes.filter { node in
      if node.text.map({ VariablePath.isName($0) }) == true { return true }
      complain(node, VariablePath.shape)
      return false
    }
  }

  // MARK: variables: { NAME: default, NAME: { type: duration, default: 1s } }

  private mutating func declare(_ node: Node?, _ given: [String: Given]) {
    guard let node else { return }
    guard let entries = node.mapping else {
      complain(node, Self.descriptions[0].shape.file(PlanLimits()))
      return
    }
    for entry in entries {
      guard VariablePath.isName(entry.key) else {
        let problem = Problem(found: "'\(entry.key)'", expected: VariablePath.shape)
        problems.append(problem.at(keyOf: entry))
        continue
      }
      declared.append(entry.key)
      declare(entry, given[entry.key])
    }
  }

  private mutating func declare(_ entry: Node.Entry, _ given: Given?) {
    var type: VariableType?
    var initial: Node? = entry.value
    if entry.value.mapping != nil {
      var reader = MappingReader(entry.value)
      type = reader.optional("type").flatMap { self.type($0) }
      initial = reader.optional("default")
      _ = reader.optional("description", expected: "a text") { $0.text }
      problems += reader.finish()
    }
    guard let given else { return setDefault(initial, type, entry) }
    if let type, !type.accepts(given.text) {
      problems.append(Problem(found: given.shown, expected: type.shape).at(keyOf: entry))
    }
    table.set(entry.key, to: VariableTable.value(given.text, type))
  }

  private mutating func type(_ node: Node) -> VariableType? {
    if let type = node.text.flatMap({ VariableType(rawValue: $0) }) { return type }
    let known = VariableType.allCases.map(\.rawValue)
    problems.append(Problem.unknown(found: node.shown, node.text ?? "", among: known).at(node))
    return nil
  }

  private mutating func setDefault(_ node: Node?, _ type: VariableType?, _ entry: Node.Entry) {
    guard let node, !node.isNull else {
      let problem = Problem(
        "the variable '\(entry.key)' has no value",
        expected: isIncluded
          ? "with: { \(entry.key): … } at the include, or a default"
          : "--set \(entry.key)=…, or a default"
      )
      problems.append(problem.at(keyOf: entry))
      table.set(entry.key, to: .init(text: "", isPlain: true))
      return
    }
    guard case .scalar(let text, let isPlain) = node.content else {
      complain(node, type?.shape ?? "a single value")
      table.set(entry.key, to: .init(text: "", isPlain: true))
      return
    }
    if let type, !type.accepts(text) { complain(node, type.shape) }
    table.set(entry.key, to: .init(text: text, isPlain: type?.isPlain ?? isPlain))
  }

  private mutating func complain(_ node: Node, _ expected: String) {
    problems.append(Problem(found: node.shown, expected: expected).at(node))
  }
}

/// The variables with values that are known before the chain runs.
struct VariableTable {
  /// A value, and whether YAML would treat it as quoted.
  struct Value: Equatable {
    let text: String
    /// Whether the text may be read as a number, a boolean or null.
    let isPlain: Bool
  }

  private(set) var names: [String] = []
  /// The columns of a table whose cell for this device is empty.
  var empty: Set<String> = []
  private var values: [String: Value] = [:]

  subscript(name: String) -> Value? { values[name] }

  mutating func set(_ name: String, to value: Value) {
    if values[name] == nil { names.append(name) }
    values[name] = value
  }

  /// Converts a text to a value. An empty text stays text and does not become null.
  static func value(_ text: String, _ type: VariableType?) -> Value {
    let looksLikeNothing = Node(.scalar(text, isPlain: true), at: Place(file: ""), path: "").isNull
    return Value(text: text, isPlain: type?.isPlain ?? !looksLikeNothing)
  }
}
