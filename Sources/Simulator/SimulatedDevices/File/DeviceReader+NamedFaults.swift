// Faults in files and in requests: a form for each row of NamedFault, and the result of reading it.

import Bluetooth
import Documents

/// A fault in a file, a rule or a named one: its parameters and its timing.
struct FaultEntry: Sendable {
  var settings = FaultSettings()
  /// The affected operations, or the events of `after` that trigger the fault.
  var occurrence = FaultOccurrence.every(1)
  var burst = 1
  /// `at`, or `from` for a rule.
  var at: Duration?
  var until: Duration?
  var between: ClosedRange<Duration>?
  var event: WorldEvent.Kind?
  var eventCharacteristic: CharacteristicSelector?
  /// `every` with a duration: the time until the fault fires again.
  var period: Duration?
  var times: Int?
  var delay = Duration.zero
}

enum FaultPlace {
  case scenario
  case file
  /// A request that adds a fault to a running device.
  case request
}

extension NamedFault {
  typealias Described = (fault: NamedFault, form: DeviceForm<FaultEntry>)

  static let inScenarios = described(in: .scenario)
  static let inFiles = described(in: .file)
  static let inRequests = described(in: .request)

  /// The faults allowed in this place, with their keys.
  private static func described(in place: FaultPlace) -> [Described] {
    let allowed = all.filter { $0.isAllowed(in: place) }
    let name = DeviceKey<FaultEntry>(
      "fault", .later("the name of a fault", .words(allowed.map(\.name))), isRequired: true,
      "its name"
    ) { _, _, _ in }
    return allowed.map { ($0, $0.form(in: place, [name])) }
  }

  /// True if the fault is allowed in this place. Faults of the host, and faults of a device at a
  /// moment, belong in a scenario; a request may have the latter, since its moment is now.
  private func isAllowed(in place: FaultPlace) -> Bool {
    switch (effect, place) {
    case (_, .scenario), (.operations, _), (.definition, .file), (.devices, .request): true
    case (.definition, .request), (.devices, .file), (.host, .file), (.host, .request): false
    }
  }

  /// The keys of the fault.
  ///
  ///  - Parameter name: The key of the fault's name; empty for a rule.
  fileprivate func form(
    in place: FaultPlace, _ name: [DeviceKey<FaultEntry>] = []
  ) -> DeviceForm<FaultEntry> {
    let isScenario = place == .scenario
    let targets = isScenario && isAboutDevices ? [DeviceReader.targetKey] : []
    let own = parameters.map { isScenario ? $0.key : $0.deviceKey }
    let (keys, rules) = timing(in: place)
    let all = name + targets + own + keys
    return DeviceForm(doc, FaultEntry(settings: settings), all, rules: rules)
  }

  /// The keys for the time of the fault, and the rules between them.
  private func timing(in place: FaultPlace) -> (keys: [DeviceKey<FaultEntry>], rules: [KeyRule]) {
    switch effect {
    case .definition: return ([], [])
    case .operations where self == .rule:
      let keys = DeviceReader.occurrenceKeys + DeviceReader.windowKeys
      return (keys, [.exclusive(DeviceReader.occurrences)])
    case .operations:
      let rules: [KeyRule] = [
        .exclusive(DeviceReader.occurrences), .only("for", with: ["at"], "'for' counts from 'at'"),
      ]
      return (DeviceReader.operationKeys, rules)
    case .devices, .host:
      guard place == .scenario else { return ([], []) }
      // The parameter `characteristic` of some faults replaces the key of the trigger.
      let isTaken = parameters.contains { $0.key.name == "characteristic" }
      let keys = DeviceReader.triggerKeys.filter { !isTaken || $0.name != "characteristic" }
      let when = KeyRule.some(
        of: ["at", "between", "after"], "missing trigger",
        expected: "at: 3s, between: [1s, 9s] or after: read"
      )
      return (keys, DeviceReader.triggerRules(isTaken) + (lasts ? [] : [when]))
    }
  }

  /// The names of the faults allowed in a device file, in Markdown.
  static var fileList: String {
    inFiles.map { "`\($0.fault.name)`" }.joined(separator: ", ") + "\n"
  }
}

/// The result of reading a fault.
enum ReadFault: Sendable {
  /// Rules for operations of devices.
  case rules([FaultRule])
  /// A change of the definitions of devices.
  case definition(@Sendable (inout DeviceDefinition) -> Void)
  /// A fault that fires at a moment.
  case moment(NamedFault, FaultEntry)

  /// Changes the definition of a device; new rules follow its existing ones.
  func apply(to device: inout DeviceDefinition) {
    switch self {
    case .rules(let rules): device.faults += rules
    case .definition(let change): change(&device)
    case .moment: break
    }
  }

  /// The actions that add the fault to a running device.
  func actions(on device: BluetoothAddress) -> [TimedAction] {
    switch self {
    case .rules(let rules): rules.map { TimedAction(.device(device, .rule($0))) }
    case .definition: []
    case .moment(let fault, let entry): fault.actions(entry.settings, [device])
    }
  }
}

extension DeviceReader {
  /// A rule in a device file, or in a request.
  static let ruleForm = NamedFault.rule.form(in: .file)
  /// A rule in a scenario, for some of its devices.
  private static let scenarioRuleForm = NamedFault.rule.form(in: .scenario)

