// Named faults in a scenario file: one form for each row of NamedFault.
//
// What happens to operations and devices from the start goes into their definitions, the rest is
// scheduled.

import Bluetooth
import Documents

/// A fault in a file, a rule or a named one: its parameters and its timing.
struct FaultEntry: Sendable {
  var settings = FaultSettings()
  /// `do` of a rule.
  var action = OperationFault.none
  /// Which operations, or which events of `after`.
  var occurrence = FaultOccurrence.every(1)
  var burst = 1
  /// `at`, or `from` of a rule.
  var at: Duration?
  /// `until` of a rule.
  var until: Duration?
  var between: ClosedRange<Duration>?
  var event: WorldEvent.Kind?
  var eventCharacteristic: CharacteristicSelector?
  /// `every` of a fault by the clock.
  var period: Duration?
  var times: Int?
  var delay = Duration.zero
}

extension NamedFault {
  /// Each fault with the keys of a file for it.
  static let forms = all.map { (fault: $0, form: $0.form) }

  private var form: DeviceForm<FaultEntry> {
    var entry = FaultEntry()
    entry.settings = settings
    let initial = entry
    let targets = isAboutDevices ? [DeviceReader.targetKey] : []
    let head = [Self.nameKey(Self.all)] + targets + parameters.map(\.key)
    let (keys, rules) = timing
    return DeviceForm(doc, initial, head + keys, rules: rules)
  }

  /// The key with the name of one of these faults.
  static func nameKey(_ faults: [NamedFault]) -> DeviceKey<FaultEntry> {
    DeviceKey(
      "fault",
      .later("the name of a fault", .words(faults.map(\.name))),
      isRequired: true,
      "its name"
    ) { _, _, _ in }
  }

  /// What holds across the keys of a fault of operations.
  static let operationRules: [KeyRule] = [
    .exclusive(DeviceReader.occurrences),
    .only("for", with: ["at"], "'for' counts from 'at'"),
  ]

  /// The keys that set when it happens.
  private var timing: (keys: [DeviceKey<FaultEntry>], rules: [KeyRule]) {
    switch effect {
    case .definition: return ([], [])
    case .operations: return (DeviceReader.operationKeys, Self.operationRules)
    case .devices, .host:
      // Some faults have a parameter with that key.
      let isTaken = parameters.contains { $0.key.name == "characteristic" }
      let keys = DeviceReader.triggerKeys.filter { !isTaken || $0.name != "characteristic" }
      let when = KeyRule.some(
        of: ["at", "between", "after"],
        "missing trigger",
        expected: "at: 3s, between: [1s, 9s] or after: read"
      )
      return (keys, DeviceReader.triggerRules(isTaken) + (lasts ? [] : [when]))
    }
  }
}

extension DeviceReader {
  /// A named fault, or a rule; nil where it is all in the definitions of devices.
  static let scenarioFault = DeviceShape<ScheduledFault?>(
    "a mapping",
    schema: .any([namedFaultSchema, scenarioRuleForm.schema.named("rule")])
  ) { node, reader in
    reader.scenario.targets = Array(reader.scenario.devices.indices)
    if node.value(of: "fault") == nil, node.value(of: "do") != nil {
      reader.add(reader.rule(node, scenarioRuleForm))
      return .some(nil)
    }
    var keys = MappingReader(node)
    let name = keys.required(
      "fault",
      expected: "the name of a fault; a rule has 'on' and 'do' in its place"
    )
    guard let name, let (fault, form) = reader.fault(named: name) else {
      // What else is written here cannot be judged.
      reader.problems += keys.problems
      return .some(nil)
    }
    let entry = form.read(node, &reader)
    return .some(reader.apply(fault, entry, node))
  }

  private mutating func fault(
    named node: Node
  ) -> (fault: NamedFault, form: DeviceForm<FaultEntry>)? {
    if let found = NamedFault.forms.first(where: { $0.fault.name == node.text }) { return found }
    problems.append(wrongWord(node, node.text, NamedFault.all.map(\.name), "a fault"))
    return nil
  }

