// The timers of one loop, earliest first.
//
// A pure binary heap, which knows no clock. Cancelled timers are removed at once, so that a million
// finished deadlines cost nothing.
//
// A timer that is armed for a past instant while others fire waits until all due timers have fired.
// Otherwise periodic work that cannot keep up with its period would starve everything else.

/// A min-heap of timers, ordered by instant and then by the order of arming.
struct TimerHeap {
  struct Entry {
    let instant: Instant
    let order: UInt64
    let timer: LoopTimer
  }

  private(set) var entries: [Entry] = []
  /// The timers armed for a past instant while others fire; their index is ``lateIndex``.
  private var late: [Entry] = []
  /// The instant for which due timers are being popped; nil when none is left.
  private var firing: Instant?
  private static let lateIndex = -2

  var isEmpty: Bool { entries.isEmpty && late.isEmpty }
  var count: Int { entries.count + late.count }
  var earliest: Instant? {
    guard !late.isEmpty else { return entries.first?.instant }
    return (late + entries.prefix(1)).map(\.instant).min()
  }

  mutating func insert(_ timer: LoopTimer, at instant: Instant, order: UInt64) {
    let entry = Entry(instant: instant, order: order, timer: timer)
    if let firing, instant < firing {
      timer.heapIndex = Self.lateIndex
      late.append(entry)
    } else {
      insert(entry)
    }
  }

  private mutating func insert(_ entry: Entry) {
    entries.append(entry)
    place(entries.count - 1)
    siftUp(entries.count - 1)
  }

  /// Removes and returns the earliest timer that is due at `now`; nil when none is left. Late
  /// timers, armed between these calls, become due only after nil was returned.
  mutating func popDue(_ now: Instant) -> LoopTimer? {
    guard let first = entries.first, first.instant <= now else {
      firing = nil
      for entry in late { insert(entry) }
      late.removeAll(keepingCapacity: true)
      return nil
    }
    firing = now
    removeAt(0)
    return first.timer
  }

  /// Removes `timer`; false if it is not armed.
  mutating func remove(_ timer: LoopTimer) -> Bool {
    let index = timer.heapIndex
    if index == Self.lateIndex {
      timer.heapIndex = -1
      late.removeAll { $0.timer === timer }
      return true
    }
    guard index >= 0 else { return false }
    removeAt(index)
    return true
  }

  mutating func removeAll() -> [LoopTimer] {
    let timers = (entries + late).map(\.timer)
    for timer in timers { timer.heapIndex = -1 }
    entries.removeAll()
    late.removeAll()
    return timers
  }

  private mutating func removeAt(_ index: Int) {
    entries[index].timer.heapIndex = -1
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

  private func place(_ index: Int) { entries[index].timer.heapIndex = index }

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
