// The queued values of one subscriber, and the gaps between them.
//
// A pure value. NotificationMailbox protects it with a lock and wakes waiters.

import Bluetooth
import Signals

/// Values in order of arrival, up to a limit, with marks where others were dropped or the
/// connection dropped.
struct NotificationQueue: Sendable {
  enum Entry: Equatable, Sendable {
    case value(NotifiedValue)
    /// This many consecutive values were dropped; the first and the last of them arrived at these
    /// times.
    case dropped(Int, from: Instant, to: Instant)
    /// The subscription was interrupted between these times.
    case interrupted(from: Instant, to: Instant)
  }

  let bound: Int
  let rule: SubscriptionOptions.OverflowRule
  /// The number of queued values.
  private(set) var count = 0
  private var entries: [Entry] = []
  private var head = 0

  init(bound: Int, rule: SubscriptionOptions.OverflowRule) {
    self.bound = bound
    self.rule = rule
  }

  var isEmpty: Bool { head == entries.count }

  /// Adds a value.
  ///
  /// - Returns: False when the queue is full and the rule is to fail.
  mutating func put(_ notification: NotifiedValue) -> Bool {
    if count < bound {
      entries.append(.value(notification))
      count += 1
      return true
    }
    switch rule {
    case .error: return false
    case .dropOldest:
      dropOldest()
      entries.append(.value(notification))
      count += 1
    case .dropNewest:
      if case .dropped(let number, let from, _)? = entries.last {
        entries[entries.count - 1] = .dropped(number + 1, from: from, to: notification.at)
      } else {
        entries.append(.dropped(1, from: notification.at, to: notification.at))
      }
    }
    return true
  }

  /// Marks where the subscription was interrupted.
  mutating func interrupted(from start: Instant, to end: Instant) {
    entries.append(.interrupted(from: start, to: end))
  }

  /// Removes and returns the next entry.
  mutating func popFirst() -> Entry? {
    guard head < entries.count else { return nil }
    let entry = entries[head]
    head += 1
    if case .value = entry { count -= 1 }
    if head == entries.count {
      entries.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 1024 {
      entries.removeFirst(head)
      head = 0
    }
    return entry
  }

  /// The oldest value becomes part of the mark before it, or a mark of its own.
  private mutating func dropOldest() {
    var index = head
    while index < entries.count {
      if case .value(let oldest) = entries[index] {
        count -= 1
        guard index > head, case .dropped(let number, let from, _) = entries[index - 1] else {
          entries[index] = .dropped(1, from: oldest.at, to: oldest.at)
          return
        }
        entries[index] = .dropped(number + 1, from: from, to: oldest.at)
        // The mark has moved up by one; what preceded it follows.
        for place in stride(from: index - 1, to: head, by: -1) {
          entries[place] = entries[place - 1]
        }
        head += 1
        return
      }
      index += 1
    }
  }
}