  /// Changes the definitions of devices, or makes something to be scheduled.
  private mutating func apply(
    _ fault: NamedFault,
    _ entry: FaultEntry,
    _ node: Node
  ) -> ScheduledFault? {
    checkCharacteristic(entry, node)
    switch fault.effect {
    case .definition(let change):
      for index in scenario.targets { change(&scenario.devices[index], entry.settings) }
      return nil
    case .operations(let make):
      add(rules(make(entry.settings), entry, node))
      return nil
    case .devices, .host:
      let devices = scenario.targets.map { scenario.devices[$0].address }
      let actions = fault.actions(entry.settings, devices)
      return trigger(entry, node).map { ScheduledFault($0, actions) }
    }
  }

  /// Adds rules to the devices that the present fault is about.
  private mutating func add(_ rules: [FaultRule]) {
    for index in scenario.targets { scenario.devices[index].faults += rules }
  }

  /// Complains of a characteristic where the operation has none.
  mutating func checkCharacteristic(_ entry: FaultEntry, _ node: Node) {
    let kind = entry.settings.kind
    if node.value(of: "on")?.text == kind.rawValue, !kind.hasCharacteristic, kind != .any,
      entry.settings.characteristic != nil, let characteristic = node.value(of: "characteristic")
    {
      problems.append(characteristic.problem("'\(kind)' does not take a characteristic"))
    }
  }

  /// Rules with the file's keys for when they apply.
  mutating func rules(
    _ rules: [FaultRule],
    _ entry: FaultEntry,
    _ node: Node
  ) -> [FaultRule] {
    let from = entry.at ?? .zero
    let end = entry.until ?? entry.settings.duration.map { from + $0 }
    let isLimited = entry.at != nil || end != nil
    let window = isLimited ? from..<max(from, end ?? Self.always) : nil
    if window?.isEmpty == true {
      if let node = node.value(of: "until") {
        problems.append(node.problem("this is not later than 'from'"))
      } else if let node = node.value(of: "for") {
        problems.append(node.problem("the duration is 0", expected: "at least 1ms"))
      }
    }
    return rules.map { rule in
      var rule = rule
      rule.occurrence = entry.occurrence
      rule.burst = entry.burst
      rule.window = window
      rule.characteristic = entry.settings.characteristic
      return rule
    }
  }

  /// When it happens; nil after a complaint.
  private mutating func trigger(_ entry: FaultEntry, _ node: Node) -> ScheduledFault.Trigger? {
    let every = node.value(of: "every")
    if node.value(of: "after") != nil {
      if let every, entry.period != nil {
        problems.append(every.problem(expected: Self.count.expected))
      }
      guard let event = entry.event else { return nil }
      return .after(pattern(event, entry, node), entry.occurrence, delay: entry.delay)
    }
    if let every, entry.period == nil, every.integer != nil {
      problems.append(every.problem(expected: DeviceShape<Duration>.period.expected))
    }
    if node.value(of: "between") != nil {
      return entry.between.map { .between($0.lowerBound, $0.upperBound) }
    }
    return .at(entry.at ?? .zero, every: entry.period, times: entry.times)
  }

  private mutating func pattern(
    _ event: WorldEvent.Kind,
    _ entry: FaultEntry,
    _ node: Node
  ) -> WorldEvent.Pattern {
    let characteristic = entry.eventCharacteristic
    if characteristic != nil, !event.hasCharacteristic, let node = node.value(of: "characteristic")
    {
      problems.append(node.problem("'\(event.rawValue)' does not take a characteristic"))
    }
    let targets = scenario.targets
    return WorldEvent.Pattern(
      event,
      devices: targets.count == scenario.devices.count
        ? [] : targets.map { scenario.devices[$0].address },
      characteristic: characteristic?.handle == nil ? characteristic?.characteristic : nil,
      places: characteristic.flatMap { places(of: $0) }
    )
  }

  /// Which of several characteristics are meant; nil where it is all of one UUID.
  private func places(of selector: CharacteristicSelector) -> [WorldEvent.Place]? {
    let isAll = selector == CharacteristicSelector(characteristic: selector.characteristic)
    guard !isAll else { return nil }
    return scenario.targets.flatMap { index -> [WorldEvent.Place] in
      let table = AttributeTable(scenario.devices[index])
      return table.indices(of: selector).map { found in
        WorldEvent.Place(
          device: scenario.devices[index].address,
          handle: table.characteristics[found].entry.handle
        )
      }
    }
  }
}
