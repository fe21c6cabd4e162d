// The machines of a device file: names, tables and states.

import Bluetooth
import Documents

/// The state of reading one machine.
struct MachineScope {
  var states: [String] = []
  /// The machine's variables, which its actions may change.
  var variables: [(name: String, kind: VariableKind)] = []
  /// The variables that all transitions of the machine may use.
  var knownVariables = KnownVariables()
  var targets: Set<Int> = []
  /// The characteristic of the current `write` transition; actions without `on` change it.
  var written: Node?
}

extension DeviceReader {
  static let machineShape = Shape.mapping(machineForm).named("machine").beforeReading { reader in
    reader.machine = MachineScope()
    reader.knownVariables = KnownVariables([("mtu", .number)])
  }.afterReading { machine, node, reader in
    reader.checkStates(node)
    reader.warnOfTimers(machine, node)
  }

  static let machineForm = DeviceForm<MachineDefinition>(
    "A dialogue: states, and what leads from one to another.",
    MachineDefinition(),
    [
      DeviceKey("machine", \.name, .text("a name"), isRequired: true, "its name"),
      DeviceKey("with", \.views, .views, usual: "", "names for values of the device"),
      DeviceKey(
        "variables", \.variables,
        named(.any([Schema(["type": "integer"]), ValueSchemas.value])) { reader, entry in
          reader.initialValue(entry)
        },
        usual: "", "names with their initial numbers or bytes (`{ hex: \"\" }`)"
      ),
      DeviceKey(
        "tables", \.tables, named(tableSchema) { reader, entry in reader.table(entry) }, usual: "",
        "names with lists of values, or `{ csv: glucose.csv, parts: […] }`"
      ),
      DeviceKey("states", \.states, states, isRequired: true, "the states, the first one first"),
      DeviceKey(
        "always", \.always, transitions, usual: "", "transitions of every state, after its own"
      ),
    ]
  )

  /// A mapping whose keys define variables or tables.
  private static func named<Value>(
    _ schema: @autoclosure @escaping @Sendable () -> Schema,
    _ read: @escaping @Sendable (inout DeviceReader, Node.Entry) -> Value?
  ) -> DeviceShape<[Value]> {
    DeviceShape("a mapping of names", schema: .map(of: schema(), names: variableName)) {
      node,
      reader in
      reader.entries(node).compactMap { entry in
        reader.isNew(entry) ? read(&reader, entry) : nil
      }
    }
  }

  private mutating func isNew(_ entry: Node.Entry) -> Bool {
    let problem: String
    if !Expression.isVariableName(entry.key) || entry.key == ValueTemplate.writtenName {
      problem = "'\(entry.key)' cannot be a name"
    } else if knownVariables.kind(of: entry.key) != nil {
      problem = "the name '\(entry.key)' is already defined"
    } else {
      return true
    }
    problems.append(name(entry).problem(problem))
    return false
  }

  private mutating func initialValue(_ entry: Node.Entry) -> MachineDefinition.Variable? {
    let initial: VariableValue?
    if entry.value.mapping != nil || entry.value.sequence != nil {
      initial = octets(entry.value).map { .octets($0) }
    } else if let number = entry.value.integer {
      initial = .number(Int64(number))
    } else {
      problems.append(entry.value.problem(expected: "a number, or a value in bytes"))
      initial = nil
    }
    let kind = initial?.kind ?? (entry.value.mapping == nil ? .number : .octets)
    knownVariables.add(KnownVariables([(entry.key, kind)]))
    machine.variables.append((entry.key, kind))
    return initial.map { MachineDefinition.Variable(name: entry.key, initial: $0) }
  }

  /// The variables of all machines of a device. They are collected first, since advertisements
  /// precede the machines and may use them.
  static func machineVariables(in device: Node) -> KnownVariables {
    let machines = device.value(of: "machines")?.several ?? []
    let entries = machines.flatMap { $0.value(of: "variables")?.mapping ?? [] }
    return KnownVariables(
      entries.map { entry in
        let isNumber = entry.value.mapping == nil && entry.value.sequence == nil
        return (entry.key, isNumber ? .number : .octets)
      }
    )
  }

  // MARK: Tables

  struct TableEntry: Sendable {
    var csv: Node?
    var parts: Node?
  }

