// Which match rules the bus has taken, and how many want each.
//
// A pure table, so that the bus is asked once for a rule that many want, and nobody is told that a
// rule holds before the bus said so.

/// The rules of one connection by their text.
struct MatchTable<Waiter: Sendable>: Sendable {
  /// A share in a rule.
  struct Ticket: Hashable, Sendable {
    let rule: String
    let generation: UInt64
  }

  /// What to do for somebody who wants a rule.
  enum Step: Equatable, Sendable {
    /// Ask the bus to add it; the waiter is told when it has answered.
    case add
    /// The bus was asked; the waiter is told when it has answered.
    case wait
    /// It holds.
    case ready
  }

  private struct Entry: Sendable {
    let generation: UInt64
    var count: Int
    /// Those who wait for the bus; nil once it has taken the rule.
    var waiters: [Waiter]?
  }

  private var entries: [String: Entry] = [:]
  private var lastGeneration: UInt64 = 0

  /// How many rules there are.
  var count: Int { entries.count }

  /// Somebody wants a rule.
  mutating func join(_ rule: String, _ waiter: Waiter) -> (Ticket, Step) {
    if var entry = entries[rule] {
      entry.count += 1
      entry.waiters?.append(waiter)
      entries[rule] = entry
      return (
        Ticket(rule: rule, generation: entry.generation), entry.waiters == nil ? .ready : .wait
      )
    }
    lastGeneration += 1
    entries[rule] = Entry(generation: lastGeneration, count: 1, waiters: [waiter])
    return (Ticket(rule: rule, generation: lastGeneration), .add)
  }

  /// The bus answered.
  ///
  /// - Returns: Those who wait for it.
  mutating func answered(_ ticket: Ticket, isTaken: Bool) -> [Waiter] {
    guard let entry = entries[ticket.rule], entry.generation == ticket.generation else { return [] }
    if isTaken {
      entries[ticket.rule]?.waiters = nil
    } else {
      entries[ticket.rule] = nil
    }
    return entry.waiters ?? []
  }

  /// Somebody does not want a rule any more. Without effect when the bus has refused it.
  ///
  /// - Returns: Whether to ask the bus to remove it.
  mutating func leave(_ ticket: Ticket) -> Bool {
    guard let entry = entries[ticket.rule], entry.generation == ticket.generation else {
      return false
    }
    guard entry.count == 1 else {
      entries[ticket.rule]?.count -= 1
      return false
    }
    entries[ticket.rule] = nil
    return true
  }
}
