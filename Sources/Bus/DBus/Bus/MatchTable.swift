// Which match rules the bus has accepted, and how many subscriptions share each.
//
// A pure table. The bus is asked once for a rule that several subscriptions share, and no
// subscription counts as active before the bus has replied.

/// The rules of one connection by their text.
struct MatchTable<Waiter: Sendable>: Sendable {
  /// A share in a rule.
  struct Ticket: Hashable, Sendable {
    let rule: String
    let generation: UInt64
  }

  /// What to do for a new subscription to a rule.
  enum Step: Equatable, Sendable {
    /// Ask the bus to add the rule; the waiter is resumed when the bus has replied.
    case add
    /// The bus was already asked; the waiter is resumed when it has replied.
    case wait
    /// The rule is active.
    case ready
  }

  private struct Entry: Sendable {
    let generation: UInt64
    var count: Int
    /// Those who wait for the bus; nil once it has accepted the rule.
    var waiters: [Waiter]?
  }

  private var entries: [String: Entry] = [:]
  private var lastGeneration: UInt64 = 0

  /// The number of rules.
  var count: Int { entries.count }

  /// Adds a subscription to a rule.
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

  /// The bus has replied.
  ///
  /// - Returns: Those who waited for it.
  mutating func answered(_ ticket: Ticket, isTaken: Bool) -> [Waiter] {
    guard let entry = entries[ticket.rule], entry.generation == ticket.generation else { return [] }
    if isTaken {
      entries[ticket.rule]?.waiters = nil
    } else {
      entries[ticket.rule] = nil
    }
    return entry.waiters ?? []
  }

  /// Removes a subscription. Has no effect when the bus has refused the rule.
  ///
  /// - Returns: Whether to ask the bus to remove the rule.
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
