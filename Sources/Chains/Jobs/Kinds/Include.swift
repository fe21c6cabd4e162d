// `include`: inserts the steps of another file.
//
// The steps are inserted while the chain is read; a running chain has no `include` step.

public import Bluetooth
public import Documents

/// An `include` entry: a file, and values for its variables.
struct IncludeEntry: StepEntry {
  var name = ""
  var with = Bindings()

  static let verb = "include"
  static let synonyms = ["import", "run", "call"]
  static let documentation = "runs the steps of another file below the folder of the chain"
  static let keys: [Key<Self>] = [
    Key(
      "include", \.name, .includedFile, line: .target,
      "the file, named from the folder of this one"
    ),
    Key(
      "with", \.with, .bindings, default: Bindings(), line: .binding(after: "with"),
      "values for its variables"
    ),
  ]

  static func steps(_ node: Node, _ reader: inout StepReader) -> [Step] { reader.include(node) }
}

extension Step {
  /// Reads the steps of a file, as `include` does in chain files and in the one-line form.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.read("battery-level").captured(as: "battery")
  ///   try Step.included(from: "lib/alert.yaml", with: ["level": "2"], after: ["battery"])
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - file: Must be below the working directory, after `..` and symbolic links are resolved.
  ///   - values: Values for variables of the file.
  ///   - captured: Values that earlier steps capture and the file uses.
  ///   - names: Names for UUIDs, besides those of the file.
  ///   - limits: The limits of the file, including the files that it includes.
  ///   - source: The file of the call, for errors.
  ///   - line: The line of the call, for errors.
  /// - Throws: `DocumentErrors` with all errors in the file.
  public static func included(
    from file: String, with values: KeyValuePairs<String, String> = [:],
    after captured: [String] = [], names: AttributeNames = .assigned,
    limits: PlanLimits = PlanLimits(), file source: String = #fileID, line: Int = #line
  ) throws(DocumentErrors) -> [Step] {
    // Only the file name of `#fileID`: its module would be mistaken for a folder, and paths would
    // be resolved from there instead of from the working directory.
    let place = Place(file: String(source.split(separator: "/").last ?? ""), line: line)
    func entry(_ key: String, _ content: Node.Content) -> Node.Entry {
      Node.Entry(key: key, keyPlace: place, value: Node(content, at: place, path: key))
    }
    let with = values.map { entry($0, .scalar($1, isPlain: true)) }
    let entries = [
      entry("include", .scalar(file, isPlain: false)), entry("with", .mapping(with)),
    ]
    var includeContext = IncludeContext(
      inclusions: .load([file], in: place.file, limits), names: names
    )
    includeContext.captured = captured + includeContext.inclusions.names(under: "as")
    var reader = StepReader(limits: limits, includeContext)
    for name in captured { reader.scope.capture(name, fields: nil, nil) }
    let steps = reader.include(Node(.mapping(entries), at: place, path: ""))
    guard reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
    return steps
  }
}

extension Shape where Value == String {
  fileprivate static var includedFile: Self {
    let expected = "the path of a file below the folder of the chain, without variables"
    return Shape(expected, schema: .type("string"), word: .constant, words: { [$0] }) { node, _ in
      node.text.flatMap { $0 == MessageTemplate($0)?.constant ? $0 : nil }
    }
  }
}

extension Shape where Value == Bindings {
  static var bindings: Self {
    Shape(
      "values for the variables of the file such as { level: 5 }",
      schema: ["type": "object", "additionalProperties": .scalar],
      words: { $0.all.map { "\($0.name)=\(Quoting.quoted($0.text))" } }
    ) { node, reader in reader.bindings(node) }
  }
}

extension StepReader {
  /// Reads `include: unlock.yaml`, with values for its variables under `with`.
  mutating func include(_ node: Node) -> [Step] {
    guard let steps = included(by: node) else {
      scope.lacksSteps = true
      return []
    }
    return steps
  }

  /// Reads the steps of a file; nil after a reported error other than that of a step.
  private mutating func included(by node: Node) -> [Step]? {
    let verb = IncludeEntry.verb
    if let problem = IncludeEntry.problemOfMappingBelowVerb(in: node, self) {
      complain(node.value(of: verb) ?? node, problem)
      return nil
    }
    guard let inclusion = IncludeEntry.read(node, &self), let nameNode = node.value(of: verb)
    else { return nil }
    let name = inclusion.name
    includeContext.count += 1
    let most = limits.includedFiles
    guard includeContext.count <= most else {
      if includeContext.count == most + 1 {
        complain(nameNode, Problem("more than \(most) files are included"))
      }
      return nil
    }
    guard let file = includeContext.inclusions[name, beside: node.place.file] else {
      let expected = IncludeEntry.keys[0].shape.expected(self)
      complain(nameNode, Problem("'\(name)' cannot be included", expected: expected))
      return nil
    }
    guard !includeContext.stack.contains(file.realPath) else {
      complain(nameNode, Problem("'\(name)' includes itself"))
      return nil
    }
    guard includeContext.stack.count <= limits.depth else {
      complain(nameNode, Problem("includes are nested deeper than \(limits.depth) levels"))
      return nil
    }
    let before = problems.count
    let outerForm = form
    form = .file
    let steps = included(file, inclusion.with)
    form = outerForm
    for index in problems.indices.dropFirst(before) {
      problems[index].message += "; included at \(nameNode.place)"
    }
    return steps
  }

  private mutating func included(_ file: Inclusions.File, _ with: Bindings) -> [Step]? {
    let root: Node
    switch file.content {
    case .success(let node): root = node
    case .failure(let errors):
      problems += errors.problems
      return nil
    }
    let outer = includeContext
    defer {
      includeContext.names = outer.names
      includeContext.table = outer.table
      includeContext.stack = outer.stack
    }
    includeContext.stack.append(file.realPath)
    includeContext.names = outer.names.withoutShadows
    var declarations = Declarations(outer.table)
    let body = declarations.body(of: root, with, outer.captured, limits) { _ in nil }
    includeContext.table = declarations.table
    guard declarations.problems.isEmpty else {
      problems += declarations.problems
      return nil
    }
    guard body.mapping != nil else { return steps(body) }
    var reader = MappingReader(body)
    _ = reader.optional("name", expected: "a text") { $0.text }
    _ = reader.optional("variables")
    let outerNames = namesAreOfOneFile
    namesAreOfOneFile = true
    if let own = reader.optional("names").flatMap({ read($0, .names) }) {
      includeContext.includedNames = includeContext.includedNames.over(own.withoutShadows)
    }
    namesAreOfOneFile = outerNames
    let list = reader.required("steps", expected: "a list of steps")
    problems += reader.finish()
    return list.map { steps($0) }
  }

  mutating func bindings(_ node: Node) -> Bindings? {
    var bindings = Bindings()
    guard let entries = node.mapping else { return nil }
    for entry in entries {
      guard case .scalar(let text, _) = entry.value.content else {
        complain(entry.value, Problem(found: entry.value.shown, expected: "a single value"))
        continue
      }
      bindings.bind(entry.key, to: text, from: "'with'", mustBeKnown: true)
    }
    return bindings
  }
}
