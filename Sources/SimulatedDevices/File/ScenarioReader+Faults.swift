// The faults of a scenario file.

import Bluetooth
import Documents
import Spelling

extension ScenarioReader {
  /// A fault: what happens to operations and devices goes to the devices, the rest is a blow.
  mutating func fault(_ node: Node) -> Blow? {
    var keys = MappingReader(node)
    let name = keys.required("fault", expected: "the name of a fault")
    guard let name, let fault = named(name) else {
      // What else stands here cannot be judged.
      reader.problems += keys.problems
      return nil
    }
    let named = keys.optionalIf(fault.isAboutDevices, "device")
    let targets = devices(named: named)
    let settings = settings(&keys, of: fault, node, targets)
    switch fault.nature {
    case .property:
      reader.problems += keys.finish()
      for index in targets { change(index) { fault.changed($0, settings) } }
      return nil
    case .operation:
      let rules = rules(&keys, fault, settings)
      reader.problems += keys.finish()
      for index in targets {
        change(index) { device in
          var device = device
          device.faults += rules
          return device
        }
      }
      return nil
    case .world, .lasting:
      let trigger = trigger(&keys, of: fault, node, targets)
      let condition = keys.optional("if").flatMap { reader.condition($0) }
      reader.problems += keys.finish()
      let strokes = fault.strokes(settings, devices: targets.map { devices[$0].address })
      return trigger.map { Blow($0, if: condition, strokes) }
    }
  }

  private mutating func named(_ node: Node) -> NamedFault? {
    if let fault = node.text.flatMap({ NamedFault(rawValue: $0) }) { return fault }
    let known = NamedFault.allCases.map(\.rawValue)
    reader.problems.append(reader.wrongWord(node, node.text, known, "a fault"))
    return nil
  }

  // MARK: Settings

  private mutating func settings(
    _ keys: inout MappingReader,
    of fault: NamedFault,
    _ node: Node,
    _ targets: [Int]
  ) -> FaultSettings {
    var settings = FaultSettings()
    for key in fault.settings {
      switch key {
      case "on": settings.kind = keys.optional(key).flatMap { kind($0, fault) }
      case "characteristic": settings.characteristic = characteristic(&keys, targets)
      case "error": settings.error = keys.optional(key).flatMap { reader.errorCode($0) }
      case "by": settings.delay = reader.delay(&keys, key)
      case "limit": settings.limit = reader.integer(&keys, key, in: 1...100)
      case "mtu": settings.mtu = reader.integer(&keys, key, in: 23...517)
      case "rssi":
        guard let node = keys.optional(key) else { continue }
        var advertised = AdvertisementDefinition()
        reader.strength(node, &advertised)
        (settings.rssi, settings.movement) = (advertised.rssi, advertised.movement)
      case "service": settings.service = service(&keys, targets)
      case "for": settings.duration = reader.delay(&keys, key)
      case "adapter":
        if let node = keys.optional(key) { settings.adapter = adapter(named: node) }
      case "gap": settings.gap = reader.delay(&keys, key)
      default: settings.number = reader.integer(&keys, key, in: 0...255)
      }
    }
    if let expected = fault.acquires {
      if let wanted = keys.required("characteristic", expected: expected) {
        settings.characteristic = characteristic(wanted, targets)
      }
    }
    if let kind = settings.kind,
      let characteristic = keys.optionalIf(
        fault.settings.contains("characteristic"),
        "characteristic"
      ), !kind.hasCharacteristic,
      kind != .any
    {
      reader.problems.append(characteristic.problem("\(kind) is about no characteristic"))
    }
    return settings
  }

  private mutating func kind(_ node: Node, _ fault: NamedFault) -> FaultKind? {
    guard let kind = reader.faultKind(node) else { return nil }
    if fault.kinds.contains(kind) { return kind }
    let known = fault.kinds.map(\.rawValue).joined(separator: ", ")
    reader.problems.append(
      node.problem("'\(fault.rawValue)' does not happen to '\(kind)'", expected: "one of \(known)")
    )
    return nil
  }

  private mutating func characteristic(
    _ keys: inout MappingReader,
    _ targets: [Int]
  ) -> CharacteristicSelector? {
    keys.optional("characteristic").flatMap { characteristic($0, targets) }
  }

  /// One that at least one of the devices has.
  mutating func characteristic(_ node: Node, _ targets: [Int]) -> CharacteristicSelector? {
    guard let selector = reader.selector(node) else { return nil }
    let isThere = targets.contains { index in
      !AttributeTable(devices[index]).indices(of: selector).isEmpty
    }
    if !isThere, !targets.isEmpty {
      reader.problems.append(node.problem("no device has the characteristic \(reader.shown(node))"))
    }
    return selector
  }

  private mutating func service(_ keys: inout MappingReader, _ targets: [Int]) -> BluetoothUUID? {
    guard let node = keys.required("service", expected: "an assigned name or a UUID"),
      let uuid = reader.serviceUUID(node)
    else { return nil }
    let isThere = targets.contains { devices[$0].services.contains { $0.uuid == uuid } }
    if !isThere, !targets.isEmpty {
      reader.problems.append(node.problem("no device has the service \(reader.shown(node))"))
    }
    return uuid
  }

  // MARK: Operations

  private mutating func rules(
    _ keys: inout MappingReader,
    _ fault: NamedFault,
    _ settings: FaultSettings
  ) -> [FaultRule] {
    let occurrence = reader.occurrence(&keys)
    let burst = reader.integer(&keys, "burst", in: 1...FileLimits.burst) ?? 1
    let start = reader.delay(&keys, "at")
    let durationNode = keys.optional("for")
    let duration = reader.delay(&keys, "for")
    if let durationNode, start == nil, duration != nil {
      reader.problems.append(durationNode.problem("'for' counts from 'at'"))
    }
    let window = start.map { $0..<($0 + (duration ?? DeviceReader.always)) }
    if let window, window.isEmpty, let durationNode {
      reader.problems.append(durationNode.problem("this is no time", expected: "at least 1ms"))
    }
    return fault.rules(settings).map { kind, action in
      var rule = FaultRule(
        on: kind,
        occurrence: occurrence,
        burst: burst,
        window: window,
        condition: fault.condition(settings),
        action: action
      )
      rule.characteristic = settings.characteristic
      return rule
    }
  }
}

extension NamedFault {
  /// The characteristic that another program takes for itself, where it does that.
  var acquires: String? {
    switch self {
    case .notifyAcquired: "one that notifies"
    case .writeAcquired: "one that is written without an answer"
    default: nil
    }
  }
}

extension MappingReader {
  /// The node under `key` where it may be; where it may not, it stays unknown.
  mutating func optionalIf(_ isKnown: Bool, _ key: String) -> Node? {
    isKnown ? optional(key) : nil
  }
}
