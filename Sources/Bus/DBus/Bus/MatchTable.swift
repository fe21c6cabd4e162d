// The match rules of one connection, with the number of subscriptions that share each.
//
// A pure table. A rule is added to the bus once for all its subscriptions, and no subscription is
// active before the bus has replied.

/// The match rules of one connection, by their text.
struct MatchTable<Waiter: Sendable>: Sendable {
  /// A registered subscription to a rule. The generation distinguishes a rule that was removed and
  /// added again.
  struct Ticket: Hashable, Sendable {
    let rule: String
    let generation: UInt64
  }

  /// The action for a new subscription to a rule.
  enum Step: Equatable, Sendable {
    /// Call AddMatch; the reply resumes the waiter.
    case add
    /// AddMatch was already called; its reply resumes the waiter.
    case wait
    /// The rule is active.
    case ready
  }

  private struct Entry: Sendable {
    let generation: UInt64
    var count: Int
    /// The waiters for the reply of the bus; nil once it has accepted the rule.
    var waiters: [Waiter]?
  }

  private var entries: [String: Entry] = [:]
  private var lastGeneration: UInt64 = 0

  /// The number of rules.
  var count: Int { entries.count }

  /// Adds a subscription to a rule.
  mutating func addSubscription(to rule: String, _ waiter: Waiter) -> (Ticket, Step) {
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

  /// Applies the reply to AddMatch. A refused rule is removed.
  ///
  /// - Returns: The waiters to resume.
  mutating func applyReply(to ticket: Ticket, isAccepted: Bool) -> [Waiter] {
    guard let entry = entries[ticket.rule], entry.generation == ticket.generation else { return [] }
    if isAccepted {
      entries[ticket.rule]?.waiters = nil
    } else {
      entries[ticket.rule] = nil
    }
    return entry.waiters ?? []
  }

  /// Removes a subscription. Has no effect if the bus has refused the rule.
  ///
  /// - Returns: Whether it was the last one, so that RemoveMatch must be called.
  mutating func removeSubscription(_ ticket: Ticket) -> Bool {
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
