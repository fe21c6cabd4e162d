// The state machines of the timed operators, by calling them.

import Testing

@testable import Signals

@Suite("States of timed operators")
struct TimedStateTests {
  private func at(_ milliseconds: Int) -> Instant { .start + .milliseconds(milliseconds) }

  @Test("windows are divided by instants, however late the timer fires")
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

  @Test("without empty windows, an empty buffer sets no timer")
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
