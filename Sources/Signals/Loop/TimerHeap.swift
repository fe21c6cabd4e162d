// The timers of one loop, earliest first.
//
// A pure binary heap with removal: cancelled timers leave at once, so that a million finished
// deadlines cost nothing. It knows no clock.

/// A min-heap of alarms, ordered by instant and then by the order of arming.
struct TimerHeap {
  struct Entry {
    let instant: Instant
    let order: UInt64
    let alarm: any Alarm
  }

  private(set) var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  var earliest: Instant? { entries.first?.instant }

  mutating func insert(_ alarm: any Alarm, at instant: Instant, order: UInt64) {
    entries.append(Entry(instant: instant, order: order, alarm: alarm))
    place(entries.count - 1)
    siftUp(entries.count - 1)
  }

  /// Takes the earliest timer if it is due at `now`.
  mutating func popDue(_ now: Instant) -> (any Alarm)? {
    guard let first = entries.first, first.instant <= now else { return nil }
    removeAt(0)
    return first.alarm
  }

  /// Removes `alarm`; false when it is not armed.
  mutating func remove(_ alarm: any Alarm) -> Bool {
    let index = alarm.heapIndex
    guard index >= 0 else { return false }
    removeAt(index)
    return true
  }

  mutating func removeAll() -> [any Alarm] {
    let alarms = entries.map(\.alarm)
    for alarm in alarms { alarm.heapIndex = -1 }
    entries.removeAll()
    return alarms
  }

  private mutating func removeAt(_ index: Int) {
    entries[index].alarm.heapIndex = -1
    let last = entries.count - 1
    if index != last {
      entries[index] = entries[last]
      place(index)
    }
    entries.removeLast()
    if index < entries.count {
      siftDown(index)
      siftUp(index)
    }
  }

  private func place(_ index: Int) { entries[index].alarm.heapIndex = index }

  private func before(_ a: Int, _ b: Int) -> Bool {
    let (x, y) = (entries[a], entries[b])
    return x.instant == y.instant ? x.order < y.order : x.instant < y.instant
  }

  private mutating func siftUp(_ start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard before(index, parent) else { return }
      swapEntries(index, parent)
      index = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var index = start
    while true {
      var least = index
      let children = 2 * index + 1
      for child in children..<(children + 2) where child < entries.count {
        if before(child, least) { least = child }
      }
      guard least != index else { return }
      swapEntries(index, least)
      index = least
    }
  }

  private mutating func swapEntries(_ a: Int, _ b: Int) {
    entries.swapAt(a, b)
    place(a)
    place(b)
  }
}
