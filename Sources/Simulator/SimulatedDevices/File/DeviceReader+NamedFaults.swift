// Faults in files and in requests: a form for each row of NamedFault, and what is read comes to.

import Bluetooth
import Documents

/// A fault in a file, a rule or a named one: its parameters and its timing.
struct FaultEntry: Sendable {
  var settings = FaultSettings()
  /// Which operations, or which events of `after`.
  var occurrence = FaultOccurrence.every(1)
  var burst = 1
  /// `at`, or `from` of a rule.
  var at: Duration?
  var until: Duration?
  var between: ClosedRange<Duration>?
  var event: WorldEvent.Kind?
  var eventCharacteristic: CharacteristicSelector?
  /// `every` of a fault by the clock.
  var period: Duration?
  var times: Int?
  var delay = Duration.zero
}

enum FaultPlace {
  case scenario
  case file
  /// In a request to add it to a device that runs.
  case request
}

extension NamedFault {
  typealias Described = (fault: NamedFault, form: DeviceForm<FaultEntry>)

  static let inScenarios = described(in: .scenario)
  static let inFiles = described(in: .file)
  static let inRequests = described(in: .request)

  /// The faults that can be written there, with their keys.
  private static func described(in place: FaultPlace) -> [Described] {
    let allowed = all.filter { $0.isAllowed(in: place) }
    let name = DeviceKey<FaultEntry>(
      "fault", .later("the name of a fault", .words(allowed.map(\.name))), isRequired: true,
      "its name"
    ) { _, _, _ in }
    return allowed.map { ($0, $0.form(in: place, [name])) }
  }

  /// Whether it can be written there. A fault of the host belongs in a scenario, and so does one
  /// that happens to a device at a moment, unless that moment is now.
  private func isAllowed(in place: FaultPlace) -> Bool {
    switch (effect, place) {
    case (_, .scenario), (.operations, _), (.definition, .file), (.devices, .request): true
    case (.definition, .request), (.devices, .file), (.host, .file), (.host, .request): false
    }
  }

  /// - Parameter name: The key of its name; none for a rule.
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

  /// The keys that set when it happens, and what holds across them.
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
      // Some faults have a parameter with that key.
      let isTaken = parameters.contains { $0.key.name == "characteristic" }
      let keys = DeviceReader.triggerKeys.filter { !isTaken || $0.name != "characteristic" }
      let when = KeyRule.some(
        of: ["at", "between", "after"], "missing trigger",
        expected: "at: 3s, between: [1s, 9s] or after: read"
      )
      return (keys, DeviceReader.triggerRules(isTaken) + (lasts ? [] : [when]))
    }
  }

  /// The names for a device file, in Markdown.
  static var fileList: String {
    inFiles.map { "`\($0.fault.name)`" }.joined(separator: ", ") + "\n"
  }
}

/// What a fault in a file comes to.
enum ReadFault: Sendable {
  /// Rules for operations of devices.
  case rules([FaultRule])
  /// A change of their definitions.
  case definition(@Sendable (inout DeviceDefinition) -> Void)
  /// Something that happens at a moment.
  case moment(NamedFault, FaultEntry)

  /// Changes the definition of a device; its rules come behind those that are there.
  func apply(to device: inout DeviceDefinition) {
    switch self {
    case .rules(let rules): device.faults += rules
    case .definition(let change): change(&device)
    case .moment: break
    }
  }

  /// What adds it to a device that runs.
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
  /// The same in a scenario, for some of its devices.
  private static let scenarioRuleForm = NamedFault.rule.form(in: .scenario)

  /// A fault of a device, in its file.
  static let deviceFault = DeviceShape<ReadFault>(
    "a mapping",
    schema: .any([
      ruleForm.schema.named("fault"),
      schema(of: NamedFault.inFiles, "A named fault of the device.").named("namedFault"),
    ])
  ) { node, reader in reader.fault(node, in: .file) }

  /// A fault of a scenario; nil where it is all in the definitions of devices.
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
  /// `{ fault: slow, on: read, by: 3s }`; nil after a complaint.
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

  /// The fault that is meant, with its keys; nil after a complaint.
  private mutating func described(_ node: Node, in place: FaultPlace) -> NamedFault.Described? {
    guard let name = node.value(of: "fault") else {
      guard place == .scenario else { return (.rule, Self.ruleForm) }
      if node.value(of: "do") != nil { return (.rule, Self.scenarioRuleForm) }
      var keys = MappingReader(node)
      let expected = "the name of a fault; a rule has 'on' and 'do' in its place"
      _ = keys.required("fault", expected: expected)
      // What else is written here cannot be judged.
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
      // One that belongs elsewhere may be meant, and is known as soon as it is spelled correctly.
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

  /// Changes the devices that a fault of the scenario is about, or makes something to be scheduled.
  private mutating func add(_ fault: ReadFault, _ node: Node) -> ScheduledFault? {
    guard case .moment(let fault, let entry) = fault else {
      for index in scenario.targets { fault.apply(to: &scenario.devices[index]) }
      return nil
    }
    let devices = scenario.targets.map { scenario.devices[$0].address }
    return trigger(entry, node).map { ScheduledFault($0, fault.actions(entry.settings, devices)) }
  }

  /// Complains of a characteristic or an action that the operation does not have.
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

  /// Rules with the file's keys for when they apply.
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
