// The keys of a named fault that select its devices and its time.

import Bluetooth
import Documents

extension DeviceReader {
  /// `device`: a name, a prefix with `*`, an address, or a list of them.
  static let targetKey = DeviceKey<FaultEntry>(
    "device",
    DeviceShape<[Int]>(
      "a name, or a list of names",
      schema: .any([
        Schema(["type": "string"]), .list(of: Schema(["type": "string"])),
      ])
    ) { node, reader in
      if node.sequence?.isEmpty == true {
        reader.problems.append(node.problem(expected: "a name, or a list of names"))
      }
      reader.scenario.targets = (node.sequence ?? [node]).flatMap { reader.devices(named: $0) }
      return reader.scenario.targets
    },
    usual: "all", "names (with `*` at the end for all that begin so) or addresses"
  ) { _, _, _ in }

  private mutating func devices(named node: Node) -> [Int] {
    let found = scenario.devices.indices.filter { index in
      guard let text = node.text else { return false }
      let device = scenario.devices[index]
      if text.hasSuffix("*") { return device.name?.hasPrefix(text.dropLast()) == true }
      return device.name == text || BluetoothAddress(text) == device.address
    }
    if found.isEmpty {
      let known = scenario.devices.map { $0.name ?? "\($0.address)" }
      problems.append(node.problem(unknown: "device", among: known))
    }
    return found
  }

  /// The keys that select the operations of a named fault, and its time.
  static let operationKeys: [DeviceKey<FaultEntry>] =
    occurrenceKeys + [
      DeviceKey("at", \.at, .delay, usual: "from the start", "from this time on, since the start"),
      DeviceKey("for", \.settings.duration, .delay, usual: "for good", "how long it lasts"),
    ]

  // MARK: Faults of the world

  static let count = DeviceShape<Int>.integer(1...1_000_000_000)

  /// The keys that make a fault of the scenario fire.
  static let triggerKeys: [DeviceKey<FaultEntry>] = [
    DeviceKey("at", \.at, .delay, usual: "", "time after the start"),
    DeviceKey("between", \.between, moments, "at a moment drawn from the seed: `[1s, 9s]`"),
    DeviceKey("after", \.event, .word, "after an event of the fault's devices"),
    DeviceKey(
      "every", repetition, usual: "",
      "with `at`, the time until it is repeated; with `after`, every n-th event"
    ) {
      entry,
      repetition,
      _ in
      switch repetition {
      case .count(let step): entry.occurrence = .every(step)
      case .period(let period): entry.period = period
      }
    },
    DeviceKey(
      "times", \.times, .integer(1...FileLimits.burst), usual: "for good",
      "with `every`, how often in all"
    ),
    nthKey,
    probabilityKey,
    DeviceKey("delay", \.delay, .delay, "how long after the event"),
    DeviceKey(
      "characteristic", \.eventCharacteristic, .targetCharacteristic, usual: "all",
      "only events of this one, named as [anywhere](#services-and-characteristics)"
    ),
  ]

  /// The rules between the keys of the trigger.
  ///
  /// - Parameter isTaken: Whether `characteristic` is a parameter of the fault itself.
  static func triggerRules(_ isTaken: Bool) -> [KeyRule] {
    let ofEvents = ["nth", "probability", "delay"] + (isTaken ? [] : ["characteristic"])
    return [
      .exclusive(["at", "between", "after"]), .exclusive(occurrences),
      .only("times", with: ["every"], "without 'every' it fires once"),
      .never("every", with: "between", "what is drawn fires once"),
      .never("times", with: "after", "'times' is for 'at'"),
    ] + ofEvents.map { .only($0, with: ["after"], "'\($0)' is for 'after'") }
  }

  private enum Repetition: Sendable {
    case count(Int)
    case period(Duration)
  }

  private static let repetition: DeviceShape<Repetition> = {
    let period = DeviceShape<Duration>.period
    return DeviceShape(
      "\(count.expected), or \(period.expected)", schema: .any([count.schema, period.schema])
    ) { node, reader in
      if node.integer != nil { return count.read(node, &reader).map { .count($0) } }
      return period.read(node, &reader).map { .period($0) }
    }
  }()

  /// `between: [1s, 9s]`
  private static let moments = DeviceShape<ClosedRange<Duration>>(
    "two durations up to 1h, such as [1s, 9s]",
    schema: .list(of: DeviceShape<Duration>.delay.schema, 2...2)
  ) { node, _ in
    let ends = node.sequence?.map { $0.duration } ?? []
    guard ends.count == 2, let earliest = ends[0], let latest = ends[1], earliest <= latest,
      FileLimits.delay.contains(latest)
    else { return nil }
    return earliest...latest
  }
}

// MARK: The targets of faults

extension Shape where State == DeviceReader, Value == CharacteristicSelector {
  /// A characteristic that at least one of the fault's devices has.
  static var targetCharacteristic: DeviceShape<CharacteristicSelector> {
    targetCharacteristic("a characteristic")
  }

  static func targetCharacteristic(_ expected: String) -> DeviceShape<CharacteristicSelector> {
    DeviceShape(expected, schema: selector.schema) { node, reader in
      guard let selector = reader.selector(node) else { return nil }
      let (devices, targets) = (reader.scenario.devices, reader.scenario.targets)
      let isThere = targets.contains { index in
        !AttributeTable(devices[index]).indices(of: selector).isEmpty
      }
      if !isThere, !targets.isEmpty {
        reader.problems.append(node.problem("no device has the characteristic \(node.shown)"))
      }
      return selector
    }
  }
}

extension Shape where State == DeviceReader, Value == BluetoothUUID {
  /// A service that at least one of the fault's devices has.
  static var targetService: DeviceShape<BluetoothUUID> {
    DeviceShape<BluetoothUUID>.service.afterReading { uuid, node, reader in
      let targets = reader.scenario.targets
      let isThere = targets.contains { index in
        reader.scenario.devices[index].services.contains { $0.uuid == uuid }
      }
      if !isThere, !targets.isEmpty {
        reader.problems.append(node.problem("no device has the service \(node.shown)"))
      }
    }
  }
}
