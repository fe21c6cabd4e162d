// The machines of a device file.
//
// Takes the reader of the device along: what is wrong is collected there.

import Bluetooth
import Documents
import Spelling

/// Makes one machine of nodes.
struct MachineReader {
  var reader: DeviceReader
  /// The names of its states, in order.
  private var states: [String] = []
  private var names = KnownNames()
  /// Its variables, which actions may change.
  private(set) var variables: [(name: String, kind: VariableKind)] = []
  /// The places that transitions lead to.
  private var targets: Set<Int> = []

  init(_ reader: DeviceReader) { self.reader = reader }

  mutating func machine(_ node: Node) -> MachineDefinition {
    var keys = MappingReader(node)
    let name = keys.required("machine", expected: "a name") { $0.text }
    let views = reader.views(keys.optional("with"))
    names = KnownNames([("mtu", .number)])
    names.add(View.names(views))
    let initial = keys.optional("variables").map { initialValues($0) } ?? []
    let tables = keys.optional("tables").map { self.tables($0) } ?? []
    let statesNode = keys.required("states", expected: "a mapping of states, the first one first")
    let entries = statesNode.map { reader.entries($0) } ?? []
    states = entries.map(\.key)
    if let statesNode, entries.isEmpty, statesNode.mapping != nil || statesNode.isNull {
      reader.problems.append(statesNode.problem("a machine has at least one state"))
    }
    if let statesNode, entries.count > FileLimits.states {
      reader.problems.append(statesNode.problem("more than \(FileLimits.states) states stand here"))
    }
    let read = entries.map { state($0) }
    let always = transitions(keys.optional("always"), "always")
    reader.problems += keys.finish()
    for (index, entry) in entries.enumerated().dropFirst() where !targets.contains(index) {
      reader.problems.append(
        DocumentProblem(
          entry.keyPlace,
          path: entry.value.path,
          "no transition leads to '\(entry.key)'"
        )
      )
    }
    return MachineDefinition(
      name: name ?? "",
      views: views,
      variables: initial,
      tables: tables,
      states: read,
      always: always
    )
  }

  // MARK: Names

  private mutating func initialValues(_ node: Node) -> [MachineDefinition.Variable] {
    var all: [MachineDefinition.Variable] = []
    for entry in reader.entries(node) {
      guard isNew(entry) else { continue }
      let initial: VariableValue?
      if entry.value.mapping != nil || entry.value.sequence != nil {
        initial = reader.octets(entry.value).map { .octets($0) }
      } else if let number = entry.value.integer {
        initial = .number(Int64(number))
      } else {
        let found = reader.shown(entry.value)
        reader.problems.append(
          entry.value.problem("\(found) stands here", expected: "a number, or a value in octets")
        )
        initial = nil
      }
      let kind = initial?.kind ?? (entry.value.mapping == nil ? .number : .octets)
      names.add(KnownNames([(entry.key, kind)]))
      variables.append((entry.key, kind))
      if let initial { all.append(MachineDefinition.Variable(entry.key, initial)) }
    }
    return all
  }

  private mutating func tables(_ node: Node) -> [MachineDefinition.Table] {
    var all: [MachineDefinition.Table] = []
    for entry in reader.entries(node) {
      guard isNew(entry) else { continue }
      names.add(KnownNames([(entry.key, .table)]))
      var rows: [[UInt8]] = []
      if entry.value.mapping == nil {
        rows = reader.list(entry.value, "rows", atMost: FileLimits.values)
          .compactMap { reader.octets($0) }
      } else {
        var keys = MappingReader(entry.value)
        let csv = keys.required("csv", expected: "the name of a file")
        let parts = keys.required("parts", expected: "[{ u8: { column: bpm } }]")
        reader.problems += keys.finish()
        if let parts, let table = csv.flatMap({ reader.table($0) }) {
          rows = reader.rows(of: table, parts)
        }
      }
      all.append(MachineDefinition.Table(entry.key, rows))
    }
    return all
  }

  private mutating func isNew(_ entry: Node.Entry) -> Bool {
    let problem: String
    if !Expression.isVariableName(entry.key) || entry.key == ValueTemplate.writtenName {
      problem = "'\(entry.key)' cannot be a name"
    } else if names.kind(of: entry.key) != nil {
      problem = "the name '\(entry.key)' is there already"
    } else {
      return true
    }
    reader.problems.append(DocumentProblem(entry.keyPlace, path: entry.value.path, problem))
    return false
  }

  // MARK: States

  private mutating func state(_ entry: Node.Entry) -> MachineState {
    var keys = MappingReader(entry.value)
    let actions = actions(keys.optional("enter"), names, written: nil)
    let transitions = transitions(keys.optional("on"), "transitions")
    reader.problems += keys.finish()
    return MachineState(entry.key, entry: actions, transitions: transitions)
  }

  private mutating func transitions(_ node: Node?, _ what: String) -> [Transition] {
    let nodes = node?.mapping == nil ? nil : node.map { [$0] }
    return (nodes ?? reader.list(node, what, atMost: FileLimits.transitions))
      .compactMap { transition($0) }
  }

  private mutating func transition(_ node: Node) -> Transition? {
    var keys = MappingReader(node)
    let found = trigger(&keys, node)
    var names = names
    var written: Node?
    if case .write(_, let pattern)? = found?.trigger {
      if case .like(let pattern) = pattern {
        names.add(KnownNames.ofWrite(pattern))
      } else {
        names.add(KnownNames.ofWrite(nil))
      }
      written = found?.node
    }
    let conditions = keys.optional("if").map { self.conditions($0, names) } ?? []
    let refusalNode = keys.optional("refuse")
    let refusal = refusalNode.flatMap { reader.errorCode($0) }
    let doing = keys.optional("do")
    let actions = actions(doing, names, written: written)
    let target = keys.optional("to").flatMap { state(named: $0) }
    reader.problems += keys.finish()
    if refusalNode != nil, let doing {
      reader.problems.append(doing.problem("what is refused brings nothing about"))
    }
    switch found?.trigger {
    case .write?, .read?, nil: break
    default:
      if let refusalNode {
        reader.problems.append(refusalNode.problem("only a write or a read can be refused"))
      }
    }
    return found.map {
      Transition($0.trigger, if: conditions, do: actions, refuse: refusal, to: target)
    }
  }

  private mutating func state(named node: Node) -> Int? {
    if let index = node.text.flatMap({ states.firstIndex(of: $0) }) {
      targets.insert(index)
      return index
    }
    let nearest = node.text.flatMap { Spelling.nearest(to: $0, among: states) }
    reader.problems.append(
      node.problem(
        "\(reader.shown(node)) is no state",
        expected: nearest == nil ? "one of " + states.joined(separator: ", ") : nil,
        nearest: nearest
      )
    )
    return nil
  }

  private mutating func conditions(_ node: Node, _ names: KnownNames) -> [Condition] {
    (node.sequence ?? [node]).compactMap { node in
      guard let condition = node.text.flatMap({ Condition(written: $0) }) else {
        reader.problems.append(
          node.problem(
            "\(reader.shown(node)) stands here",
            expected: "a comparison such as $received >= $size"
          )
        )
        return nil
      }
      let sides = [condition.left, condition.right].map { reader.check($0, node, names) }
      return sides.allSatisfy { $0 } ? condition : nil
    }
  }
}
