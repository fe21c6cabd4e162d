// When the faults of a scenario file strike.

import Bluetooth
import Documents

extension ScenarioReader {
  /// `at`, `between` or `after`; nil after a complaint.
  mutating func trigger(
    _ keys: inout MappingReader,
    of fault: NamedFault,
    _ node: Node,
    _ targets: [Int]
  ) -> Blow.Trigger? {
    let at = keys.optional("at")
    let between = keys.optional("between")
    let after = keys.optional("after")
    let given = [("at", at), ("between", between), ("after", after)].compactMap { name, node in
      node.map { (name: name, node: $0) }
    }
    if let second = given.dropFirst().first {
      reader.problems.append(
        second.node.problem("'\(given[0].name)' and '\(second.name)' exclude each other")
      )
    }
    if let after { return event(after, &keys, of: fault, targets) }
    if let between { return drawn(between) }
    if at == nil, fault.nature == .world {
      reader.problems.append(
        node.problem("it is not said when", expected: "at: 3s, between: [1s, 9s] or after: read")
      )
      return nil
    }
    let delay = reader.delay(&keys, "at") ?? .zero
    let every = reader.period(&keys, "every")
    let timesNode = keys.optional("times")
    let times = reader.integer(&keys, "times", in: 1...FileLimits.burst)
    if let timesNode, every == nil {
      reader.problems.append(timesNode.problem("without 'every' it strikes once"))
    }
    return .at(delay, every: every, times: times)
  }

  /// `between: [1s, 9s]`
  private mutating func drawn(_ node: Node) -> Blow.Trigger? {
    let ends = node.sequence?.map { $0.duration } ?? []
    guard ends.count == 2, let earliest = ends[0], let latest = ends[1], earliest <= latest,
      FileLimits.delay.contains(latest)
    else {
      reader.problems.append(
        node.problem(
          "\(reader.shown(node)) stands here",
          expected: "two durations up to 1h, such as [1s, 9s]"
        )
      )
      return nil
    }
    return .between(earliest, latest)
  }

  /// `after: notified`, with `characteristic`, `nth`, `every`, `probability` and `delay` beside it.
  private mutating func event(
    _ node: Node,
    _ keys: inout MappingReader,
    of fault: NamedFault,
    _ targets: [Int]
  ) -> Blow.Trigger? {
    let kind: WorldEvent.Kind? = reader.word(node, WorldEvent.Kind.allCases.map(\.rawValue))
    let occurrence = reader.occurrence(&keys)
    let delay = reader.delay(&keys, "delay") ?? .zero
    var characteristic: CharacteristicSelector?
    // Of some faults that key says what they are about.
    if !fault.settings.contains("characteristic"), fault.acquires == nil,
      let node = keys.optional("characteristic")
    {
      characteristic = self.characteristic(node, targets)
      if let kind, !kind.hasCharacteristic {
        reader.problems.append(node.problem("'\(kind.rawValue)' is about no characteristic"))
      }
    }
    guard let kind else { return nil }
    let isAboutAll = targets.count == devices.count
    let pattern = WorldEvent.Pattern(
      kind,
      devices: isAboutAll ? [] : targets.map { devices[$0].address },
      characteristic: characteristic?.handle == nil ? characteristic?.characteristic : nil,
      places: characteristic.flatMap { places(of: $0, targets) }
    )
    return .after(pattern, occurrence, delay: delay)
  }

  /// Which of several characteristics are meant; nil where it is all of one UUID.
  private func places(
    of selector: CharacteristicSelector,
    _ targets: [Int]
  ) -> [WorldEvent.Place]? {
    let isAll = selector == CharacteristicSelector(characteristic: selector.characteristic)
    guard !isAll else { return nil }
    return targets.flatMap { index -> [WorldEvent.Place] in
      let table = AttributeTable(devices[index])
      return table.indices(of: selector).map { found in
        WorldEvent.Place(
          device: devices[index].address,
          handle: table.characteristics[found].entry.handle
        )
      }
    }
  }
}
