// The watches of one loop, in the order of registration.
//
// A pure table: it computes the interest of each descriptor and finds the watches of a ready one.

struct WatchTable {
  /// The update of epoll after a change of one descriptor's watches.
  enum Change: Equatable {
    case none
    case add(Int32, Watch.Events)
    case modify(Int32, Watch.Events)
    case remove(Int32)
  }

  private(set) var watches: [Watch] = []

  var isEmpty: Bool { watches.isEmpty }

  func interest(in descriptor: Int32) -> Watch.Events? {
    var union: Watch.Events?
    for watch in watches where watch.descriptor == descriptor {
      union = (union ?? []).union(watch.interest)
    }
    return union
  }

  mutating func add(_ watch: Watch) -> Change {
    let before = interest(in: watch.descriptor)
    watches.append(watch)
    return change(of: watch.descriptor, from: before)
  }

  mutating func update(_ watch: Watch, interest new: Watch.Events) -> Change {
    guard watch.isActive else { return .none }
    let before = interest(in: watch.descriptor)
    watch.interest = new
    return change(of: watch.descriptor, from: before)
  }

  mutating func remove(_ watch: Watch) -> Change {
    guard watch.isActive else { return .none }
    let before = interest(in: watch.descriptor)
    watch.isActive = false
    watches.removeAll { $0 === watch }
    return change(of: watch.descriptor, from: before)
  }

  /// Ends every watch.
  mutating func removeAll() -> [Watch] {
    defer { watches = [] }
    for watch in watches { watch.isActive = false }
    return watches
  }

  /// A watch, and the argument of its callback.
  typealias Call = (watch: Watch, events: Watch.Events)

  /// The callbacks to call when `descriptor` is ready for `events`, in order; seldom more than one.
  func calls(for descriptor: Int32, _ events: Watch.Events) -> (first: Call?, others: [Call]) {
    var first: Call?
    var others: [Call] = []
    for watch in watches where watch.descriptor == descriptor {
      let ready = events.intersection(watch.interest.union(.hungUp))
      if ready.isEmpty { continue }
      if first == nil {
        first = (watch, ready)
      } else {
        others.append((watch, ready))
      }
    }
    return (first, others)
  }

  /// Each watched descriptor once, in the order of first registration, with its combined interest.
  var interests: [(descriptor: Int32, events: Watch.Events)] {
    var result: [(descriptor: Int32, events: Watch.Events)] = []
    for watch in watches {
      if let index = result.firstIndex(where: { $0.descriptor == watch.descriptor }) {
        result[index].events.formUnion(watch.interest)
      } else {
        result.append((watch.descriptor, watch.interest))
      }
    }
    return result
  }

  private func change(of descriptor: Int32, from before: Watch.Events?) -> Change {
    switch (before, interest(in: descriptor)) {
    case (nil, let after?): .add(descriptor, after)
    case (_?, nil): .remove(descriptor)
    case (let before?, let after?): before == after ? .none : .modify(descriptor, after)
    case (nil, nil): .none
    }
  }
}
