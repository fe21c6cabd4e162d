// The state machines of the timed operators, by calling them.

import Testing

@testable import Signals

@Suite("States of timed operators")
struct TimedStateTests {
  private func at(_ milliseconds: Int) -> Instant { .start + .milliseconds(milliseconds) }

  @Test("a throttle is open, then closed for an interval, and holds the latest value")
  func throttle() {
    var state = Throttle<Int>(.milliseconds(100), keeping: .latest)
    #expect(state.wakeUp == nil)
    state.receive(1, at: at(0))
    #expect(state.next() == 1)
    #expect(state.next() == nil)
    state.receive(2, at: at(10))
    state.receive(3, at: at(20))
    #expect(state.next() == nil)
    #expect(state.wakeUp == at(100))
    state.wake(at: at(100))
    #expect(state.next() == 3)
    #expect(state.wakeUp == nil)
    state.receive(4, at: at(199))
    #expect(state.wakeUp == at(200))
    state.end(at: at(199))
    #expect(state.next() == 4)
  }

  @Test("a throttle that keeps the first never wakes")
  func throttleFirst() {
    var state = Throttle<Int>(.milliseconds(100), keeping: .first)
    state.receive(1, at: at(0))
    state.receive(2, at: at(99))
    #expect(state.wakeUp == nil)
    #expect(state.next() == 1)
    state.receive(3, at: at(100))
    #expect(state.next() == 3)
    state.end(at: at(101))
    #expect(state.next() == nil)
  }

  @Test("each value puts the end of a debounce's pause off")
  func debounce() {
    var state = Debounce<Int>(.milliseconds(100))
    state.receive(1, at: at(0))
    state.receive(2, at: at(90))
    #expect(state.wakeUp == at(190))
    #expect(state.next() == nil)
    state.wake(at: at(190))
    #expect(state.wakeUp == nil)
    #expect(state.next() == 2)
    state.end(at: at(300))
    #expect(state.next() == nil)
  }

  @Test("a sample is sent once, and a completion ends all")
  func sample() {
    var state = Sample<Int>()
    state.receive(.trigger, at: at(0))
    #expect(state.next() == nil)
    state.receive(.value(1), at: at(1))
    state.receive(.trigger, at: at(2))
    state.receive(.trigger, at: at(3))
    #expect(state.next() == 1)
    #expect(state.next() == nil)
    #expect(!state.isComplete)
    state.receive(.completed, at: at(4))
    #expect(state.isComplete)
  }

  @Test("windows are cut by instants, however late the timer is")
  func lateTimer() throws {
    var state = TimeWindows<Int>(.milliseconds(100), sendsEmpty: true, bufferLimit: 100)
    state.begin(at: at(50))
    #expect(state.wakeUp == at(150))
    try state.receive(1, at: at(149))
    try state.receive(2, at: at(150))
    try state.receive(3, at: at(460))
    var windows: [[Int]] = []
    while let window = state.next() { windows.append(window) }
    #expect(windows == [[1], [2], [], []])
    #expect(state.wakeUp == at(550))
    state.end(at: at(470))
    #expect(state.next() == [3])
    #expect(state.next() == nil)
  }

  @Test("without empty windows nothing wakes a buffer that is empty")
  func noWakeUp() throws {
    var state = TimeWindows<Int>(.milliseconds(100), sendsEmpty: false, bufferLimit: 100)
    state.begin(at: at(0))
    #expect(state.wakeUp == nil)
    try state.receive(1, at: at(1_000_050))
    #expect(state.wakeUp == at(1_000_100))
    try state.wake(at: at(1_000_100))
    #expect(state.next() == [1])
    #expect(state.wakeUp == nil)
  }

  @Test("empty windows count against the bound of a buffer")
  func emptyBound() throws {
    var state = TimeWindows<Int>(.milliseconds(100), sendsEmpty: true, bufferLimit: 3)
    state.begin(at: at(0))
    try state.wake(at: at(300))
    #expect(throws: BufferOverflow(bound: 3)) { try state.wake(at: at(400)) }
    #expect(state.next() == [])
    try state.wake(at: at(400))
  }
}
