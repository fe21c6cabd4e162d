// What the transitions of a machine wait for, in a device file.

import Bluetooth
import Documents

extension MachineReader {
  /// The keys that say what a transition waits for.
  static let triggers = [
    "write", "read", "subscribe", "unsubscribe", "link", "after", "every",
  ]

  /// The trigger of a transition, and the node that names its characteristic.
  mutating func trigger(
    _ keys: inout MappingReader,
    _ node: Node
  ) -> (trigger: Transition.Trigger, node: Node)? {
    let given = Self.triggers.compactMap { key in
      keys.optional(key).map { (key: key, node: $0) }
    }
    let patterns = ["when", "when-begins", "when-like"].compactMap { key in
      keys.optional(key).map { (key: key, node: $0) }
    }
    if let pattern = patterns.first, given.first.map({ $0.key != "write" }) ?? true {
      reader.problems.append(pattern.node.problem("'\(pattern.key)' is for a 'write'"))
    }
    if let second = patterns.dropFirst().first {
      reader.problems.append(
        second.node.problem("'\(patterns[0].key)' and '\(second.key)' exclude each other")
      )
    }
    if let second = given.dropFirst().first {
      reader.problems.append(
        second.node.problem("'\(given[0].key)' and '\(second.key)' exclude each other")
      )
    }
    guard let (key, value) = given.first else {
      if node.mapping != nil {
        reader.problems.append(
          node.problem(
            "nothing is waited for",
            expected: "one of " + Self.triggers.joined(separator: ", ")
          )
        )
      }
      return nil
    }
    let trigger: Transition.Trigger?
    switch key {
    case "write":
      let pattern = patterns.first.map { self.pattern($0.key, $0.node) } ?? .any
      trigger = characteristic(value, .write).map { .write($0, pattern) }
    case "read": trigger = characteristic(value, .read).map { .read($0) }
    case "subscribe": trigger = characteristic(value, .notify).map { .subscribe($0) }
    case "unsubscribe": trigger = characteristic(value, .notify).map { .unsubscribe($0) }
    case "link":
      let change: LinkChange? = reader.word(value, LinkChange.allCases.map(\.rawValue))
      trigger = change.map { .link($0) }
    case "after": trigger = period(value).map { .after($0) }
    default: trigger = period(value).map { .every($0) }
    }
    return trigger.map { ($0, value) }
  }

  private mutating func pattern(_ key: String, _ node: Node) -> ResponseRule.Pattern {
    switch key {
    case "when": reader.octets(node).map { .exactly($0) } ?? .any
    case "when-begins": reader.octets(node).map { .beginning($0) } ?? .any
    default: reader.pattern(node).map { .like($0) } ?? .any
    }
  }

  private mutating func characteristic(
    _ node: Node,
    _ need: Reference.Need
  ) -> CharacteristicSelector? {
    reader.reference(node, need)
  }

  private mutating func period(_ node: Node) -> Duration? {
    if let period = node.duration, FileLimits.period.contains(period) { return period }
    reader.problems.append(
      node.problem(
        "\(reader.shown(node)) stands here",
        expected: "a duration from 1ms to 24h"
      )
    )
    return nil
  }
}
