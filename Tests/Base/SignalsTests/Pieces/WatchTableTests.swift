// The watches of a loop, without a poll: the changes for epoll, and which callback is called.

import Testing

@testable import Signals

@Suite("The watch table")
struct WatchTableTests {
  private let loop = VirtualTimeLoop()

  private func watch(_ descriptor: Int32, _ interest: Watch.Events) -> Watch {
    Watch(
      state: loop.state, source: loop.source, descriptor: descriptor, interest: interest
    ) { _ in }
  }

  @Test("epoll receives the combined events, and only when they change")
  func changes() {
    let table = Cell(WatchTable())
    let (first, second) = (watch(3, .readable), watch(3, .writable))
    #expect(table { $0.add(first) } == .add(3, .readable))
    #expect(table { $0.add(second) } == .modify(3, [.readable, .writable]))
    #expect(table { $0.update(second, interest: .readable) } == .modify(3, .readable))
    #expect(table { $0.update(second, interest: .readable) } == .none)
    #expect(table { $0.remove(first) } == .none)
    #expect(table { $0.remove(second) } == .remove(3))
    #expect(table.value.isEmpty)
  }

  @Test("changing a removed watch has no effect")
  func removed() {
    let table = Cell(WatchTable())
    let gone = watch(3, .readable)
    _ = table { $0.add(gone) }
    _ = table { $0.remove(gone) }
    #expect(table { $0.remove(gone) } == .none)
    #expect(table { $0.update(gone, interest: .writable) } == .none)
    #expect(table { $0.interest(in: 3) } == nil)
  }

  @Test("each watch receives the events it asked for and every hang-up, in registration order")
  func calls() {
    let table = Cell(WatchTable())
    let reading = watch(3, .readable)
    let writing = watch(3, .writable)
    let other = watch(4, .readable)
    for watch in [reading, writing, other] { _ = table { $0.add(watch) } }
    let readable = table { $0.calls(for: 3, .readable) }
    #expect(readable.first?.watch === reading)
    #expect(readable.others.isEmpty)
    let all = table { $0.calls(for: 3, [.readable, .writable, .hungUp]) }
    #expect(all.first?.events == [.readable, .hungUp])
    #expect(all.others.map(\.events) == [[.writable, .hungUp]])
    #expect(table { $0.calls(for: 4, .writable) }.first == nil)
  }

  @Test("a poll includes each descriptor once, in the order of first registration")
  func interests() {
    let table = Cell(WatchTable())
    for watch in [watch(5, .readable), watch(3, .readable), watch(5, .writable)] {
      _ = table { $0.add(watch) }
    }
    #expect(table.value.interests.map(\.descriptor) == [5, 3])
    #expect(table.value.interests.map(\.events) == [[.readable, .writable], .readable])
    let gone = table { $0.removeAll() }
    #expect(gone.allSatisfy { !$0.isActive })
    #expect(table.value.interests.isEmpty)
  }
}