  /// A fault in the file of its device.
  static let deviceFault = DeviceShape<ReadFault>(
    "a mapping",
    schema: .any([
      ruleForm.schema.named("fault"),
      schema(of: NamedFault.inFiles, "A named fault of the device.").named("namedFault"),
    ])
  ) { node, reader in reader.fault(node, in: .file) }

  /// A fault of a scenario; nil if it only changes the definitions of devices.
  static let scenarioFault = DeviceShape<ScheduledFault?>(
    "a mapping",
    schema: .any([
      schema(of: NamedFault.inScenarios, "Something that goes wrong.").named("fault"),
      scenarioRuleForm.schema.named("rule"),
    ])
  ) { node, reader in
    reader.scenario.targets = Array(reader.scenario.devices.indices)
    return .some(reader.fault(node, in: .scenario).flatMap { reader.add($0, node) })
  }

  /// Reads a rule such as `{ on: read, nth: 2, do: refuse 0x80 }`, or a named fault such as
  /// `{ fault: slow, on: read, by: 3s }`; nil after a reported problem.
  mutating func fault(_ node: Node, in place: FaultPlace) -> ReadFault? {
    guard let (fault, form) = described(node, in: place) else { return nil }
    let entry = form.read(node, &self)
    checkOperation(entry.settings, node)
    switch fault.effect {
    case .operations(let make): return .rules(rules(make(entry.settings), entry, node))
    case .definition(let change):
      let settings = entry.settings
      return .definition { change(&$0, settings) }
    case .devices, .host: return .moment(fault, entry)
    }
  }

  /// The fault that a node names, with its keys; nil after a reported problem.
  private mutating func described(_ node: Node, in place: FaultPlace) -> NamedFault.Described? {
    guard let name = node.value(of: "fault") else {
      guard place == .scenario else { return (.rule, Self.ruleForm) }
      if node.value(of: "do") != nil { return (.rule, Self.scenarioRuleForm) }
      var keys = MappingReader(node)
      let expected = "the name of a fault; a rule has 'on' and 'do' in its place"
      _ = keys.required("fault", expected: expected)
      // Without the name of the fault, its other keys cannot be checked.
      problems += keys.problems
      return nil
    }
    let known =
      switch place {
      case .scenario: NamedFault.inScenarios
      case .file: NamedFault.inFiles
      case .request: NamedFault.inRequests
      }
    if let found = known.first(where: { $0.fault.name == name.text }) { return found }
    problems.append(problem(withFault: name, among: known.map(\.fault.name)))
    return nil
  }

  private func problem(withFault name: Node, among known: [String]) -> Problem {
    guard let fault = NamedFault.all.first(where: { $0.name == name.text }) else {
      // A misspelled fault of another place is suggested too; spelled correctly, it gets the
      // message below.
      let all = NamedFault.all.map(\.name)
      let isNear = Problem.unknown("", name.text, among: all).nearest != nil
      return wrongWord(name, name.text, isNear ? all : known, "a fault")
    }
    let home =
      switch fault.effect {
      case .definition: "a device file or a scenario"
      case .operations, .devices, .host: "a scenario"
      }
    return name.problem(
      "'\(fault.name)' belongs in \(home)", expected: "one of " + known.joined(separator: ", ")
    )
  }

  /// Changes the devices of a fault that has no moment; returns the scheduled fault otherwise.
  private mutating func add(_ fault: ReadFault, _ node: Node) -> ScheduledFault? {
    guard case .moment(let fault, let entry) = fault else {
      for index in scenario.targets { fault.apply(to: &scenario.devices[index]) }
      return nil
    }
    let devices = scenario.targets.map { scenario.devices[$0].address }
    return trigger(entry, node).map { ScheduledFault($0, fault.actions(entry.settings, devices)) }
  }

  /// Reports a characteristic or an action that does not fit the operation.
  private mutating func checkOperation(_ settings: FaultSettings, _ node: Node) {
    let kind = settings.kind
    guard node.value(of: "on")?.text == kind.rawValue else { return }
    if !kind.hasCharacteristic, kind != .any, settings.characteristic != nil,
      let characteristic = node.value(of: "characteristic")
    {
      problems.append(characteristic.problem("'\(kind)' does not take a characteristic"))
    }
    if let action = node.value(of: "do"), !settings.action.applies(to: kind) {
      problems.append(action.problem("the fault does not apply to '\(kind)'"))
    }
  }

  /// Adds the selection of operations and the time to rules.
  private mutating func rules(
    _ rules: [FaultRule], _ entry: FaultEntry, _ node: Node
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

  /// The trigger of a fault; nil after a reported problem.
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
    _ event: WorldEvent.Kind, _ entry: FaultEntry, _ node: Node
  ) -> WorldEvent.Pattern {
    let characteristic = entry.eventCharacteristic
    if characteristic != nil, !event.hasCharacteristic, let node = node.value(of: "characteristic")
    {
      problems.append(node.problem("'\(event.rawValue)' does not take a characteristic"))
    }
    let targets = scenario.targets
    var pattern = WorldEvent.Pattern(
      event,
      devices: targets.count == scenario.devices.count
        ? [] : targets.map { scenario.devices[$0].address },
      characteristic: characteristic?.handle == nil ? characteristic?.characteristic : nil
    )
    pattern.places = characteristic.flatMap { places(of: $0) }
    return pattern
  }

  /// The characteristics of a selector on the affected devices; nil if it selects all of one UUID.
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
