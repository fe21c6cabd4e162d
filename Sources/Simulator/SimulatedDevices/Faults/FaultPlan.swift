// Selects the fault of each operation.

import Bluetooth
public import Signals

/// Fault rules with their counts: operations in, actions out.
///
/// Every rule counts each operation that it matches, even if another rule decides it, so that a new
/// rule does not change the others. Each rule has its own generator, and draws from it for each
/// match.
public struct FaultPlan: Sendable {
  private struct Entry {
    let rule: FaultRule
    var matches: OccurrenceCount
  }

  private var entries: [Entry]

  /// Creates a plan with all counts at 0.
  public init(_ rules: [FaultRule], generator: SeededGenerator) {
    entries = []
    for rule in rules { add(rule, generator: generator) }
  }

  /// Adds a rule after the others, with its count at 0.
  ///
  /// - Parameter generator: The generator of the plan.
  mutating func add(_ rule: FaultRule, generator: SeededGenerator) {
    // Named after its content, not its index, so that an earlier rule does not change its draws.
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

  /// Counts an operation, and returns the action of the first rule that fires.
  ///
  /// - Parameters:
  ///   - operation: The operation of a client.
  ///   - elapsed: The time since the device's start.
  ///   - surroundings: The state of the host.
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
