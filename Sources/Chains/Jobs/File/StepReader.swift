// Reads the steps of a chain.
//
// The keys of each kind are described with the kind, in `Kinds`.

import Bluetooth
import Documents

/// A reader of steps, in order: each step may use only values captured before it.
struct StepReader {
  /// The format of the value that a step writes.
  enum WrittenFormat {
    case known(ValueDescription?)
    /// The characteristic is invalid, which is reported already.
    case unknown
  }

  /// The written form of the chain, for error messages.
  enum Form {
    case file, line
  }

  let limits: PlanLimits
  var problems: [Problem] = []
  var scope = Scope()
  var includeContext: IncludeContext
  var form = Form.file
  /// The complete text of the one-line form; nil for a file.
  var text: String?
  /// The nesting depth of the current step.
  var depth = 0
  /// The subjects that expectations of the current step may name.
  var subjects = Subjects.nothing
  /// The format of the value that the current step writes.
  var written = WrittenFormat.known(nil)
  /// Whether the names that are read are valid in this file only, and so may be assigned ones.
  var namesAreOfOneFile = false

  init(limits: PlanLimits, _ includeContext: IncludeContext) {
    self.limits = limits
    self.includeContext = includeContext
  }

  /// Creates a reader without included files.
  init(limits: PlanLimits, names: AttributeNames) {
    self.init(limits: limits, IncludeContext(inclusions: .none(limits), names: names))
  }

  mutating func steps(_ node: Node) -> [Step] {
    guard depth <= limits.depth else {
      complain(node, Problem("steps are nested deeper than \(limits.depth) levels"))
      return []
    }
    guard let nodes = node.sequence else {
      complain(node, Problem(found: node.shown, expected: "a list of steps"))
      return []
    }
    if nodes.isEmpty { complain(node, Problem("there are no steps", expected: "at least one")) }
    includeContext.steps += nodes.count
    // Counted only once files are included: nested includes multiply the steps, so the document's
    // own limit is not enough.
    guard includeContext.count == 0 || includeContext.steps <= limits.writtenSteps else {
      if includeContext.steps - nodes.count <= limits.writtenSteps {
        complain(node, Problem("more than \(limits.writtenSteps) steps"))
      }
      return []
    }
    return nodes.flatMap { steps(at: $0) }
  }

  /// Reads the value of a node; nil after a reported error.
  mutating func read<Value>(_ node: Node, _ shape: Shape<Value>) -> Value? {
    let before = problems.count
    if let value = shape.read(node, &self) { return value }
    if problems.count == before {
      complain(node, Problem(found: node.shown, expected: shape.description.expected(self)))
    }
    return nil
  }

  /// Reads one value, or a list with at least one; nil after a reported error.
  mutating func several<Value>(_ node: Node, _ shape: Shape<Value>) -> [Value]? {
    let values = node.several.compactMap { read($0, shape) }
    return values.count == node.several.count ? values : nil
  }

  mutating func complain(_ node: Node, _ problem: Problem) {
    problems.append(problem.at(node))
  }

  /// Reports captured values that no earlier step captures.
  mutating func complainOfUnknown(_ paths: [VariablePath], _ node: Node) {
    for path in paths {
      if let problem = scope.problem(about: path) { complain(node, problem) }
    }
  }

  /// Finishes a document. One that is not a mapping gets only a single error.
  mutating func finish(_ mapping: inout MappingReader) {
    problems +=
      mapping.node.mapping == nil ? Array(mapping.problems.prefix(1)) : mapping.finish()
  }

  /// Reads the step of a node, or the steps of a file that it includes.
  mutating func steps(at node: Node) -> [Step] {
    guard let verb = verb(of: node) else {
      captureUnread(node)
      return []
    }
    let node = node.mapping == nil ? Self.spelledOut(verb, at: node) : node
    return Step.entry(verb)?.steps(node, &self) ?? []
  }

  /// Expands a bare verb to the mapping that it abbreviates.
  private static func spelledOut(_ verb: String, at node: Node) -> Node {
    let nothing = Node(.scalar("", isPlain: true), at: node.place, path: node.path)
    let entry = Node.Entry(key: verb, keyPlace: node.place, value: nothing)
    return Node(.mapping([entry]), at: node.place, path: node.path)
  }

  /// The verb of a step; nil after a reported error. A bare word is a step without keys.
  private mutating func verb(of node: Node) -> String? {
    if let word = node.text, !word.contains(where: \.isWhitespace) {
      if Step.entry(word) != nil { return word }
      complain(node, .unknownStep(word))
      return nil
    }
    guard let entries = node.mapping, !entries.isEmpty else {
      complain(node, Problem(found: node.shown, expected: "a step such as 'read: battery-level'"))
      return nil
    }
    let verbs = entries.map(\.key).filter { Step.entry($0) != nil }
    // A verb may also be a key of another verb, such as `rssi` in `scan`.
    let own =
      verbs.count < 2
      ? verbs
      : verbs.filter { verb in
        !verbs.contains { Step.keyNames[$0]?.contains(verb) == true }
      }
    guard let verb = own.first else {
      complainOfVerb(entries, in: node)
      return nil
    }
    guard own.count == 1 else {
      let message = "'\(own.joined(separator: "' and '"))' are separate steps"
      complain(node, Problem(message, expected: "one step in each entry of the list"))
      return nil
    }
    return verb
  }

  /// Reports a step without a verb, at the key that is closest to one.
  private mutating func complainOfVerb(_ entries: [Node.Entry], in node: Node) {
    let close = entries.first { Step.verb(meantBy: $0.key) != nil }
    guard let entry = close ?? entries.first else { return }
    problems.append(Problem.unknownStep(entry.key).at(entry.keyPlace, path: node.path))
  }

  /// Adds the captured values of a step that is not read, so that their uses are no further errors.
  mutating func captureUnread(_ node: Node) {
    for name in node.names(under: "as") { scope.capture(name, fields: nil, nil) }
  }

  /// Adds the captured value of a step to the scope.
  mutating func capture(_ step: Step?, _ node: Node) {
    guard let step else {
      if let name = node.value(of: "as")?.text { scope.capture(name, fields: nil, nil) }
      return
    }
    guard let name = step.capture else { return }
    scope.capture(name, fields: step.kind.capturedFields, step.kind.subjects)
    if let place = node.value(of: "as"), let problem = scope.problem(capturing: name) {
      complain(place, problem)
    }
  }
}

/// The state of nested includes while steps are read.
struct IncludeContext {
  var inclusions: Inclusions
  /// The attribute names valid in the current file.
  var names: AttributeNames
  /// The attribute names of all included files so far, for output.
  var includedNames = AttributeNames.assigned
  /// The variables of the current file.
  var table = VariableTable()
  /// The names under which steps of the chain capture.
  var captured: [String] = []
  /// The paths of the files being read, without symbolic links, outermost first.
  var stack: [String] = []
  var count = 0
  /// The number of steps read so far.
  var steps = 0

  /// The attribute names for output; those of the current file override those of included files.
  var allNames: AttributeNames { names.over(includedNames) }
}