  private static let tableForm = DeviceForm<TableEntry>(
    "Rows of a CSV file.",
    TableEntry(),
    [
      DeviceKey("csv", \.csv, .later("the name of a file", fileName), isRequired: true, "the file"),
      DeviceKey(
        "parts", \.parts, .later(partsExample, ValueSchemas.columnParts), isRequired: true,
        "what each row is made of"
      ),
    ]
  )

  private static var tableSchema: Schema {
    Schema.any([.list(of: ValueSchemas.value), tableForm.schema]).named("table")
  }

  private mutating func table(_ entry: Node.Entry) -> MachineDefinition.Table {
    knownVariables.add(KnownVariables([(entry.key, .table)]))
    var rows: [[UInt8]] = []
    if entry.value.mapping == nil {
      rows = list(entry.value, "rows", atMost: FileLimits.values).compactMap { octets($0) }
    } else {
      let source = Self.tableForm.read(entry.value, &self)
      if let parts = source.parts, let table = source.csv.flatMap({ table($0) }) {
        rows = self.rows(of: table, parts)
      }
    }
    return MachineDefinition.Table(name: entry.key, rows: rows)
  }

  // MARK: States

  private static let stateForm = DeviceForm<MachineState>(
    "A state.",
    MachineState(),
    [
      DeviceKey("enter", \.entry, actions, usual: "", "what is done each time it is entered"),
      DeviceKey(
        "on", \.transitions, transitions, usual: "", "the first that fits what happens decides"
      ),
    ]
  )

  private static let states: DeviceShape<[MachineState]> =
    DeviceShape(
      "a mapping of states, the first one first",
      schema: .map(
        of: Schema.any([Schema(["type": "null"]), stateForm.schema]).named("state"), atLeast: 1
      )
    ) { node, reader in
      let entries = reader.entries(node)
      reader.machine.states = entries.map(\.key)
      reader.machine.knownVariables = reader.knownVariables
      if entries.isEmpty, node.mapping != nil || node.isNull {
        reader.problems.append(node.problem("a machine has at least one state"))
      }
      if entries.count > FileLimits.states {
        reader.problems.append(node.problem("more than \(FileLimits.states) states"))
      }
      return entries.map { entry in
        reader.machine.written = nil
        var state = stateForm.read(entry.value, &reader)
        state.name = entry.key
        return state
      }
    }

  /// Reports states that no transition leads to.
  private mutating func checkStates(_ node: Node) {
    let entries = node.value(of: "states")?.mapping ?? []
    for (index, entry) in entries.enumerated().dropFirst()
    where !machine.targets.contains(index) {
      problems.append(name(entry).problem("no transition leads to '\(entry.key)'"))
    }
  }

  /// Warns of each `every` that fires at the same instants as an earlier one of the same state.
  private mutating func warnOfTimers(_ machine: MachineDefinition, _ node: Node) {
    let entries = node.value(of: "states")?.mapping ?? []
    let always = Self.timers(machine.always, node.value(of: "always"))
    for (state, entry) in zip(machine.states, entries) {
      let timers = Self.timers(state.transitions, entry.value.value(of: "on")) + always
      for (index, timer) in timers.enumerated() {
        let earlier = timers[..<index].first { Self.isMultiple($0.period, timer.period) }
        guard let earlier else { continue }
        let warning = timer.node.problem(
          "fires at the same instants as 'every: \(earlier.period.written)' at \(earlier.node.place)",
          expected: "another period, or one 'every' for both"
        )
        if !warnings.contains(warning) { warnings.append(warning) }
      }
    }
  }

  /// The `every` transitions, with their periods.
  private static func timers(
    _ transitions: [Transition], _ node: Node?
  ) -> [(period: Duration, node: Node)] {
    zip(transitions, node?.several ?? []).compactMap { transition, node in
      if case .every(let period) = transition.trigger { (period, node) } else { nil }
    }
  }

  /// True if one of the periods is a multiple of the other.
  private static func isMultiple(_ one: Duration, _ other: Duration) -> Bool {
    let (short, long) = (min(one, other), max(one, other))
    return short * Int((long / short).rounded()) == long
  }

  /// The target state of a transition.
  static let target = DeviceShape<Int>("a state", schema: Schema(["type": "string"])) {
    node,
    reader in
    let states = reader.machine.states
    if let index = node.text.flatMap({ states.firstIndex(of: $0) }) {
      reader.machine.targets.insert(index)
      return index
    }
    reader.problems.append(node.problem(unknown: "state", among: states))
    return nil
  }
}
