// Faults of one device: rules and named faults in its file, and faults that are added while it runs.

import Bluetooth
import Documents

/// One fault of one device.
enum DeviceFault: Sendable {
  /// Rules for its operations.
  case rules([FaultRule])
  /// A change of its definition.
  case definition(@Sendable (inout DeviceDefinition) -> Void)
  /// Something that happens to the device at once.
  case now(NamedFault, FaultSettings)

  /// Where it is written.
  enum Place {
    /// In the file of the device.
    case file
    /// In a request to add it to a device that runs.
    case request
  }

  /// Changes the definition of a device; its rules come behind those that are there.
  func apply(to device: inout DeviceDefinition) {
    switch self {
    case .rules(let rules): device.faults += rules
    case .definition(let change): change(&device)
    case .now: break
    }
  }

  /// What adds it to a device that runs.
  func actions(on device: BluetoothAddress) -> [TimedAction] {
    switch self {
    case .rules(let rules): rules.map { TimedAction(.device(device, .rule($0))) }
    case .definition: []
    case .now(let fault, let settings): fault.actions(settings, [device])
    }
  }
}

extension NamedFault {
  /// Whether it can be written there. A fault of the host belongs in a scenario, and so does one
  /// that happens to a device at a moment, unless that moment is now.
  private func isAllowed(in place: DeviceFault.Place) -> Bool {
    switch (effect, place) {
    case (.operations, _), (.definition, .file), (.devices, .request): true
    case (.definition, .request), (.devices, .file), (.host, _): false
    }
  }

  private static func ofOneDevice(
    _ place: DeviceFault.Place
  ) -> [(fault: NamedFault, form: DeviceForm<FaultEntry>)] {
    let allowed = all.filter { $0.isAllowed(in: place) }
    let name = nameKey(allowed)
    return allowed.map { ($0, $0.formOfOneDevice(name)) }
  }

  /// The faults of a device file, with their keys.
  static let inFiles = ofOneDevice(.file)
  /// The faults that can be added to a device that runs, with their keys.
  static let inRequests = ofOneDevice(.request)

  /// The keys that a fault has in a scenario, without those for its devices and its moment.
  private func formOfOneDevice(_ name: DeviceKey<FaultEntry>) -> DeviceForm<FaultEntry> {
    var entry = FaultEntry()
    entry.settings = settings
    let initial = entry
    let head = [name] + parameters.map(\.deviceKey)
    switch effect {
    case .operations:
      return DeviceForm(
        doc,
        initial,
        head + DeviceReader.operationKeys,
        rules: Self.operationRules
      )
    case .definition, .devices, .host: return DeviceForm(doc, initial, head)
    }
  }

  /// The names for a device file, in Markdown.
  static var fileList: String {
    inFiles.map { "`\($0.fault.name)`" }.joined(separator: ", ") + "\n"
  }
}

extension DeviceReader {
  /// A rule such as `{ on: read, nth: 2, do: refuse 0x80 }`, or a named fault such as
  /// `{ fault: slow, on: read, by: 3s }`.
  static let deviceFault = DeviceShape<DeviceFault>(
    "a mapping",
    schema: .any([
      ruleForm.schema.named("fault"),
      schema(of: NamedFault.inFiles, "A named fault of the device.").named("namedFault"),
    ])
  ) { node, reader in reader.deviceFault(node, in: .file) }

  /// Reads a fault of one device; nil after a complaint.
  mutating func deviceFault(_ node: Node, in place: DeviceFault.Place) -> DeviceFault? {
    guard let name = node.value(of: "fault") else {
      return .rules(rule(node, Self.ruleForm))
    }
    let forms =
      switch place {
      case .file: NamedFault.inFiles
      case .request: NamedFault.inRequests
      }
    guard let (fault, form) = forms.first(where: { $0.fault.name == name.text }) else {
      problems.append(problem(withFault: name, among: forms.map(\.fault.name)))
      return nil
    }
    let entry = form.read(node, &self)
    checkCharacteristic(entry, node)
    switch fault.effect {
    case .operations(let make): return .rules(rules(make(entry.settings), entry, node))
    case .definition(let change):
      let settings = entry.settings
      return .definition { change(&$0, settings) }
    case .devices, .host: return .now(fault, entry.settings)
    }
  }

  private func problem(withFault name: Node, among known: [String]) -> Problem {
    guard let fault = NamedFault.all.first(where: { $0.name == name.text }) else {
      // One that belongs elsewhere may be meant, and is known as soon as it is spelled correctly.
      let all = NamedFault.all.map(\.name)
      let isNear = Node.guess(name.text, among: all).nearest != nil
      return wrongWord(name, name.text, isNear ? all : known, "a fault")
    }
    let home =
      switch fault.effect {
      case .definition: "a device file or a scenario"
      case .operations, .devices, .host: "a scenario"
      }
    return name.problem(
      "'\(fault.name)' belongs in \(home)",
      expected: "one of " + known.joined(separator: ", ")
    )
  }
}
