// Deciding, operation by operation, which fault affects it.

import Bluetooth
public import Signals

/// Rules with their counts so far: operations in, actions out.
///
/// Every rule counts every operation it matches, also when another rule decides it, so that a new
/// rule moves no other. Each rule has randomness of its own, and draws it for each match.
public struct FaultPlan: Sendable {
  private struct Entry {
    let rule: FaultRule
    var matches: OccurrenceCount
  }

  private var entries: [Entry]

  /// A plan in which nothing has happened yet.
  public init(_ rules: [FaultRule], generator: SeededGenerator) {
    entries = []
    for rule in rules { add(rule, generator: generator) }
  }

  /// Adds a rule, whose count is 0, behind the others.
  ///
  /// - Parameter generator: The plan's.
  mutating func add(_ rule: FaultRule, generator: SeededGenerator) {
    // By what it is about, not by its place: a rule before it takes none of its draws.
    func name(_ rule: FaultRule) -> String {
      guard let target = rule.characteristic else { return rule.on.rawValue }
      let isPlain = target == CharacteristicSelector(characteristic: target.characteristic)
      return rule.on.rawValue + " " + (isPlain ? "\(target.characteristic)" : "\(target)")
    }
    let number = entries.count { name($0.rule) == name(rule) } + 1
    let own = generator.split("\(name(rule)) \(number)")
    let matches = OccurrenceCount(rule.occurrence, burst: rule.burst, generator: own)
    entries.append(Entry(rule: rule, matches: matches))
  }

  /// Counts `operation`, and returns what happens to it: the action of the first rule that fires.
  ///
  /// - Parameters:
  ///   - operation: What a client asks for.
  ///   - elapsed: The time since the device's start.
  ///   - surroundings: The state of the host around the device.
  ///   - table: The device's attributes, to distinguish characteristics with the same UUID.
  public mutating func next(
    _ operation: FaultOperation, at elapsed: Duration = .zero,
    in surroundings: Surroundings = Surroundings(), of table: AttributeTable? = nil
  ) -> OperationFault {
    var action: OperationFault?
    for index in entries.indices
    where entries[index].rule.matches(operation, at: elapsed, in: surroundings, of: table) {
      if entries[index].matches.next() { action = action ?? entries[index].rule.action }
    }
    return action ?? .none
  }
}
